"""From a Hugging Face config.json to an `Architecture`: one short mapping a model type."""

from __future__ import annotations

from collections.abc import Callable

from sizebook.errors import UnknownKeyError, suggestion
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
)
from sizebook.models.config import Config

Mapping = Callable[[Config], Architecture]
_MAPPINGS: dict[str, Mapping] = {}


def model_type(*names: str) -> Callable[[Mapping], Mapping]:
    """Register a mapping under the model types that it reads."""

    def register(mapping: Mapping) -> Mapping:
        _MAPPINGS.update(dict.fromkeys(names, mapping))
        return mapping

    return register


def architecture(config: Config) -> Architecture:
    """Return the architecture that a config.json describes, or refuse it by naming the type or key."""
    import sizebook.models.families  # noqa: F401  # registers its mappings, which are imported when first needed

    name = config.text("model_type")
    mapping = _MAPPINGS.get(name)
    if mapping is None:
        raise UnknownKeyError(
            f"unknown model type: got '{name}' in {config.where}, want one of {', '.join(sorted(_MAPPINGS))}."
            f"{suggestion(name, _MAPPINGS)}"
        )
    return mapping(config)


def _llama_block(config: Config, *, qkv_bias: bool, out_bias: bool, mlp_bias: bool = False) -> Architecture:
    d_model = config.integer("hidden_size")
    n_heads = config.integer("num_attention_heads")
    n_kv_heads = config.integer("num_key_value_heads", default=n_heads)
    d_head = config.integer("head_dim", default=0) or config.divides(
        "hidden_size", d_model, "num_attention_heads", n_heads
    )
    config.divides("num_attention_heads", n_heads, "num_key_value_heads", n_kv_heads)
    d_ff = config.integer("intermediate_size")
    attention = Attention(d_model, n_heads, n_kv_heads, d_head, qkv_bias=qkv_bias, out_bias=out_bias)
    n_experts = config.integer("num_local_experts", default=0)
    block: Brick = FeedForward(d_model, d_ff, gated=True, bias=mlp_bias)
    if n_experts:
        block = Experts(d_model, d_ff, n_experts, config.integer("num_experts_per_tok"), name="block_sparse_moe")
    norms = Norm("input_layernorm", d_model), Norm("post_attention_layernorm", d_model)
    layer = Layer((norms[0], attention, norms[1], block))
    vocab = config.integer("vocab_size")
    return Architecture(
        model_type=config.text("model_type"),
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("max_position_embeddings", default=0) or None,
        inputs=(Embedding("embed_tokens", vocab, d_model),),
        layers=(layer,) * config.integer("num_hidden_layers"),
        outputs=(Norm("norm", d_model),),
        head=Head(vocab, d_model, tied=config.flag("tie_word_embeddings", default=False)),
    )


@model_type("llama")
def llama(config: Config) -> Architecture:
    bias = config.flag("attention_bias", default=False)
    return _llama_block(config, qkv_bias=bias, out_bias=bias, mlp_bias=config.flag("mlp_bias", default=False))


@model_type("mistral", "mixtral")
def mistral(config: Config) -> Architecture:
    return _llama_block(config, qkv_bias=False, out_bias=False)


@model_type("qwen2")
def qwen2(config: Config) -> Architecture:
    return _llama_block(config, qkv_bias=True, out_bias=False)


@model_type("gpt2")
def gpt2(config: Config) -> Architecture:
    d_model = config.integer("n_embd", "hidden_size")
    n_heads = config.integer("n_head", "num_attention_heads")
    vocab, n_ctx = config.integer("vocab_size"), config.integer("n_positions", "max_position_embeddings")
    d_head = config.divides("n_embd", d_model, "n_head", n_heads)
    d_ff = config.integer("n_inner", default=0) or 4 * d_model
    layer = Layer(
        (
            Norm("ln_1", d_model, bias=True),
            Attention(d_model, n_heads, n_heads, d_head, qkv_bias=True, out_bias=True, name="attn"),
            Norm("ln_2", d_model, bias=True),
            FeedForward(d_model, d_ff, gated=False, bias=True),
        )
    )
    return Architecture(
        model_type="gpt2",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=(Embedding("wte", vocab, d_model), Embedding("wpe", n_ctx, d_model)),
        layers=(layer,) * config.integer("n_layer", "num_hidden_layers"),
        outputs=(Norm("ln_f", d_model, bias=True),),
        head=Head(vocab, d_model, tied=config.flag("tie_word_embeddings", default=True)),
    )
