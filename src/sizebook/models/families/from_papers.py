"""Models that papers describe but no config.json does: GPT-3, PaLM, Chinchilla, the original transformer.

The dimensions are given in the vocabulary of this package under the model type ``transformer``:

==================  ==================================================================================================
n_layers, d_model   decoder layers and width; n_encoder_layers for an encoder in front of them
n_heads, d_head     query heads (one number, or a list with one a layer) and their width; n_kv_heads where fewer
d_ff                inner width of the feed-forward block (one number, or a list with one a layer); gated, bias
vocab, tied         vocabulary entries, and whether embedding and head are one matrix
positions           learned (n_ctx entries), relative (Transformer-XL: one more projection and two biases a layer), or
                    rotary, sinusoidal, unstored: nothing stored
norm                layer, layer-no-bias or rms; norms_per_layer 1 where attention and feed-forward run in parallel;
                    final_norm; qk_norm where queries and keys are normed head by head
n_experts, top_k    experts of d_ff_expert in every expert_every-th layer; experts_gated where it differs from gated
==================  ==================================================================================================
"""

from dataclasses import dataclass

from sizebook.core.errors import InputError
from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    Experts,
    FeedForward,
    Head,
    Layer,
    Norm,
    Weight,
)
from sizebook.models.config import Config
from sizebook.models.huggingface import model_type

POSITIONS = ("learned", "relative", "rotary", "sinusoidal", "unstored")
NORMS = ("layer", "layer-no-bias", "rms")


@dataclass(frozen=True, slots=True)
class RelativePositions:
    """What attention relative to positions adds (Dai et al. 2019, arXiv:1901.02860): a projection and two biases."""

    d_model: int
    d_attn: int

    @property
    def weights(self) -> tuple[Weight, ...]:
        biases = (Weight(f"self_attn.{n}_bias", (self.d_attn,), "bias", use="vector") for n in ("content", "position"))
        return (Weight("self_attn.r_proj.weight", (self.d_attn, self.d_model), "attention"), *biases)


@model_type("transformer")
def transformer(config: Config) -> Architecture:
    """Read the dimensions of a described model."""
    d_model, vocab, n_layers = config.integer("d_model"), config.integer("vocab"), config.integer("n_layers")
    n_ctx = config.integer("n_ctx", default=0)
    learned = _one_of(config, "positions", POSITIONS) == "learned"
    tables = [Embedding("embed_tokens", vocab, d_model)]
    if learned:
        tables.append(Embedding("embed_positions", n_ctx or config.integer("n_ctx"), d_model))
    tied = config.flag("tied")
    n_encoder = config.integer("n_encoder_layers", default=0)
    encoder = tuple(_layer(config, i, cross=False, experts=False) for i in range(n_encoder))
    decoder = tuple(_layer(config, i, cross=n_encoder > 0, experts=True) for i in range(n_layers))
    outputs = (_norm(config, "norm", d_model),) if config.flag("final_norm", default=True) else ()
    return Architecture(
        model_type="transformer",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx or None,
        inputs=tuple(tables),
        layers=_shared(encoder + decoder),
        outputs=outputs,
        head=Head(vocab, d_model, tied=tied),
    )


def _layer(config: Config, index: int, *, cross: bool, experts: bool) -> Layer:
    d_model = config.integer("d_model")
    bricks: list[Brick] = [_norm(config, "input_layernorm", d_model), _attention(config, index, "self_attn")]
    if config.text("positions") == "relative":
        bricks.append(RelativePositions(d_model, _at(config, "n_heads", index) * config.integer("d_head")))
    if cross:
        bricks += [_norm(config, "cross_layernorm", d_model), _attention(config, index, "cross_attn")]
    if config.integer("norms_per_layer", default=2) == 2:
        bricks.append(_norm(config, "post_attention_layernorm", d_model))
    bricks.append(_block(config, index, experts))
    return Layer(tuple(bricks))


def _attention(config: Config, index: int, name: str) -> Attention:
    n_heads, d_head = _at(config, "n_heads", index), config.integer("d_head", default=0)
    d_head = d_head or config.divides("d_model", config.integer("d_model"), "n_heads", n_heads)
    bias = config.flag("bias")
    return Attention(
        d_model=config.integer("d_model"),
        n_heads=n_heads,
        n_kv_heads=_at(config, "n_kv_heads", index, default=n_heads),
        d_head=d_head,
        qkv_bias=bias,
        out_bias=bias,
        qk_norm=(d_head, d_head) if config.flag("qk_norm", default=False) else None,
        cross=name == "cross_attn",
        name=name,
    )


def _block(config: Config, index: int, experts: bool) -> Brick:
    d_model, gated = config.integer("d_model"), config.flag("gated", default=False)
    n_experts = config.integer("n_experts", default=0)
    if experts and n_experts and (index + 1) % config.integer("expert_every", default=1) == 0:
        return Experts(
            d_model=d_model,
            d_ff=config.integer("d_ff_expert"),
            n_experts=n_experts,
            top_k=config.integer("top_k"),
            gated=config.flag("experts_gated", default=gated),
        )
    return FeedForward(d_model, _at(config, "d_ff", index), gated=gated, bias=config.flag("bias"))


def _norm(config: Config, name: str, width: int) -> Norm:
    return Norm(name, width, bias=_one_of(config, "norm", NORMS, default="layer") == "layer")


def _one_of(config: Config, key: str, allowed: tuple[str, ...], default: str | None = None) -> str:
    word = config.text(key) if default is None else config.text(key, default=default)
    if word not in allowed:
        raise InputError(
            f"bad key: got '{key}' = '{word}' in {config.where}, want one of {', '.join(allowed)}. Correct it."
        )
    return word


def _at(config: Config, key: str, index: int, default: int | None = None) -> int:
    """Return a dimension that is one number for all layers or a list with one a layer."""
    value = config.values.get(key)
    if not isinstance(value, list):
        return config.integer(key) if default is None else config.integer(key, default=default)
    config.ignore(key)
    n_layers = config.integer("n_layers")
    if len(value) != n_layers or not all(isinstance(entry, int) and entry > 0 for entry in value):
        raise InputError(
            f"bad key: got {len(value)} entries of '{key}' in {config.where}, want {n_layers} whole numbers, "
            "one a layer. Correct the list."
        )
    return int(value[index])


def _shared(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return the layers with equal ones made the same object, so that counting visits each kind once."""
    seen: dict[Layer, Layer] = {}
    return tuple(seen.setdefault(layer, layer) for layer in layers)
