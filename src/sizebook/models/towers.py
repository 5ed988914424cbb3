"""The brick for vision and audio encoders: whole towers with their projectors, counted under one name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sizebook.models.architecture import Brick, Weight


@dataclass(frozen=True, slots=True)
class Tower:
    """An encoder of images or sound in front of a language model.

    It runs per image or clip, not per token, and counts whole under ``tower``: what turns pixels or frames into
    vectors (``stem``), ``n_layers`` equal layers of width ``d_model``, and the projector into the language model.
    """

    kind: Literal["vision", "audio", "speech"]
    d_model: int
    n_layers: int
    stem: tuple[Brick, ...]
    layer: tuple[Brick, ...]
    projector: tuple[Brick, ...]
    name: str = "tower"

    @property
    def weights(self) -> tuple[Weight, ...]:
        once = [*self._of(self.stem, "stem"), *self._of(self.projector, "projector")]
        each = self._of(self.layer, "layers.*") if self.n_layers else []
        return (*once, *(w._replace(copies=w.copies * self.n_layers, active=w.active * self.n_layers) for w in each))

    def _of(self, bricks: Iterable[Brick], place: str) -> list[Weight]:
        return [
            weight._replace(name=f"{self.name}.{place}.{weight.name}", part="tower")
            for brick in bricks
            for weight in brick.weights
        ]
