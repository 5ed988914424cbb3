"""Encoders published with their own code: GTE's ``new``, Jina Embeddings 2, NV-Embed."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Layer, Norm, Projection, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import vector
from sizebook.models.huggingface import describe, model_type


@model_type("nvembed")
def nv_embed(config: Config) -> Architecture:
    """NV-Embed (arXiv:2405.17428): Mistral that sees both ways, its tokens pooled through latents they attend to."""
    config.only("architectures", ["NVEmbedModel"])
    config.needs("text_config", "latent_attention_config")
    section = config.section("text_config")
    section.values = {**section.values, "model_type": "mistral"}
    text = describe(section)
    seen = tuple(Layer(tuple(_both_ways(brick) for brick in layer.bricks)) for layer in text.layers)
    return replace(
        text,
        model_type="nvembed",
        layers=seen,
        outputs=(*text.outputs, *_latents(config.section("latent_attention_config"), text.d_model)),
        head=None,
    )


def _both_ways(brick: Brick) -> Brick:
    return replace(brick, bidirectional=True) if isinstance(brick, Attention) else brick


def _latents(config: Config, d_text: int) -> tuple[Brick, ...]:
    """Return the latents, the attention of tokens to them and a gated block, each normed before."""
    config.ignore("output_normalize", "num_latents")
    config.only("mult", 4)
    d_model, d_hidden = config.integer("latent_dim", default=4096), config.integer("hidden_dim", default=4096)
    if d_model != d_text:
        raise config.unknown("latent_dim", d_model, f"{d_text}, the width of the language model")
    heads, width = config.integer("num_cross_heads", default=8), config.integer("cross_dim_head", default=4096)
    n_latents = config.integer("num_latents_value", "num_latents", default=512)
    return (
        Tensors((vector("latents", n_latents, d_model),)),
        Norm("cross_attend.norm", d_model, bias=True),
        Norm("cross_attend.norm_context", d_hidden, bias=True),
        Projection("cross_attend.to_q", d_model, heads * width, bias=False),
        Projection("cross_attend.to_kv", d_hidden, 2 * heads * width, bias=False),
        Projection("cross_attend.to_out", heads * width, d_model, bias=False),
        Norm("feed.norm", d_model, bias=True),
        Projection("feed.0", d_model, 2 * 4 * d_model),
        Projection("feed.2", 4 * d_model, d_model),
    )
