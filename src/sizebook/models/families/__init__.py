"""The mappings from config.json to `Architecture`, a module a topic.

`sizebook.models.huggingface` imports them one after the other until a model type is found, so the commonest come
first. A new module is added to this list.
"""

MODULES = (
    "decoders.llama",
    "decoders.qwen",
    "decoders.gemma",
    "decoders.gpt",
    "decoders.moe_every_layer",
    "decoders.moe_some_layers",
    "decoders.latent_attention",
    "decoders.sparse_attention",
    "decoders.linear_attention",
    "decoders.norm_placement",
    "decoders.parallel_blocks",
    "decoders.mamba_hybrids",
    "decoders.short_convolutions",
    "decoders.attention_free",
    "decoders.convolved_attention",
    "decoders.own_ideas",
    "decoders.byte_latent",
    "from_papers",
    "multimodal.audio",
    "multimodal.clip",
    "multimodal.omni",
    "multimodal.own_vision",
    "multimodal.ready_made_vision",
    "encoders.additions",
    "encoders.bert",
    "encoders.cheaper_attention",
    "encoders.narrow_embeddings",
    "encoders.relative_positions",
    "encoders.rotary_positions",
    "encoders.xlm",
    "seq2seq.bart",
    "seq2seq.t5",
    "seq2seq.t5gemma",
    "seq2seq.whisper",
)
