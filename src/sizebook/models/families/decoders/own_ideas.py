"""Dense decoders with one idea of their own: differential attention, learned masks, trained activations, cycles."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Layer, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, feed_forward, stack, vector
from sizebook.models.huggingface import model_type


@model_type("hrm_text")
def hierarchical(config: Config) -> Architecture:
    """Hierarchical reasoning: two short stacks run in cycles, so most layers compute with weights already counted."""
    config.ignore("L_bp_cycles", "prefix_lm", "embedding_scale")
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(config)
    config.only("num_key_value_heads", mixer.n_heads)  # its class has no groups
    mixer = replace(mixer, gate=mixer.n_heads * mixer.d_head)
    depth, high, low = (config.integer(k) for k in ("num_layers_per_stack", "H_cycles", "L_cycles"))
    config.ignore("num_hidden_layers")
    first = Layer((mixer, feed))
    again = Layer((mixer, feed), stored=False)
    cycle = (again,) * depth
    start = ((first,) * depth + cycle * (low - 1)) + (first,) * depth
    layers = start + (cycle * (low + 1)) * (high - 1)
    state = Tensors((vector("z_L_init", feed.d_model),))
    return stack(config, layers, BesideLayers(final_norm=False, inputs=(state,)))
