"""The sizes that rows of data name: how each is read from a file, and what must hold of them.

``data/towers.toml`` says what the words mean. A size is a number, a key, or a formula of keys (``4 * d``); ``d`` is the
width of the row. A switch is true or false, or the key of the file that says so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from sizebook.core import expression
from sizebook.models.config import MISSING, Config
from sizebook.models.families.blocks import attention
from sizebook.models.families.experts import NUMBERS, shared_width

Switch = bool | str
Formula = int | str


@dataclass(frozen=True, slots=True)
class Reading:
    """How a row's words are read from a file: under which keys, what is taken where a key is left out."""

    ignore: tuple[str, ...] = ()  # keys that change no tensor
    reads: tuple[Formula, ...] = ()  # what is read also where no brick of the model asks for it
    only: dict[str, list[Any]] = field(default_factory=dict)  # keys whose other values are not described
    refused: dict[str, str] = field(default_factory=dict)  # keys that are refused, and what is wanted in their place
    equal: dict[str, Formula] = field(default_factory=dict)  # keys that must say what a formula gives
    put: dict[str, Any] = field(default_factory=dict)  # what the class puts under a key, whatever the file says
    square: tuple[str, ...] = ()  # sides that may be given as height and width
    width: str = "hidden_size"
    heads: str = "num_attention_heads"
    spelt: dict[str, list[str]] = field(default_factory=dict)  # other spellings of a key
    usual: dict[str, Any] = field(default_factory=dict)  # what a key means where the file leaves it out
    fractions: tuple[str, ...] = ()  # keys whose numbers need not be whole
    optional: tuple[str, ...] = ()  # sizes that a model may do without: 0 then
    lengths: tuple[str, ...] = ()  # lists of numbers of which the row needs the length
    names: dict[str, Formula] = field(default_factory=dict)  # what the row's formulas call a formula
    divided: dict[str, list[Formula]] = field(default_factory=dict)  # formulas that a key must divide
    texts: dict[str, str] = field(default_factory=dict)  # keys that hold a word, and the class's own
    automatic: dict[str, Formula] = field(default_factory=dict)  # keys that may say "auto", and the formula meant
    null_is_none: dict[str, int] = field(default_factory=dict)  # sizes that null makes 0, and the class's own
    # What must hold: `that`, else the value of a `key` is refused and what is `want`ed said.
    holds: tuple[Mapping[str, str], ...] = ()
    inside: dict[str, str] = field(default_factory=dict)  # keys that stand in a section
    sections: dict[str, dict[str, Any]] = field(default_factory=dict)  # `ignore`, `only` and `none` of sections
    both_ways: Switch = True  # whether attention sees later tokens where its entry does not say
    channels: str = "num_channels"  # the key that the class reads for them


class Numbers(Mapping[str, Any]):
    """The numbers that a row's formulas name: given, named in the row, or under a key, which is read when asked for."""

    def __init__(self, config: Config, row: Reading, **given: int) -> None:
        self.config, self.row = config, row
        config.values = {**config.values, **row.put} if row.put else config.values
        if row.square:
            config.values = {**config.values, **{key: config.side(key) for key in row.square}}
        config.ignore(*row.ignore)
        for key, want in row.refused.items():
            if config.has(key):
                raise config.unknown(*config.as_written(key), want)
        for key, known in row.only.items():
            config.only(key, *known)
        for name, said in row.sections.items():
            config.section(name).ignore(*said.get("ignore", ()))
            config.section(name).none(*said.get("none", ()))
            for key, known in said.get("only", {}).items():
                config.section(name).only(key, *known)
        self.known: dict[str, Any] = dict(given)
        self.in_file: dict[str, Any] = {}  # what keys say, whatever the place within the model
        for key, wholes in row.divided.items():
            for whole in wholes:
                plain = str(whole).removeprefix("floor(").removesuffix(")")
                named = {"d": row.width, "n_heads": row.heads}.get(plain, plain)
                config.divides(named, self.of(whole), key, self.of(int(key) if key.isdigit() else key))
        for key, formula in row.equal.items():
            config.only(key, self.of(formula))
        for formula in row.reads:
            self.of(formula)
        for rule in row.holds:
            if not self.is_on(rule["that"]):
                raise config.unknown(rule["key"], self[rule["key"]], rule["want"].format_map(self))

    def __getitem__(self, name: str) -> Any:
        for known in (self.known, self.in_file):
            if name in known:
                return known[name]
        if name in self.row.names:
            return self.of(self.row.names[name])
        value = self._read(name)
        (self.known if self._by_formula(name) else self.in_file)[name] = value
        return value

    def _by_formula(self, name: str) -> bool:
        """Return whether a formula of the row may give a number, which may be another one in each layer."""
        row = self.row
        short = {"d": row.width, "n_heads": row.heads}.get(name, name)
        return short in row.names or short in row.automatic or isinstance(row.usual.get(short), str)

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def _read(self, name: str) -> Any:
        row, config = self.row, self.config
        if name in (short := {"d": row.width, "n_heads": row.heads}) and short[name] != name:
            return self[short[name]]
        if name == "patches":
            return patches(config)
        if name.startswith("grouped_"):  # what attention from the usual keys has
            return getattr(attention(config), name.removeprefix("grouped_"))
        if name == "pixels":
            return pixels(config, key=row.channels)
        if name in row.texts:
            if config.values.get(name, "") is None:
                raise config.unknown(name, None, "a word, or no such key")
            return config.text(name, default=row.texts[name])
        if config.values.get(name) == "auto" and name in row.automatic:
            config.ignore(name)
            return self.of(row.automatic[name])
        if name in row.null_is_none:
            return config.integer(name, default=0 if name in config.values else row.null_is_none[name])
        if name in row.inside:
            return config.section(row.inside[name]).integer(name, default=row.usual[name])
        if name == "n_experts":
            return config.integer(*NUMBERS)
        if name == "shared_experts":
            return shared_width(config, 1)
        keys = (name, *row.spelt.get(name, ()))
        usual: Any = row.usual.get(name, MISSING)
        usual = self.of(usual) if isinstance(usual, str) else usual
        if name in row.lengths:
            return len(config.integers(name, default=usual))
        if isinstance(usual, bool):
            return config.flag(*keys, default=usual)
        if name in row.fractions:
            return config.number(*keys, default=usual)
        return config.size(*keys) if name in row.optional else config.integer(*keys, default=usual)

    def of(self, formula: Formula) -> int:
        """Return the value of a formula."""
        if isinstance(formula, int):
            return formula
        if formula not in self.known:
            value = self[formula] if formula.isidentifier() else expression.parse(formula).evaluate(self)
            if value != int(value):
                raise self.config.unknown(formula, value, "a whole number")
            self.known[formula] = value
        return int(self.known[formula])

    def within(self, **numbers: int) -> Self:
        """Return the sizes of a place in which some more numbers are known, such as a layer."""
        inner = type(self).__new__(type(self))  # `copy` takes longer than most formulas
        inner.__dict__ = {**self.__dict__, "known": {**self.known, **numbers}}
        return inner

    def is_on(self, switch: Switch) -> bool:
        """Return whether a switch is on."""
        return switch if isinstance(switch, bool) else bool(self.of(switch))


def patches(config: Config) -> int:
    """Return the patches of one image."""
    return (config.integer("image_size") // config.integer("patch_size")) ** 2


def pixels(config: Config, *, frames: int = 1, key: str = "num_channels") -> int:
    """Return the numbers in one patch; ``key`` is the word for channels that the class of the type reads."""
    channels, other = config.integer(key, default=3), "in_channels" if key == "num_channels" else "num_channels"
    if (said := config.integer(other, default=channels)) != channels:
        raise config.unknown(other, said, f"{channels}: the class of this type reads '{key}' only")
    return channels * config.integer("patch_size") ** 2 * frames
