"""Encoders of images and sound that are rows of ``data/towers.toml``."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from sizebook.models.architecture import Brick
from sizebook.models.config import Config
from sizebook.models.families.row_bricks import Entry, Sizes, rows_of
from sizebook.models.families.row_sizes import Reading
from sizebook.models.towers import Tower


@dataclass(frozen=True, slots=True)
class Row(Reading):
    """What a row says of an encoder; its words for sizes and bricks are those of `row_bricks`."""

    kind: Literal["vision", "audio", "speech"] = "vision"
    types: tuple[str, ...] = ()  # what the section may say that it is, any where empty
    layers: str = "num_hidden_layers"
    stem: tuple[Entry, ...] = ()
    layer: tuple[Entry, ...] = ()
    last: tuple[Entry, ...] = ()  # behind the layers
    name: str = "tower"


@cache
def row(name: str) -> Row:
    """Return a row by its name."""
    return Row(**rows_of("towers.toml")[name])


def tower(name: str, config: Config, *projector: Brick, **given: Any) -> Tower:
    """Return the encoder of a section as a row describes it; ``given`` are sizes that the section does not say."""
    said = row(name)
    if said.types:
        config.only("model_type", *said.types)
    sizes = Sizes(config, said, **given)
    stem, layer, last = (sizes.bricks(entries) for entries in (said.stem, said.layer, said.last))
    n_layers = sizes.of(said.layers)
    return Tower(
        said.kind, sizes.of("d"), n_layers, stem=stem, layer=layer, projector=(*last, *projector), name=said.name
    )
