"""Decoders with routed experts in (nearly) every layer and ordinary attention."""

from dataclasses import dataclass, replace

from sizebook.models.architecture import Architecture, Experts, Layer, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, block, feed_forward, layers_of, stack, vector
from sizebook.models.families.experts import routed
from sizebook.models.huggingface import model_type


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
    layer = block(d_model, ExpertAttention(d_model, kv_heads, d_head, feed.n_experts, feed.top_k), feed)
    extra = Tensors((vector("mlp.bias", d_model, part="bias"),))
    return stack(config, (Layer((*layer.bricks, extra)),) * n_layers, BesideLayers(tied=True))


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
