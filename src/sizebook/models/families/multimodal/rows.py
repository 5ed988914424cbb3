"""Language models behind an encoder, joined as rows of ``data/joined_types.toml`` say."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.families.multimodal.joining import Ties, layers_joined, patches_a_side, text_model, with_towers
from sizebook.models.families.row_bricks import Entry, Sizes, rows_of
from sizebook.models.families.row_sizes import Reading
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@dataclass(frozen=True, slots=True)
class Row(Reading):
    """What a row says of a joined type; its words for sizes and bricks are those of `row_bricks`."""

    text: str = ""  # the type of the language model
    chosen: bool = False  # the section names the type, and where it does not the row does
    text_ignore: tuple[str, ...] = ()
    text_only: dict[str, list[Any]] = field(default_factory=dict)
    classes: tuple[str, ...] = ()  # the classes described, where there are others
    needs: tuple[str, ...] = ()
    encoder: str | Mapping[str, str] = ""  # a row of towers.toml, or rows by the type that the section says
    encoder_key: str = "vision_config"
    encoder_type: str = ""  # the type whose spellings and defaults the section has
    of_encoder: dict[str, str] = field(default_factory=dict)  # what formulas call keys of the encoder's section
    projector: tuple[Entry, ...] = ()
    inputs: tuple[Entry, ...] = ()  # beside the tower
    tied: bool = False  # where the file does not say
    ties: Ties = "top level"


class Joined(Sizes):
    """The numbers that the formulas of a joined type name: also layers joined, neighbours laid side by side."""

    def _read(self, name: str) -> Any:
        if name == "features":
            return layers_joined(self.config)
        if name == "side":
            return patches_a_side(self.config)
        return Sizes._read(self, name)


def joined_architecture(row: Row, config: Config, **given: int) -> Architecture:
    """Return the architecture of a config whose type is a row; ``given`` are sizes that no formula gives."""
    if row.classes:
        config.built_as(*row.classes)
        config.ignore("architectures")
    config.needs(*row.needs)
    text, section = _text(row, config), config.section(row.encoder_key)
    if row.encoder_type:
        section.reads_as(row.encoder_type)
    sizes = Joined(config, row, text=text.d_model, **given)
    built = encoder(row, section, text=text.d_model, **given)
    sizes.known |= {"seen": built.d_model} | {name: section.integer(key) for name, key in row.of_encoder.items()}
    built = replace(built, projector=(*built.projector, *sizes.bricks(row.projector)))
    whole = with_towers(config, text, built, tied=row.tied, ties=row.ties)
    return replace(whole, inputs=(*whole.inputs, *sizes.bricks(row.inputs))) if row.inputs else whole


def _text(row: Row, config: Config) -> Architecture:
    section, kind = config.section("text_config"), row.text
    if row.chosen:
        kind = section.text("model_type", default=kind)
    for key, known in row.text_only.items():
        section.only(key, *known)
    section.ignore(*row.text_ignore)
    return text_model(config, kind, chosen=row.chosen)


def encoder(row: Row, section: Config, **given: int) -> Tower:
    """Return the encoder of a section without what joins it to a language model."""
    if isinstance(row.encoder, str):
        return tower(row.encoder, section, **given)
    usual = next(iter(row.encoder))
    kind = section.text("model_type", default=usual)
    section.only("model_type", *row.encoder)
    return tower(row.encoder[kind], section, **given)


@cache
def row_of(name: str) -> Row:
    """Return a row by its name; one that begins with an underscore is no type, but what others are like."""
    return Row(**rows_of("joined_types.toml")[name])


for _name in rows_of("joined_types.toml"):
    if not _name.startswith("_"):
        model_type(_name)(partial(joined_architecture, row_of(_name)))
