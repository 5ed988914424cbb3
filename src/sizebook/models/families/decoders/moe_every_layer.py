"""Decoders with routed experts in (nearly) every layer and ordinary attention."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizebook.models.architecture import Architecture, Attention, Embedding, Experts, Head, Layer, Norm, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    BesideLayers,
    attention,
    block,
    prediction,
    stack,
    uniform,
    vector,
)
from sizebook.models.families.experts import correction, routed
from sizebook.models.huggingface import model_type


@model_type("minimax_m2")
def minimax_m2(config: Config) -> Architecture:
    """MiniMax M2: norms over all heads; the correction of the routing is stored, prediction layers stand apart."""
    config.ignore("qk_norm_type", "use_routing_bias", "attn_type_list", "shared_intermediate_size")
    config.only("use_qk_norm", True)
    config.only("qk_norm_type", "per_layer")
    if config.integer("shared_intermediate_size", default=0):
        raise config.unknown("shared_intermediate_size", config.values["shared_intermediate_size"], "0")
    feed = routed(config, "intermediate_size", name="block_sparse_moe")
    mixer = attention(config, qk_norm="all")
    layer = block(feed.d_model, mixer, feed)
    layers = uniform(config, layer)
    n_mtp = config.integer("num_mtp_modules", default=0) * config.integer("mtp_transformer_layers", default=1)
    used = config.flag("use_mtp", default=True)
    return stack(
        config,
        layers,
        BesideLayers(
            buffers=correction(feed.n_experts, ["sparse"] * len(layers)),
            mtp=prediction(feed.d_model, layer, n_mtp if used else 0),
        ),
    )


@dataclass(frozen=True, slots=True)
class ExpertAttention:
    """Attention in which a token visits ``top_k`` of the query and output projections (arXiv:2210.05144).

    Every visited expert attends on its own to the common keys and values.
    """

    d_model: int
    n_kv_heads: int
    d_head: int
    n_experts: int
    top_k: int
    window: int | None = None

    @property
    def n_heads(self) -> int:
        """Query heads that one token computes."""
        return self.n_kv_heads * self.top_k

    @property
    def cache_width(self) -> int:
        """Elements cached per token and layer."""
        return 2 * self.n_kv_heads * self.d_head

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair."""
        return 2 * self.n_heads * self.d_head

    @property
    def _bias(self) -> Weight:
        """The bias of the container of experts, which counts as visited in the proportion in which they are."""
        name, n = "self_attention.experts.bias", self.n_experts
        if self.d_model % n:
            return Weight(name, (self.d_model,), "bias", use="vector")
        return Weight(name, (self.d_model // n,), "bias", use="vector", copies=n, active=min(self.top_k, n))

    @property
    def weights(self) -> tuple[Weight, ...]:
        d_kv, name = self.n_kv_heads * self.d_head, "self_attention.experts"
        copies = self.n_experts, min(self.top_k, self.n_experts)
        return (
            Weight(f"{name}.*.input_linear.weight", (d_kv, self.d_model), "mlp", "matmul", *copies),
            Weight(f"{name}.*.output_linear.weight", (self.d_model, d_kv), "mlp", "matmul", *copies),
            Weight(f"{name}.router.layer.weight", (self.n_experts, self.d_model), "router"),
            self._bias,
            Weight("self_attention.kv_proj.weight", (2 * d_kv, self.d_model), "attention"),
        )


@model_type("jetmoe")
def jetmoe(config: Config) -> Architecture:
    """JetMoE: experts in attention too: each has its query and output projection, keys and values are common."""
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    kv_heads, d_head = config.integer("num_key_value_heads"), config.integer("kv_channels")
    feed = replace(routed(config, "intermediate_size"), name="mlp")
    config.ignore("num_attention_heads")
    layer = block(d_model, ExpertAttention(d_model, kv_heads, d_head, feed.n_experts, feed.top_k), feed)
    extra = Tensors((vector("mlp.bias", d_model, part="bias"),))
    return stack(config, (Layer((*layer.bricks, extra)),) * n_layers, BesideLayers(tied=True))


@model_type("dbrx")
def dbrx(config: Config) -> Architecture:
    """DBRX: layer norms without biases, experts in every layer, sizes of attention and experts in sections."""
    attend, experts = config.section("attn_config"), config.section("ffn_config")
    experts.ignore("hidden_size", "ffn_act_fn", "moe_normalize_expert_weights", "moe_loss_weight")
    config.ignore("num_key_value_heads")
    config.agree("d_model", "hidden_size")
    config.only("tie_word_embeddings", False)
    d_model, n_heads = config.integer("d_model"), config.integer("n_heads")
    kv_heads = attend.integer("kv_n_heads", default=1)
    width = config.divides("d_model", d_model, "n_heads", n_heads)
    config.divides("n_heads", n_heads, "kv_n_heads", kv_heads)
    d_ff, n_experts = experts.integer("ffn_hidden_size", default=3584), experts.integer("moe_num_experts", default=4)
    feed = Experts(d_model, d_ff, n_experts, top_k=experts.integer("moe_top_k", default=1), name="ffn")
    layer = block(d_model, Attention(d_model, n_heads, kv_heads, d_head=width), feed)
    vocab = config.integer("vocab_size")
    return Architecture(
        model_type="dbrx",
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("max_seq_len", default=0) or None,
        inputs=(Embedding("wte", vocab, d_model),),
        layers=(layer,) * config.integer("n_layers"),
        outputs=(Norm("norm_f", d_model),),
        head=Head(vocab, d_model, tied=False),
    )
