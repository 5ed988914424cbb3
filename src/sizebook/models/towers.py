"""The brick for vision and audio encoders: whole towers with their projectors, counted under one name."""

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
        return (*once, *(self._of(self.layer, "layers.*", self.n_layers) if self.n_layers else ()))

    def _of(self, bricks: Iterable[Brick], place: str, times: int = 1) -> list[Weight]:
        place = f"{self.name}.{place}"
        return [  # made anew: `_replace` takes four times as long
            Weight(f"{place}.{name}", shape, "tower", use=use, copies=copies * times, active=active * times)
            for brick in bricks
            for name, shape, _, use, copies, active in brick.weights
        ]
