"""Decoders that alternate Mamba with attention: Jamba, Bamba, Falcon-H1, Granite 4, Nemotron-H, Zamba."""

import math

from sizebook.models.architecture import Architecture, Attention, Brick, FeedForward, Layer, Norm, Projection, Tensors
from sizebook.models.config import MISSING, Config
from sizebook.models.families.blocks import BesideLayers, layers_of, matrix, n_kv_heads, prediction, stack
from sizebook.models.families.experts import correction, routed
from sizebook.models.huggingface import model_type
from sizebook.models.mixers import Mamba1, Mamba2
from sizebook.models.refusals import spellings_disagree


def mamba1_mixer(config: Config) -> Mamba1:
    """Return Mamba 1, whose time steps have a rank of a sixteenth of the width where the file says ``auto``."""
    d_model, automatic = config.integer("hidden_size"), config.values.get("mamba_dt_rank") == "auto"
    config.ignore("mamba_dt_rank")
    return Mamba1(
        d_model,
        config.integer("mamba_expand") * d_model,
        config.integer("mamba_d_state"),
        d_conv=config.integer("mamba_d_conv"),
        dt_rank=math.ceil(d_model / 16) if automatic else config.integer("mamba_dt_rank"),
        conv_bias=config.flag("mamba_conv_bias", default=True),
        proj_bias=config.flag("mamba_proj_bias", default=False),
        name="mamba",
    )


@model_type("nemotron_h")
def nemotron_h(config: Config) -> Architecture:
    """Nemotron-H: each layer is one block: Mamba 2 (M), attention (*), plain (-) or experts (E)."""
    pattern, d_model = _nemotron_pattern(config), config.integer("hidden_size")
    n_layers = config.integer("num_hidden_layers", default=len(pattern))
    if len(pattern) != n_layers:
        raise config.unknown("hybrid_override_pattern", pattern, f"{n_layers} letters, one a layer")

    def layer(kind: str) -> Layer:
        return Layer((Norm("norm", d_model), _nemotron_block(config, kind)))

    layers = layers_of(pattern, layer)
    n_experts = config.integer("n_routed_experts", default=0) if "E" in pattern else 0
    n_mtp = config.integer("num_nextn_predict_layers", default=0)
    later = config.text("mtp_hybrid_override_pattern", default="*E") if n_mtp else ""
    inner = Layer(tuple(brick for kind in later for brick in layer(kind).bricks))
    return stack(
        config,
        layers,
        BesideLayers(
            ties=False,
            final=Norm("norm_f", d_model),
            buffers=correction(n_experts, ["sparse"] * pattern.count("E")) if n_experts else (),
            mtp=prediction(d_model, inner, n_mtp) if n_mtp else (),
        ),
    )


def _nemotron_pattern(config: Config) -> str:
    letters = {"linear_attention": "M", "mamba": "M", "full_attention": "*", "attention": "*", "moe": "E", "mlp": "-"}
    words = config.entries("layers_block_type", str, "words")
    pattern = spelt = "".join(letters.get(word, "?") for word in words)
    if config.has("hybrid_override_pattern"):
        pattern = config.text("hybrid_override_pattern")
        if config.has("layers_block_type") and spelt != pattern:
            raise spellings_disagree(
                ("hybrid_override_pattern", pattern), config.as_written("layers_block_type"), config.where
            )
    if set(pattern) - set("M*E-"):
        raise config.unknown("hybrid_override_pattern", pattern, "letters M, *, E and -")
    return pattern


def _nemotron_block(config: Config, kind: str) -> Brick:
    d_model, bias = config.integer("hidden_size"), config.flag("mlp_bias", default=False)
    if kind == "M":
        return Mamba2(
            d_model,
            config.integer("mamba_num_heads"),
            config.integer("mamba_head_dim"),
            n_groups=config.integer("n_groups", "mamba_n_groups"),
            d_state=config.integer("ssm_state_size"),
            d_conv=config.integer("conv_kernel", "mamba_d_conv"),
            conv_bias=config.flag("use_conv_bias", "mamba_conv_bias", default=True),
            proj_bias=config.flag("use_bias", default=False),
        )
    if kind == "*":
        if config.flag("attention_bias", default=False):
            raise config.unknown("attention_bias", True, "false: the type's attention has no biases")
        n_heads, width = config.integer("num_attention_heads"), config.integer("head_dim", "attention_head_dim")
        return Attention(d_model, n_heads, n_kv_heads(config, n_heads), d_head=width)
    if kind == "-":
        return FeedForward(d_model, config.integer("intermediate_size"), gated=False, bias=bias, name="mixer")
    if bias:
        raise config.unknown("mlp_bias", True, "false: biases of the experts are not described")
    shared = config.integer("moe_shared_expert_intermediate_size")
    if shared == 0:
        raise config.unknown(
            "moe_shared_expert_intermediate_size", 0, "1 or more: every layer of experts has a shared one"
        )
    latent_width = config.size("moe_latent_size")
    return routed(config, d_ff_shared=shared, gated=False, d_latent=latent_width, name="mixer")


KINDS = ("linear_attention", "mamba", "hybrid")


def shared_block(config: Config) -> tuple[Brick, ...]:
    """Return the transformer block; its attention reads the stream and the embedding side by side."""
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    wide = config.integer("attention_hidden_size", default=2 * d_model)
    width = config.integer("attention_head_dim", default=2 * d_model // n_heads)
    first = config.text("model_type") == "zamba"  # its class has defaults of its own, the second generation none
    kv_heads = config.integer("num_key_value_heads", default=MISSING if first else n_heads)
    if wide != 2 * d_model or n_heads * width != wide:
        raise config.unknown("attention_hidden_size", wide, f"{2 * d_model}: twice the hidden size, split over heads")
    attend = Attention(wide, n_heads, kv_heads, d_head=width, d_out=d_model)
    feed = FeedForward(
        d_model, config.integer("intermediate_size", default=MISSING if first else 4 * d_model), gated=True
    )
    return Norm("shared_transf.input_layernorm", wide), attend, Norm("shared_transf.pre_ff_layernorm", d_model), feed


def hybrid_stack(
    config: Config, mixer: Mamba1 | Mamba2, kinds: list[str], adapters: tuple[Brick, ...] = ()
) -> Architecture:
    """Return the stack: shared blocks take turns, every hybrid layer has its own projection, adapters and mixer."""
    config.only("tie_word_embeddings", True)
    d_model, n_blocks = config.integer("hidden_size"), config.integer("num_mem_blocks", default=1)
    block, norm = shared_block(config), Norm("input_layernorm", d_model)
    plain = Layer((norm, mixer))
    joined = Layer((Projection("linear", d_model, d_model, bias=False), norm, mixer, *adapters))
    stored, again = [Layer(block) for _ in range(n_blocks)], Layer(block, stored=False)
    layers: list[Layer] = []
    seen = 0
    for kind in kinds:
        if kind == "hybrid":
            layers.append(stored[seen] if seen < n_blocks else again)
            seen += 1
        layers.append(joined if kind == "hybrid" else plain)
    return stack(config, tuple(layers), BesideLayers(tied=True))


@model_type("zamba")
def zamba(config: Config) -> Architecture:
    """Zamba: Mamba 1 with two heads and one shared block."""
    config.only("num_mem_blocks", 1)
    n_layers = config.integer("num_hidden_layers")
    period, offset = config.integer("attn_layer_period", default=6), config.integer("attn_layer_offset", default=4)
    default = ["mamba", "mamba", "hybrid"] + [
        "hybrid" if i % period == offset else "mamba" for i in range(n_layers - 3)
    ]
    mixer = mamba1_mixer(config)
    config.divides("mamba_expand * hidden_size", mixer.d_inner, "n_mamba_heads", config.integer("n_mamba_heads"))
    return hybrid_stack(config, mixer, config.pattern("layers_block_type", n_layers, KINDS, default))


@model_type("zamba2")
def zamba2(config: Config) -> Architecture:
    """Zamba 2: Mamba 2, shared blocks that take turns, low-rank adapters of their matrices in each place.

    Adapters of queries, keys and values are those of the 1.2B (arXiv:2411.15242).
    """
    config.only("use_conv_bias", True)
    config.only("add_bias_linear", False)
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    heads, rank = config.integer("n_mamba_heads"), config.integer("adapter_rank")
    inner = int(config.number("mamba_expand", default=2) * d_model)
    mixer = Mamba2(
        d_model,
        heads,
        config.divides("mamba_expand * hidden_size", inner, "n_mamba_heads", heads),
        n_groups=config.integer("mamba_ngroups"),
        d_state=config.integer("mamba_d_state"),
        d_conv=config.integer("mamba_d_conv"),
        name="mamba",
    )
    d_ff = config.integer("intermediate_size", default=4 * d_model)
    name = "gate_up_proj_adapter_list"
    low_rank = [
        matrix(f"{name}.0.weight", rank, d_model, part="mlp"),
        matrix(f"{name}.1.weight", 2 * d_ff, rank, part="mlp"),
    ]
    for which in "qkv" if config.flag("use_shared_attention_adapter", default=False) else "":
        name, width = f"linear_{which}_adapter_list", 2 * d_model  # of attention; `hybrid_stack` refuses another
        low_rank += [matrix(f"{name}.0.weight", rank, width, part="attention")]
        low_rank += [matrix(f"{name}.1.weight", width, rank, part="attention")]
    adapters = Tensors(tuple(low_rank))
    kinds = config.pattern("layers_block_type", n_layers, KINDS)
    shared = [i for i, kind in enumerate(kinds) if kind == "hybrid"]
    # Its class builds adapters by their number in every shared block; without such a block there is none to build.
    if shared and config.integers("hybrid_layer_ids", default=shared) != shared:
        raise config.unknown("hybrid_layer_ids", config.values["hybrid_layer_ids"], f"{shared}, the hybrid layers")
    return hybrid_stack(config, mixer, kinds, (adapters,))
