"""Decoders with one idea of their own: cycles of stacks, halved blocks, a dense prefix, experts that vary by layer."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Experts
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, feed_forward, layers_of, stack
from sizebook.models.huggingface import describe, model_type


@model_type("hunyuan_v1_moe")
def hunyuan_moe(config: Config) -> Architecture:
    """Hunyuan A13B: experts as wide as the dense block and a shared one; how many run may vary from layer to layer."""
    for key in ("use_cla", "use_mla"):  # transformers builds neither shared nor latent keys for this type
        config.only(key, False)
    config.only("use_rotary_pos_emb", True)
    mixer = attention(config, biased=True, qk_norm="head")
    feed = feed_forward(config)
    n_layers, n_experts = config.integer("num_hidden_layers"), config.integer("num_experts", "num_local_experts")
    experts = Experts(feed.d_model, feed.d_ff, n_experts, top_k=1, d_ff_shared=feed.d_ff)
    if isinstance(config.values.get("moe_topk"), list):
        config.integers("moe_topk")
        visited = config.per_layer("moe_topk", n_layers)
    else:
        visited = [config.integer("moe_topk", "num_experts_per_tok")] * n_layers
    layers = layers_of(visited, lambda top_k: block(feed.d_model, mixer, replace(experts, top_k=top_k)))
    return stack(config, layers)


@model_type("ministral3")
def ministral3(config: Config) -> Architecture:
    """Ministral 3: Mistral's block; a file of the model with vision gives the same type with sections.

    Only the class of the whole reads these: the text model's own builds its defaults from such a file.
    """
    kind = "mistral3" if config.has("text_config") else "mistral"
    named = config.class_names()
    if kind == "mistral3" and named and not named[0].startswith("Mistral3"):
        raise config.unknown("architectures", named, "Mistral3ForConditionalGeneration first beside 'text_config'")
    inner = config.read_as({"head_dim": 128, **config.values, "model_type": kind})
    described = describe(inner)
    config.read |= inner.read
    config.sections |= inner.sections
    return replace(described, model_type="ministral3")
