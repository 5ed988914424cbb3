"""A querying transformer between an encoder of images and a whole language model: BLIP-2, InstructBLIP."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import describe, model_type, modules

# Types that transformers builds with both stacks behind the queries; of BART and its kin it takes the decoder alone.
ENCODER_DECODERS = {
    "t5": "T5ForConditionalGeneration",
    "mt5": "MT5ForConditionalGeneration",
    "umt5": "UMT5ForConditionalGeneration",
    "longt5": "LongT5ForConditionalGeneration",
    "switch_transformers": "SwitchTransformersForConditionalGeneration",
}


@model_type("blip-2", "instructblip", "instructblipvideo")
def blip2(config: Config) -> Architecture:
    """BLIP-2 (arXiv:2301.12597) and InstructBLIP (arXiv:2305.06500), whose queries read the instruction too."""
    name = config.text("model_type")
    text = _language_model(config)
    plain = name == "blip-2"
    if plain:
        config.built_as("Blip2ForConditionalGeneration", "Blip2Model")
        config.ignore("architectures")  # its bare class holds the language model with its head
    stem = "blip_2" if plain else name
    vision, queries = config.section("vision_config"), config.section("qformer_config")
    vision.only("model_type", f"{stem}_vision_model")
    queries.only("model_type", f"{stem}_qformer")
    queries.ignore("encoder_hidden_size")  # as wide as the encoder, whatever is said here
    width, d_vision = queries.integer("hidden_size"), vision.integer("hidden_size")
    learned = Tensors((vector("query_tokens", config.integer("num_query_tokens"), width),))
    reads = queries.flag("use_qformer_text_input", default=False) if plain else True  # a block for words besides
    projector: tuple[Brick, ...] = (
        learned,
        *querying(queries, d_vision, reads=reads, embeds=not plain),
        linear("language_projection", width, text.d_model),
    )
    seen = tower("blip", vision, *projector)
    return replace(text, model_type=name, inputs=(*text.inputs, seen))


def _language_model(config: Config) -> Architecture:
    """Return the language model, a whole one of its own class: its tie and the bias of its head are its own."""
    config.needs("text_config", "vision_config", "qformer_config")
    section = config.section("text_config")
    kind = section.text("model_type", default="opt")
    built_as = ENCODER_DECODERS.get(kind)
    if built_as is None and not modules().get(kind, "decoders.").startswith("decoders."):
        raise section.unknown("model_type", kind, f"the type of a decoder, {' or '.join(ENCODER_DECODERS)}")
    section.values = {**section.values, "model_type": kind}
    section.ignore("architectures")
    if built_as is not None:
        section.values["architectures"] = [built_as]  # the class of the whole chooses it, whatever stands here
    text = describe(section)
    if text.head is None:
        raise section.unknown("model_type", kind, "the type of a decoder that generates")
    return text


def querying(queries: Config, d_vision: int, *, reads: bool, embeds: bool) -> list[Brick]:
    """Return a querying transformer (arXiv:2301.12597, section 3.1) before an encoder of width ``d_vision``."""
    d_model, n_heads = queries.integer("hidden_size"), queries.integer("num_attention_heads")
    queries.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    d_ff, every = queries.integer("intermediate_size"), queries.integer("cross_attention_frequency")
    n_layers = queries.integer("num_hidden_layers")
    queries.ignore("vocab_size", "max_position_embeddings")
    bricks: list[Brick] = [Norm("layernorm", d_model, bias=True)]
    if embeds:
        bricks.append(Embedding("word_embeddings", queries.integer("vocab_size"), d_model))
        bricks.append(Embedding("position_embeddings", queries.integer("max_position_embeddings"), d_model))
    attend = Attention(
        d_model, n_heads, n_heads, d_head=d_model // n_heads, qkv_bias=True, out_bias=True, bidirectional=True
    )
    looks: tuple[Brick, ...] = (
        *(linear(f"crossattention.{name}", d_model, d_model) for name in ("query", "dense")),
        *(linear(f"crossattention.{name}", d_vision, d_model) for name in ("key", "value")),
        Norm("crossattention.LayerNorm", d_model, bias=True),
    )
    feed: tuple[Brick, ...] = (
        FeedForward(d_model, d_ff, gated=False, bias=True),
        Norm("output.LayerNorm", d_model, bias=True),
    )
    for i in range(n_layers):
        bricks += [attend, Norm("attention.LayerNorm", d_model, bias=True), *feed]
        bricks += feed if reads else ()
        bricks += looks if i % every == 0 else ()
    return bricks
