"""The usual decoder with other switches: Llama, Qwen, Gemma, GLM, Mixtral, DeepSeek V3 and others, a row each."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from sizebook.models.architecture import Architecture, Attention, Brick, Experts, Layer, Norm
from sizebook.models.config import MISSING, Config
from sizebook.models.families.blocks import (
    POST_NORMS,
    SLIDING,
    BesideLayers,
    attention,
    block,
    class_gives,
    every,
    feed_forward,
    layers_of,
    prediction,
    sandwich,
    stack,
)
from sizebook.models.families.decoders.latent_attention import latent
from sizebook.models.families.experts import correction, mlp_kinds, routed, shared_width, stepped_kinds
from sizebook.models.families.row_bricks import Entry, Sizes, rows_of
from sizebook.models.families.row_sizes import Reading
from sizebook.models.huggingface import model_type
from sizebook.models.latent import LatentAttention

Flag = (
    bool | str
)  # true or false, or the key of the file that says so: false where it is left out, but for keys in `on`
Mixer = Attention | LatentAttention
Kind = tuple[str, int | None]  # of a layer: dense or sparse, and its window


@dataclass(frozen=True, slots=True)
class Row:
    """What ``data/types.toml`` says of a model type; what it leaves out is Llama's without biases."""

    ignore: tuple[str, ...] = ()  # keys that change no tensor
    only: dict[str, list[Any]] = field(default_factory=dict)  # keys whose other values are not described
    required: tuple[str, ...] = ()  # sizes that a file must say, for its class is not known
    equal: dict[str, str] = field(default_factory=dict)  # keys that must say what another says
    on: tuple[str, ...] = ()  # flags that the class takes as true where the file leaves them out
    attention: str = "grouped"  # or latent
    qkv_bias: Flag = False
    out_bias: Flag = False
    mlp_bias: Flag = False
    head_bias: Flag = False
    qk_norm: str = ""  # "head": a norm of each query and key head; "all": one of all heads together
    qk_norm_if: str = ""  # the flag that switches it on
    sinks: bool = False
    gate: str = ""  # of what attention gives: "all" of it, or each "head" together
    heads_fill_width: bool = False  # refuse heads that are together wider or narrower than the model
    windows: str = ""  # which layers slide: "all", "pattern", "late" or "early", see `_windows`
    windows_if: str = ""
    period: int = 1  # of a pattern: every so manieth layer sees everything, none where 0
    period_key: str = ""  # the key under which a file may say another period
    layer: str = "usual"  # where norms stand: usual, sandwich, behind, parallel or bare, see `_layer`
    layer_if: str = ""  # the flag without which a layer is the usual one
    norms: tuple[str, str, str, str] = ("", "", "", "")  # the names of a sandwich
    norm_bias: bool = False
    gated: bool = True
    experts: str = ""  # the key of their width; without it every layer is dense
    experts_name: str = "mlp"
    experts_bias: bool = False  # of every expert and of the router
    shared_width: str = ""  # the key of the width of all shared experts together
    shared_number: str = ""  # the key of how many there are, "counted" for any of the usual keys
    shared_left_out: int | None = None  # how many where a file does not say and no class does
    shared_gate: bool = False
    dense_layers: str = ""  # the "first" ones, or all but "stepped" ones; "listed": of these a list must name the dense
    first_dense: int = 0  # how many first ones
    first_dense_key: str = ""  # the key that says it, where not the usual one
    beside: tuple[Entry, ...] = ()  # further bricks of each layer, written as in towers.toml
    beside_experts: tuple[Entry, ...] = ()  # and of each layer with experts
    correction: Flag = False  # the bias that balances experts is stored
    predictions: str = ""  # the key of how many layers predict further tokens
    tied: bool = False  # where the file does not say


def described(row: Row, config: Config) -> Architecture:
    """Return the architecture of a config whose type is a row."""
    config.ignore(*row.ignore)
    for key, known in row.only.items():
        config.only(key, *known)
    for key in row.required:
        config.integer(key)
    for key, other in row.equal.items():
        config.only(key, config.integer(other))
    mixer, feed = _mixer(row, config), _feed(row, config)
    layer = _layer(row, config, mixer, feed)
    n_layers = config.integer("num_hidden_layers")
    mlps = _mlps(row, config, n_layers)
    layers = layers_of(zip(mlps, _windows(row, config, n_layers), strict=True), layer)
    n_mtp = config.integer(row.predictions, default=0) if row.predictions else 0
    beside = BesideLayers(
        tied=row.tied,
        final_norm=row.layer != "bare",
        norm_bias=row.norm_bias,
        head_bias=_flag(row, config, row.head_bias),
        buffers=correction(feed.n_experts, mlps) if feed and _flag(row, config, row.correction) else (),
        mtp=prediction(mixer.d_model, layer(("sparse", None)), n_mtp) if n_mtp else (),
    )
    return stack(config, layers, beside)


def _flag(row: Row, config: Config, said: Flag) -> bool:
    return said if isinstance(said, bool) else config.flag(said, default=said in row.on)


def _mixer(row: Row, config: Config) -> Mixer:
    """Return the attention that every layer has, windows apart."""
    if row.attention == "latent":
        return latent(config)
    normed = row.qk_norm if not row.qk_norm_if or _flag(row, config, row.qk_norm_if) else ""
    qkv_bias, out_bias = _flag(row, config, row.qkv_bias), _flag(row, config, row.out_bias)
    mixer = attention(config, qk_norm=normed or None, qkv_bias=qkv_bias, out_bias=out_bias, sinks=row.sinks)
    if row.gate:
        mixer = replace(mixer, gate=mixer.n_heads * (mixer.d_head if row.gate == "all" else 1))
    if row.heads_fill_width and mixer.n_heads * mixer.d_head != mixer.d_model:
        raise config.unknown("head_dim", mixer.d_head, f"heads that are together {mixer.d_model} wide")
    return mixer


def _feed(row: Row, config: Config) -> Experts | None:
    """Return the experts of a sparse layer, None for a type without experts."""
    if not row.experts:
        return None
    bias = row.experts_bias
    feed = routed(config, row.experts, name=row.experts_name, bias=bias, router_bias=bias, shared_gate=row.shared_gate)
    if row.shared_width:
        usual = MISSING if class_gives(config, row.shared_width) else 0
        return replace(feed, d_ff_shared=config.integer(row.shared_width, default=usual))
    if row.shared_number == "counted":
        return replace(
            feed,
            d_ff_shared=shared_width(
                config, feed.d_ff, default=MISSING if row.shared_left_out is None else row.shared_left_out
            ),
        )
    return replace(feed, d_ff_shared=feed.d_ff * config.integer(row.shared_number)) if row.shared_number else feed


def _mlps(row: Row, config: Config, n_layers: int) -> list[str]:
    """Return which layers are dense and which have experts."""
    if row.dense_layers == "first":
        if not row.first_dense_key:
            return mlp_kinds(config, first_dense=row.first_dense)
        config.ignore("intermediate_size")  # the width of dense layers, where there is none
        n_dense = config.integer(row.first_dense_key)
        return ["dense" if i < n_dense else "sparse" for i in range(n_layers)]
    if row.dense_layers in ("stepped", "listed"):
        return stepped_kinds(config, listed=row.dense_layers == "listed")
    return ["sparse" if row.experts else "dense"] * n_layers


def _windows(row: Row, config: Config, n_layers: int) -> list[int | None]:
    """Return the window of each layer: None for one that sees everything.

    All layers slide; or those of ``layer_types``, where the file leaves it out by a pattern in which every so manieth
    layer does not, the late ones from ``max_window_layers`` on, or every second of the early ones before it.
    """
    if not row.windows or (row.windows_if and not config.flag(row.windows_if, default=False)):
        config.ignore(*(("layer_types", "max_window_layers", "sliding_window") if row.windows_if else ()))
        return [None] * n_layers
    if row.windows == "all":
        config.ignore(*(("max_window_layers",) if row.windows_if else ()))
        return [config.window("sliding_window")] * n_layers
    kinds = config.pattern("layer_types", n_layers, SLIDING, _pattern(row, config, n_layers))
    config.ignore("sliding_window")
    window = config.window("sliding_window") if SLIDING[0] in kinds else None
    return [window if kind == SLIDING[0] else None for kind in kinds]


def _pattern(row: Row, config: Config, n_layers: int) -> list[str]:
    """Return which layers slide where the file does not list them."""
    if row.windows in ("late", "early"):
        full = config.window("max_window_layers") or 0
        late = row.windows == "late"
        return [SLIDING[not (i >= full if late else i < full and i % 2 == 0)] for i in range(n_layers)]
    period = row.period
    config.ignore(row.period_key)
    if row.period_key and config.values.get("sliding_window", 1) and not config.has("layer_types"):
        period = config.integer(row.period_key, default=period)
    return every(n_layers, period) if row.period else [SLIDING[0]] * n_layers


def _layer(
    row: Row, config: Config, mixer: Attention | LatentAttention, experts: Experts | None
) -> Callable[[Kind], Layer]:
    """Return what builds a layer of a kind.

    Norms stand in front of both blocks as is usual, behind them, or both (a sandwich); parallel blocks share one in
    front; a bare layer has none.
    """
    form = row.layer if not row.layer_if or _flag(row, config, row.layer_if) else "usual"
    bias, sizes = _flag(row, config, row.mlp_bias), Sizes(config, Reading())

    def build(kind: Kind) -> Layer:
        sparse = experts is not None and kind[0] == "sparse"
        feed: Brick = experts if experts and sparse else feed_forward(config, bias=bias, gated=row.gated)
        own = replace(mixer, window=kind[1]) if kind[1] else mixer
        further = sizes.bricks((*row.beside, *(row.beside_experts if sparse else ())))
        return Layer((*_arranged(row, form, own, feed), *further))

    return build


def _arranged(row: Row, form: str, mixer: Mixer, feed: Brick) -> tuple[Brick, ...]:
    """Return both blocks of a layer with their norms."""
    d_model = mixer.d_model
    first, second = (Norm(name, d_model, row.norm_bias) for name in POST_NORMS)
    if form == "sandwich":
        return sandwich(d_model, mixer, feed, names=row.norms).bricks
    forms: dict[str, tuple[Brick, ...]] = {
        "behind": (mixer, first, feed, second),
        "parallel": (Norm("input_layernorm", d_model, row.norm_bias), mixer, feed),
        "bare": (mixer, feed),
    }
    return forms[form] if form in forms else block(d_model, mixer, feed, bias=row.norm_bias).bricks


@cache
def rows() -> dict[str, Row]:
    """Return the rows of ``data/types.toml`` by model type."""
    return {name: Row(**said) for name, said in rows_of("types.toml").items()}


def language_model_of(name: str, section: Config) -> Architecture:
    """Return the language model of a joined type's section, whose class takes it for its own type whatever it says."""
    section.only("model_type", name)
    section.values = {**section.values, "model_type": name}
    section.ignore("tie_word_embeddings")
    return described(rows()[f"_{name}"], section)


for _name, _row in rows().items():
    if not _name.startswith("_"):
        model_type(_name)(partial(described, _row))
