"""Decoders with latent attention: DeepSeek V2 and V3, Kimi K2, MiniCPM 3, LongCat and the models built like them."""

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Layer, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, block, feed_forward, matrix, stack, uniform, vector
from sizebook.models.huggingface import model_type
from sizebook.models.latent import LatentAttention


def latent(config: Config, **more: object) -> LatentAttention:
    """Return latent attention from the usual keys."""
    bias = config.flag("attention_bias", default=False)
    config.ignore("qk_head_dim", "head_dim", "num_key_value_heads")
    # Null says that queries are not low-rank; left out, most types take a rank of their own.
    direct = "q_lora_rank" in config.values or config.text("model_type") in ("kimi_linear", "bailing_hybrid")
    brick = LatentAttention(
        d_model=config.integer("hidden_size"),
        n_heads=config.integer("num_attention_heads"),
        q_rank=config.size("q_lora_rank") if direct else config.integer("q_lora_rank"),
        kv_rank=config.integer("kv_lora_rank"),
        d_nope=config.integer("qk_nope_head_dim"),
        d_rope=config.integer("qk_rope_head_dim"),
        d_head_v=config.integer("v_head_dim"),
        bias=bias,
        out_bias=bias,
    )
    return replace(brick, **more) if more else brick  # type: ignore[arg-type]


@model_type("minicpm3")
def minicpm3(config: Config) -> Architecture:
    """MiniCPM 3: latent attention in a dense model, embedding and head tied."""
    mixer = latent(config) if config.has("v_head_dim") else _head_of_model(config)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)), BesideLayers(tied=True))


def _head_of_model(config: Config) -> LatentAttention:
    """Return latent attention whose value heads are as wide as the model divided by its heads."""
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    config.values = {**config.values, "v_head_dim": width}
    return latent(config)


@model_type("longcat_flash")
def longcat(config: Config) -> Architecture:
    """LongCat: two attention and two dense blocks a layer, one of experts beside them; some experts are the identity.

    transformers allocates the experts' first matrix for the identity experts too; the published weights do not hold
    those and they are not counted. The note says how much the other engine counts more.
    """
    config.only("attention_method", "MLA")
    config.only("zero_expert_type", "identity")
    mixer = latent(config)
    if config.integer("qk_head_dim", default=mixer.d_head) != mixer.d_head:
        raise config.unknown("qk_head_dim", config.values["qk_head_dim"], f"{mixer.d_head}, the sum of its two parts")
    d_model, dense = mixer.d_model, feed_forward(config, key="ffn_hidden_size")
    n_experts, d_ff = config.integer("n_routed_experts"), config.integer("expert_ffn_hidden_size")
    zero, top_k = config.integer("zero_expert_num"), config.integer("moe_topk")
    router_bias = config.flag("router_bias", default=False)
    gate_up = matrix("mlp.experts.*.gate_up_proj", 2 * d_ff, d_model, part="mlp", copies=n_experts)
    down = matrix("mlp.experts.*.down_proj", d_model, d_ff, part="mlp", copies=n_experts)
    gate_up, down = (weight._replace(active=top_k) for weight in (gate_up, down))
    router = [matrix("mlp.router.classifier.weight", n_experts + zero, d_model, part="router")]
    if router_bias:
        router.append(vector("mlp.router.classifier.bias", n_experts + zero, part="bias"))
    half = block(d_model, mixer, dense).bricks
    layer = Layer((*half, *half, Tensors((gate_up, down, *router))))
    n_layers = config.integer("num_layers")
    stored = (vector("mlp.router.e_score_correction_bias", n_experts + zero, part="router"),) * n_layers
    spare = n_layers * zero * gate_up.size
    note = remark("transformers allocates {n} more, for experts without weights", n=spare)
    return stack(config, (layer,) * n_layers, BesideLayers(buffers=stored, notes=(note,) if spare else ()))
