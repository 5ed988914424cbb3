"""Decoders with routed experts and ordinary (grouped) attention."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Experts
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, stack
from sizebook.models.families.llama import uniform
from sizebook.models.huggingface import model_type


@model_type("mixtral")
def mixtral(config: Config) -> Architecture:
    """Mixtral: Mistral with experts in every layer."""
    d_model, window = config.integer("hidden_size"), config.integer("sliding_window", default=0) or None
    feed = Experts(
        d_model,
        config.integer("intermediate_size"),
        config.integer("num_local_experts", "num_experts"),
        config.integer("num_experts_per_tok"),
        name="block_sparse_moe",
    )
    return stack(config, uniform(config, block(d_model, attention(config, kv_required=True, window=window), feed)))
