"""Bricks that rows of data list: each says its kind and name, and its sizes as `row_sizes` reads them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from tomllib import loads
from typing import Any

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
from sizebook.models.bricks import ProjectedAttention
from sizebook.models.compressed import HyperConnection
from sizebook.models.families.blocks import attention
from sizebook.models.families.decoders.latent_attention import latent
from sizebook.models.families.experts import routed
from sizebook.models.families.row_sizes import Numbers
from sizebook.models.latent import Indexer, LatentAttention
from sizebook.models.mixers import DeltaNet, Mamba1, Mamba2, ShortConvolution
from sizebook.models.recurrences import LightningAttention, MatrixLstm, Rwkv, Rwkv7

Entry = Mapping[str, Any]  # one brick of a row


class Sizes(Numbers):
    """The numbers that a row's formulas name, and the bricks that they make."""

    def bricks(self, entries: Sequence[Entry]) -> tuple[Brick, ...]:
        """Return the bricks of a row's entries; one entry may stand for several, or under a condition for none."""
        return tuple(brick for entry in entries if self.is_on(entry.get("if", True)) for brick in self._of_entry(entry))

    def read_all(self, entries: Sequence[Entry]) -> None:
        """Read the keys of bricks that say `read`, also where no layer has them."""
        for entry in entries:
            if self.is_on(entry.get("read", False)):
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


def _attention(sizes: Sizes, name: str, entry: Entry) -> Attention:
    heads, width = entry.get("heads", sizes.row.heads), entry.get("from", "d")
    n_heads, d_model = sizes.of(heads), sizes.of(width)
    d_head = sizes.of(entry.get("d_head", 0))
    if not d_head:
        d_head = sizes.config.divides(sizes.row.width if width == "d" else width, d_model, str(heads), n_heads)
    n_kv = sizes.of(entry.get("kv_heads", n_heads))
    bias = sizes.is_on(entry.get("bias", False))
    normed = entry.get("qk_norm", "") if sizes.is_on(entry.get("qk_norm_if", True)) else ""
    return Attention(
        d_model,
        n_heads,
        n_kv,
        d_head=d_head,
        qkv_bias=sizes.is_on(entry.get("qkv_bias", bias)),
        out_bias=sizes.is_on(entry.get("out_bias", bias)),
        key_bias=entry.get("key_bias", True),
        qk_norm={"": None, "head": (d_head, d_head), "all": (n_heads * d_head, n_kv * d_head)}[normed],
        qk_norm_bias=entry.get("qk_norm_bias", False),
        cross=entry.get("cross", False),
        bidirectional=sizes.is_on(entry.get("both_ways", sizes.row.both_ways)),
        window=_window(sizes, entry),
        name=name,
        gate=sizes.of(entry.get("gate", 0)),
        d_kv_in=sizes.of(entry.get("reads", 0)),
        d_out=sizes.of(entry.get("out", 0)),
    )


def _grouped(sizes: Sizes, name: str, entry: Entry) -> Attention:
    """Return attention from the usual keys, as Llama's class reads them."""
    bias, normed = sizes.is_on(entry.get("bias", False)), sizes.is_on(entry.get("qk_norm_if", "qk_norm" in entry))
    mixer = attention(
        sizes.config,
        qk_norm=entry["qk_norm"] if normed else None,
        qkv_bias=sizes.is_on(entry.get("qkv_bias", bias)),
        out_bias=sizes.is_on(entry.get("out_bias", bias)),
        qk_norm_bias=entry.get("qk_norm_bias", False),
        bidirectional=sizes.is_on(entry.get("both_ways", sizes.row.both_ways)),
        window=_window(sizes, entry),
        name=name,
    )
    changed: dict[str, Any] = {key: sizes.of(entry[key]) for key in ("n_heads", "gate") if key in entry}
    return replace(mixer, **changed) if changed else mixer


def _window(sizes: Sizes, entry: Entry) -> int | None:
    """Return the window that a key gives to attention, None for all tokens."""
    if "window" in entry and sizes.is_on(entry.get("window_if", True)):
        named = entry["window"] in sizes.row.names
        return sizes.of(entry["window"]) or None if named else sizes.config.window(entry["window"])
    sizes.config.ignore(*([entry["window"]] if "window" in entry else ()))
    return None


def _projected(sizes: Sizes, name: str, entry: Entry) -> ProjectedAttention:
    """Return attention whose projections are listed one by one."""
    projections = tuple(brick for brick in sizes.bricks(entry["projections"]) if isinstance(brick, Projection))
    n_heads, both_ways = sizes.of(entry.get("heads", "n_heads")), sizes.is_on(entry.get("both_ways", True))
    window = sizes.of(entry.get("window", 0)) or None
    return ProjectedAttention(n_heads, sizes.of(entry["d_head"]), projections, window=window, bidirectional=both_ways)


def _feed(sizes: Sizes, name: str, entry: Entry) -> FeedForward:
    d_in, d_ff, gated = sizes.of(entry.get("from", "d")), sizes.of(entry["to"]), sizes.is_on(entry.get("gated", False))
    return FeedForward(d_in, d_ff, gated=gated, bias=sizes.is_on(entry.get("bias", False)), name=name)


def _linear(sizes: Sizes, name: str, entry: Entry) -> Projection:
    d_in, d_out = sizes.of(entry.get("from", "d")), sizes.of(entry.get("to", "d"))
    part, pooled = entry.get("part", "other"), entry.get("pooled", False)
    return Projection(name, d_in, d_out, bias=sizes.is_on(entry.get("bias", True)), part=part, pooled=pooled)


def _norm(sizes: Sizes, name: str, entry: Entry) -> Norm:
    return Norm(name, sizes.of(entry.get("to", "d")), sizes.is_on(entry.get("bias", False)))


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
    return {name: sizes.is_on(entry[name]) if of is bool else sizes.of(entry[name]) for name, of in said}


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
