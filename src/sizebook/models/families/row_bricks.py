"""Bricks that rows of data list: each says its kind and name, and its sizes as formulas over keys of the file.

``data/towers.toml`` says what the words mean. A size is a number, a key, or a formula of keys (``4 * d``); ``d`` is the
width of the row. A switch is true or false, or the key of the file that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from tomllib import loads
from typing import Any, Self

from sizebook.core import expression
from sizebook.core.tables import DATA
from sizebook.models.architecture import (
    Attention,
    Brick,
    Embedding,
    Experts,
    FeedForward,
    Norm,
    Projection,
    Tensors,
    Use,
    Weight,
)
from sizebook.models.compressed import HyperConnection
from sizebook.models.config import MISSING, Config
from sizebook.models.families.blocks import attention
from sizebook.models.families.decoders.latent_attention import latent
from sizebook.models.families.experts import NUMBERS, routed, shared_width
from sizebook.models.latent import Indexer, LatentAttention
from sizebook.models.mixers import DeltaNet, Mamba1, Mamba2, ShortConvolution
from sizebook.models.projected_attention import ProjectedAttention
from sizebook.models.recurrences import GatedRecurrence, LightningAttention, MatrixLstm, Rwkv, Rwkv7

Entry = Mapping[str, Any]  # one brick of a row
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


class Sizes(Mapping[str, Any]):
    """The numbers that a row's formulas name: given, named in the row, or under a key, which is read when asked for."""

    def __init__(self, config: Config, row: Reading, **given: int) -> None:
        self.config, self.row = config, row
        config.values = {**config.values, **row.put} if row.put else config.values
        if row.square:
            config.values = {**config.values, **{key: config.side(key) for key in row.square}}
        config.ignore(*row.ignore)
        for key, want in row.refused.items():
            if config.has(key):
                raise config.unknown(*config.said(key), want)
        for key, known in row.only.items():
            config.only(key, *known)
        for name, said in row.sections.items():
            config.section(name).ignore(*said.get("ignore", ()))
            config.section(name).none(*said.get("none", ()))
            for key, known in said.get("only", {}).items():
                config.section(name).only(key, *known)
        self.known: dict[str, Any] = dict(given)
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
            if not self.says(rule["that"]):
                raise config.unknown(rule["key"], self[rule["key"]], rule["want"].format_map(self))

    def __getitem__(self, name: str) -> Any:
        if name not in self.known:
            self.known[name] = self._read(name)
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def _read(self, name: str) -> Any:
        row, config = self.row, self.config
        if name in row.names:
            return self.of(row.names[name])
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
        inner = copy(self)
        inner.known = {**self.known, **numbers}
        return inner

    def says(self, switch: Switch) -> bool:
        """Return whether a switch is on."""
        return switch if isinstance(switch, bool) else bool(self.of(switch))

    def bricks(self, entries: Sequence[Entry]) -> tuple[Brick, ...]:
        """Return the bricks of a row's entries; one entry may stand for several, or under a condition for none."""
        return tuple(brick for entry in entries if self.says(entry.get("if", True)) for brick in self._of_entry(entry))

    def read_all(self, entries: Sequence[Entry]) -> None:
        """Read the keys of bricks that say `read`, also where no layer has them."""
        for entry in entries:
            if self.says(entry.get("read", False)):
                self._of_entry(entry)

    def _of_entry(self, entry: Entry) -> tuple[Brick, ...]:
        times = self.of(entry.get("times", 1))
        if "bricks" in entry and times == 1:
            return self.bricks(entry["bricks"])
        if "bricks" in entry:
            return tuple(
                brick for i in range(times) for brick in self.bricks([_numbered(e, i) for e in entry["bricks"]])
            )
        kind, name = next((kind, entry[kind]) for kind in _KINDS if kind in entry)
        return (_KINDS[kind](self, name, entry),) * times


def _numbered(entry: Entry, i: int) -> Entry:
    """Return a brick that is repeated with its number in place of ``#`` in its name."""
    return {key: said.replace("#", str(i)) if isinstance(said, str) else said for key, said in entry.items()}


def patches(config: Config) -> int:
    """Return the patches of one image."""
    return (config.integer("image_size") // config.integer("patch_size")) ** 2


def pixels(config: Config, *, frames: int = 1, key: str = "num_channels") -> int:
    """Return the numbers in one patch; ``key`` is the word for channels that the class of the type reads."""
    channels, other = config.integer(key, default=3), "in_channels" if key == "num_channels" else "num_channels"
    if (said := config.integer(other, default=channels)) != channels:
        raise config.unknown(other, said, f"{channels}: the class of this type reads '{key}' only")
    return channels * config.integer("patch_size") ** 2 * frames


def _attention(sizes: Sizes, name: str, entry: Entry) -> Attention:
    heads, width = entry.get("heads", sizes.row.heads), entry.get("from", "d")
    n_heads, d_model = sizes.of(heads), sizes.of(width)
    d_head = sizes.of(entry.get("d_head", 0))
    if not d_head:
        d_head = sizes.config.divides(sizes.row.width if width == "d" else width, d_model, str(heads), n_heads)
    n_kv = sizes.of(entry.get("kv_heads", n_heads))
    bias = sizes.says(entry.get("bias", False))
    normed = entry.get("qk_norm", "") if sizes.says(entry.get("qk_norm_if", True)) else ""
    return Attention(
        d_model,
        n_heads,
        n_kv,
        d_head=d_head,
        qkv_bias=sizes.says(entry.get("qkv_bias", bias)),
        out_bias=sizes.says(entry.get("out_bias", bias)),
        key_bias=entry.get("key_bias", True),
        qk_norm={"": None, "head": (d_head, d_head), "all": (n_heads * d_head, n_kv * d_head)}[normed],
        qk_norm_bias=entry.get("qk_norm_bias", False),
        cross=entry.get("cross", False),
        bidirectional=sizes.says(entry.get("both_ways", sizes.row.both_ways)),
        window=_window(sizes, entry),
        name=name,
        gate=sizes.of(entry.get("gate", 0)),
        d_kv_in=sizes.of(entry.get("reads", 0)),
        d_out=sizes.of(entry.get("out", 0)),
    )


def _grouped(sizes: Sizes, name: str, entry: Entry) -> Attention:
    """Return attention from the usual keys, as Llama's class reads them."""
    bias, normed = sizes.says(entry.get("bias", False)), sizes.says(entry.get("qk_norm_if", "qk_norm" in entry))
    mixer = attention(
        sizes.config,
        kv_required=entry.get("kv_required", False),
        qk_norm=entry["qk_norm"] if normed else None,
        qkv_bias=sizes.says(entry.get("qkv_bias", bias)),
        out_bias=sizes.says(entry.get("out_bias", bias)),
        qk_norm_bias=entry.get("qk_norm_bias", False),
        bidirectional=sizes.says(entry.get("both_ways", sizes.row.both_ways)),
        window=_window(sizes, entry),
        name=name,
    )
    return replace(mixer, gate=sizes.of(entry["gate"])) if "gate" in entry else mixer


def _window(sizes: Sizes, entry: Entry) -> int | None:
    """Return the window that a key gives to attention, None for all tokens."""
    if "window" in entry and sizes.says(entry.get("window_if", True)):
        named = entry["window"] in sizes.row.names
        return sizes.of(entry["window"]) or None if named else sizes.config.window(entry["window"])
    sizes.config.ignore(*([entry["window"]] if "window" in entry else ()))
    return None


def _projected(sizes: Sizes, name: str, entry: Entry) -> ProjectedAttention:
    """Return attention whose projections are listed one by one."""
    projections = tuple(brick for brick in sizes.bricks(entry["projections"]) if isinstance(brick, Projection))
    n_heads, both_ways = sizes.of(entry.get("heads", "n_heads")), sizes.says(entry.get("both_ways", True))
    window = sizes.of(entry.get("window", 0)) or None
    return ProjectedAttention(n_heads, sizes.of(entry["d_head"]), projections, window=window, bidirectional=both_ways)


def _feed(sizes: Sizes, name: str, entry: Entry) -> FeedForward:
    d_in, d_ff, gated = sizes.of(entry.get("from", "d")), sizes.of(entry["to"]), sizes.says(entry.get("gated", False))
    return FeedForward(d_in, d_ff, gated=gated, bias=sizes.says(entry.get("bias", False)), name=name)


def _linear(sizes: Sizes, name: str, entry: Entry) -> Projection:
    d_in, d_out = sizes.of(entry.get("from", "d")), sizes.of(entry.get("to", "d"))
    part, pooled = entry.get("part", "other"), entry.get("pooled", False)
    return Projection(name, d_in, d_out, bias=sizes.says(entry.get("bias", True)), part=part, pooled=pooled)


def _norm(sizes: Sizes, name: str, entry: Entry) -> Norm:
    return Norm(name, sizes.of(entry.get("to", "d")), sizes.says(entry.get("bias", False)))


def _table(sizes: Sizes, name: str, entry: Entry) -> Embedding:
    return Embedding(name, sizes.of(entry["rows"]), sizes.of(entry.get("to", "d")))


def _tensor(use: Use, sizes: Sizes, name: str, entry: Entry) -> Tensors:
    shape = tuple(map(sizes.of, entry.get("shape", ("d",))))
    return Tensors((Weight(name, shape, entry.get("part", "other"), use=use),))


def _routed(sizes: Sizes, name: str, entry: Entry) -> Experts:
    """Return experts from the usual keys; ``to`` is the key of their width."""
    return routed(sizes.config, entry["to"], name=name, **_fields(Experts, sizes, entry))


def _latent(sizes: Sizes, name: str, entry: Entry) -> LatentAttention:
    """Return latent attention from the usual keys."""
    return latent(sizes.config, name=name, **_fields(LatentAttention, sizes, entry))


def _built(kind: type[Any], sizes: Sizes, name: str, entry: Entry) -> Brick:
    """Return a brick of a class by the names of its fields."""
    given: dict[str, Any] = {"d_model": sizes.of("d")} | _fields(kind, sizes, entry) | ({"name": name} if name else {})
    built: Brick = kind(**given)
    return built


def _fields(kind: type[Any], sizes: Sizes, entry: Entry) -> dict[str, Any]:
    """Return what an entry says of the fields of a class: sizes and switches."""
    said = [(each.name, each.type) for each in fields(kind) if each.name in entry and each.name != "name"]
    return {name: sizes.says(entry[name]) if of == "bool" else sizes.of(entry[name]) for name, of in said}


_KINDS: dict[str, Callable[[Sizes, str, Entry], Brick]] = {
    "attention": _attention,
    "grouped": _grouped,
    "projected": _projected,
    "feed": _feed,
    "linear": _linear,
    "norm": _norm,
    "table": _table,
    "vector": partial(_tensor, "vector"),
    "lookup": partial(_tensor, "lookup"),
    "matrix": partial(_tensor, "matmul"),
    "routed": _routed,
    "experts": partial(_built, Experts),
    "mamba": partial(_built, Mamba1),
    "mamba2": partial(_built, Mamba2),
    "latent": _latent,
    "indexer": partial(_built, Indexer),
    "hyper": partial(_built, HyperConnection),
    "delta": partial(_built, DeltaNet),
    "short": partial(_built, ShortConvolution),
    "lightning": partial(_built, LightningAttention),
    "recurrence": partial(_built, GatedRecurrence),
    "rwkv": partial(_built, Rwkv),
    "rwkv7": partial(_built, Rwkv7),
    "lstm": partial(_built, MatrixLstm),
}


@cache
def rows_of(file: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a TOML file of data by name; ``like`` takes over what another row above says.

    ``ignore_too`` adds to the keys that the other row ignores.
    """
    whole: dict[str, dict[str, Any]] = {}
    for name, said in loads((DATA / file).read_text(encoding="utf-8")).items():
        base = whole[said["like"]] if "like" in said else {}
        whole[name] = {key: value for key, value in (base | said).items() if key not in ("like", "ignore_too")}
        if "ignore_too" in said:
            whole[name]["ignore"] = [*base.get("ignore", ()), *said["ignore_too"]]
    return whole
