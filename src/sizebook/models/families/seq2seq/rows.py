"""Encoder-decoders and decoders that attend to an encoder: BART and its line, FSMT, ProphetNet, TrOCR, Whisper."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sizebook.models.architecture import Architecture, Brick, Experts, FeedForward, Layer
from sizebook.models.config import Config
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import Row, described, rows
from sizebook.models.huggingface import model_type

ROWS = rows("seq2seq_types.toml")


def seq2seq(row: Row, config: Config) -> Architecture:
    """Return the architecture of a config whose type is a row."""
    return described(row, config)


for _name, _row in ROWS.items():
    if not _name.startswith("_"):
        model_type(_name)(partial(seq2seq, _row))


@model_type("nllb-moe")
def nllb_moe(config: Config) -> Architecture:
    """NLLB with experts: in every so-manieth layer they stand in for the feed-forward block, two a token."""
    whole = described(ROWS["_nllb-moe"], config)
    n_encoder, n_experts = config.integer("encoder_layers"), config.integer("num_experts")
    bias = config.flag("router_bias", default=False)
    steps = [config.integer(f"{side}_sparse_step", default=4) for side in ("encoder", "decoder")]

    def sparse(brick: Brick) -> Brick:
        if not isinstance(brick, FeedForward):
            return brick
        return Experts(
            brick.d_model, brick.d_ff, n_experts, top_k=2, gated=False, name="ffn", bias=True, router_bias=bias
        )

    routed = {layer: Layer(tuple(map(sparse, layer.bricks))) for layer in set(whole.layers)}
    places = [*((i, steps[0]) for i in range(n_encoder)), *((i, steps[1]) for i in range(whole.n_layers - n_encoder))]
    kinds = zip(whole.layers, places, strict=True)
    return replace(
        whole, layers=tuple(routed[layer] if step and (i + 1) % step == 0 else layer for layer, (i, step) in kinds)
    )


@model_type("fsmt")
def fsmt(config: Config) -> Architecture:
    """FSMT: tied, both vocabularies must be one."""
    if config.flag("tie_word_embeddings", default=False):
        config.only("tgt_vocab_size", config.integer("src_vocab_size"))
    return described(ROWS["_fsmt"], config)


@model_type("whisper")
def whisper(config: Config) -> Architecture:
    """Whisper: an audio encoder, counted whole as ``tower``, and a decoder; causal, the decoder alone."""
    whole, heard = described(ROWS["_whisper"], config), tower("whisper", config)
    alone = (config.class_names() or [""])[0].endswith("ForCausalLM")
    return whole if alone else replace(whole, inputs=(*whole.inputs, heard))
