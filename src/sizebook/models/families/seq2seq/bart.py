"""BART and its line: learned or sinusoidal positions, layer norms with biases (also FSMT, ProphetNet)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from sizebook.models.architecture import Architecture, Brick, Embedding, Experts, Head, Layer, Norm, Projection
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.seq2seq.stack import (
    CLASSIFIER_HEADS,
    MODEL_HEADS,
    Stack,
    heads,
    layer,
    logits_bias,
    stack,
    vocabulary,
)
from sizebook.models.huggingface import model_type
from sizebook.models.projected_attention import ProjectedAttention

# Switches of the original code; the class decides in their place.
LEGACY = (
    "normalize_before",
    "normalize_embedding",
    "add_final_layer_norm",
    "add_bias_logits",
    "extra_pos_embeddings",
    "static_position_embeddings",
    "force_bos_token_to_be_generated",
    "num_hidden_layers",
)


@dataclass(frozen=True, slots=True)
class Family:
    """One copy of BART: its classes, and where it keeps positions and norms."""

    prefix: str
    heads: dict[str, str]
    position_offset: int | None = 0
    norm_after_tables: bool = False
    norm_at_end: bool = False
    logits_bias: bool = True
    attention_bias: bool = True


CAUSAL = {"ForCausalLM": "decoder words"}
FULL = MODEL_HEADS | CLASSIFIER_HEADS | CAUSAL
FAMILIES = {
    "bart": Family("Bart", FULL, 2, norm_after_tables=True),
    "mbart": Family("MBart", FULL, 2, norm_after_tables=True, norm_at_end=True),
    "plbart": Family("PLBart", {k: v for k, v in FULL.items() if v != "two"}, 2, norm_after_tables=True),
    "mvp": Family("Mvp", FULL, 2, norm_after_tables=True),
    "pegasus": Family("Pegasus", MODEL_HEADS | CAUSAL, norm_at_end=True),
    "blenderbot": Family("Blenderbot", MODEL_HEADS | CAUSAL, norm_at_end=True),
    "blenderbot-small": Family("BlenderbotSmall", MODEL_HEADS | CAUSAL, norm_after_tables=True),
    "marian": Family("Marian", {"Model": "", "MTModel": "words"} | CAUSAL),
    "m2m_100": Family("M2M100", MODEL_HEADS, None, norm_at_end=True, logits_bias=False),
    "nllb-moe": Family("NllbMoe", MODEL_HEADS, None, norm_at_end=True, logits_bias=False),
    "bigbird_pegasus": Family(
        "BigBirdPegasus", MODEL_HEADS | CLASSIFIER_HEADS, norm_after_tables=True, attention_bias=False
    ),
    "pegasus_x": Family("PegasusX", MODEL_HEADS, None, norm_at_end=True, logits_bias=False, attention_bias=False),
    "led": Family("LED", MODEL_HEADS | {"ForQuestionAnswering": "two"}, norm_after_tables=True),
}


def bart_like(family: Family, config: Config) -> Architecture:
    """Read BART or a copy of it."""
    words = kind_of_class(config, family.prefix, family.heads)
    d_model, vocab = config.integer("d_model"), config.integer("vocab_size")
    tied, head_vocab = config.flag("tie_word_embeddings", default=True), vocab
    bias = config.flag("use_bias", default=False) if family.prefix == "BigBirdPegasus" else family.attention_bias
    sides = [stack(config, side, d_model, bias=bias) for side in ("encoder", "decoder")]
    config.ignore(*LEGACY)
    used = sides[1:] if "decoder" in words else sides
    inputs = vocabulary(vocab, d_model, tied=tied, n_stacks=len(used))
    if family.prefix == "Marian":
        inputs, head_vocab, tied = _marian_tables(config, words, vocab, d_model, tied=tied)
    layers: list[Layer] = []
    outputs: list[Brick] = []
    for side in used:
        name = "decoder" if side.decoder else "encoder"
        inputs += _after_tokens(config, family, side, name)
        layers += _layers(config, family, side)
        outputs += [Norm(f"{name}.layer_norm", d_model, bias=True)] if family.norm_at_end else []
    top, head = heads(config, words, d_model, vocab=head_vocab, tied=tied)
    return Architecture(
        model_type=config.text("model_type"),
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("max_position_embeddings", "max_decoder_position_embeddings"),
        inputs=tuple(inputs),
        layers=tuple(layers),
        outputs=(*outputs, *top),
        head=head,
        buffers=logits_bias(head_vocab) if family.logits_bias and words == "words" else (),
    )


def _marian_tables(
    config: Config, words: str, vocab: int, d_model: int, *, tied: bool
) -> tuple[list[Brick], int, bool]:
    """Return Marian's token tables, the entries that the decoder writes, and whether its head stores nothing.

    With a vocabulary a side the decoder's table, where it is tied to the head, is counted as the head.
    """
    target = config.integer("decoder_vocab_size", default=vocab)
    shared = config.flag("share_encoder_decoder_embeddings", default=True)
    if "decoder" in words:
        config.only("decoder_vocab_size", vocab)
        return vocabulary(vocab, d_model, tied=tied, n_stacks=1), vocab, tied
    tables: list[Brick] = [Embedding("shared", vocab, d_model)] if shared else []
    if not (shared and tied):
        tables.append(Embedding("encoder.embed_tokens", vocab, d_model))
    if not tied or (not shared and not words):
        tables.append(Embedding("decoder.embed_tokens", target, d_model))
    return tables, vocab if shared else target, shared and tied


def _after_tokens(config: Config, family: Family, side: Stack, name: str) -> list[Brick]:
    """Return the positions of a stack and the norm after them."""
    bricks: list[Brick] = []
    if family.position_offset is not None:
        rows = config.integer(f"max_{name}_position_embeddings", "max_position_embeddings") + family.position_offset
        bricks.append(Embedding(f"{name}.embed_positions", rows, side.d_model))
    if family.prefix == "PegasusX" and not side.decoder:
        n_global = config.integer("num_global_tokens")
        bricks.append(Embedding("encoder.embed_global", n_global, side.d_model))
    if family.norm_after_tables:
        bricks.append(Norm(f"{name}.layernorm_embedding", side.d_model, bias=True))
    return bricks


def _layers(config: Config, family: Family, side: Stack) -> tuple[Layer, ...]:
    """Return the layers of a stack, with what a copy changes in them."""
    if family.prefix == "NllbMoe":
        return _sparse_layers(config, side)
    if family.prefix == "LED" and not side.decoder:
        config.ignore("attention_window")
        return (layer(side, attention=global_attention(side.d_model, side.n_heads, None)),) * side.n_layers
    if family.prefix == "PegasusX" and not side.decoder:
        config.ignore("block_size", "stagger_local_blocks")
        norm = Norm("global_self_attn_layer_norm", side.d_model, bias=True)
        return (layer(side, more=(norm,)),) * side.n_layers
    if family.prefix == "BigBirdPegasus":
        config.ignore("attention_type", "block_size", "num_random_blocks")
    if family.prefix == "Mvp":
        # transformers 5 leaves the encoder's prompts out, the checkpoints do not.
        config.only("use_prompt", False)
        config.ignore("prompt_length", "prompt_mid_dim")
    return (layer(side),) * side.n_layers


def _sparse_layers(config: Config, side: Stack) -> tuple[Layer, ...]:
    """Return NLLB's layers: in every so-manieth one experts stand in for the feed-forward block, two a token."""
    config.ignore("expert_capacity", "second_expert_policy", "normalize_router_prob_before_dropping")
    config.ignore("batch_prioritized_routing", "moe_eval_capacity_token_fraction", "router_ignore_padding_tokens")
    config.ignore("router_dtype", "moe_token_dropout")
    experts = Experts(
        side.d_model,
        side.d_ff,
        n_experts=config.integer("num_experts"),
        top_k=2,
        gated=False,
        bias=True,
        router_bias=config.flag("router_bias", default=False),
        name="ffn",
    )
    step = config.integer(f"{'decoder' if side.decoder else 'encoder'}_sparse_step", default=4)
    dense, sparse = layer(side), layer(side, experts)
    return tuple(sparse if step and (i + 1) % step == 0 else dense for i in range(side.n_layers))


for _name, _family in FAMILIES.items():
    model_type(_name)(partial(bart_like, _family))


@model_type("prophetnet")
def prophetnet(config: Config) -> Architecture:
    """A decoder that predicts several tokens at once, with a projection onto buckets of relative positions a layer."""
    words = kind_of_class(config, "ProphetNet", MODEL_HEADS)
    config.only("add_cross_attention", True)
    config.ignore("relative_max_distance", "disable_ngram_loss", "num_hidden_layers")
    d_model, vocab = config.integer("hidden_size"), config.integer("vocab_size")
    encoder, decoder = (stack(config, side, d_model, prefix="num_") for side in ("encoder", "decoder"))
    n_ctx = config.integer("max_position_embeddings")
    tied = config.flag("tie_word_embeddings", default=True)
    n_buckets = config.integer("num_buckets") * decoder.n_heads
    positions = Projection("self_attn.relative_pos_embeddings", d_model, n_buckets, part="attention")
    inputs = vocabulary(vocab, d_model, tied=tied, n_stacks=2)
    for name in ("encoder", "decoder"):
        inputs.append(Embedding(f"{name}.position_embeddings", n_ctx, d_model))
        inputs.append(Norm(f"{name}.embeddings_layer_norm", d_model, bias=True))
    inputs.append(Embedding("decoder.ngram_embeddings", config.integer("ngram"), d_model))
    layers = (layer(encoder),) * encoder.n_layers + (layer(decoder, more=(positions,)),) * decoder.n_layers
    return Architecture(
        model_type="prophetnet",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=tuple(inputs),
        layers=layers,
        outputs=(),
        head=Head(vocab, d_model, tied=tied) if words else None,
    )


@model_type("fsmt")
def fsmt(config: Config) -> Architecture:
    """Translation with a vocabulary a side. The decoder's table is counted as embedding, its projection as head."""
    kind_of_class(config, "FSMT", MODEL_HEADS)
    config.ignore("langs", "num_hidden_layers", "decoder")
    d_model, source = config.integer("d_model"), config.integer("src_vocab_size")
    target, n_ctx = config.integer("tgt_vocab_size"), config.integer("max_position_embeddings")
    sides = [stack(config, side, d_model) for side in ("encoder", "decoder")]
    tied = config.flag("tie_word_embeddings", default=False)
    rows = n_ctx + config.integer("pad_token_id") + 1
    inputs: list[Brick] = [Embedding("encoder.embed_tokens", source, d_model)]
    if tied:
        config.only("tgt_vocab_size", source)
    else:
        inputs.append(Embedding("decoder.embed_tokens", target, d_model))
    inputs += [Embedding(f"{name}.embed_positions", rows, d_model) for name in ("encoder", "decoder")]
    return Architecture(
        model_type="fsmt",
        d_model=d_model,
        vocab=target,
        n_ctx=n_ctx,
        inputs=tuple(inputs),
        layers=tuple(kind for side in sides for kind in (layer(side),) * side.n_layers),
        outputs=(),
        head=Head(target, d_model, tied=tied, name="decoder.output_projection"),
    )


def global_attention(d_model: int, n_heads: int, window: int | None) -> ProjectedAttention:
    """Return Longformer's attention: seven square projections, three of them for tokens that see everything."""
    names = ("query", "key", "value", "query_global", "key_global", "value_global", "output")
    return ProjectedAttention(
        n_heads,
        d_model // n_heads,
        tuple(Projection(f"attention.{n}", d_model, d_model, part="attention") for n in names),
        window=window,
    )
