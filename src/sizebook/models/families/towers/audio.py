"""Audio encoders, each built from the keys of an ``audio_config``: Whisper's, and conformers."""

from __future__ import annotations

from sizebook.models.architecture import Attention, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.towers import Tower


def listening_layer(d_model: int, n_heads: int, d_ff: int, *, key_bias: bool) -> tuple[Brick, ...]:
    """Return a layer of Whisper's encoder (arXiv:2212.04356), whose keys have no bias."""
    attend = Attention(
        d_model,
        n_heads,
        n_heads,
        d_head=d_model // n_heads,
        qkv_bias=True,
        out_bias=True,
        key_bias=key_bias,
        bidirectional=True,
    )
    feed = FeedForward(d_model, d_ff, gated=False, bias=True)
    return Norm("self_attn_layer_norm", d_model, bias=True), attend, Norm("final_layer_norm", d_model, bias=True), feed


def whisper_encoder(config: Config, projector: tuple[Brick, ...], *, positions: bool = True) -> Tower:
    """Whisper's encoder: two convolutions over three frames each, positions of every frame, one last norm."""
    for own, common in (("d_model", "hidden_size"), ("encoder_layers", "num_hidden_layers")):
        config.agree(own, common)
    d_model = config.integer("d_model", "hidden_size")
    n_heads = config.integer("encoder_attention_heads", "num_attention_heads")
    d_ff = config.integer("encoder_ffn_dim", "intermediate_size")
    config.ignore("num_key_value_heads", "head_dim", "vocab_size", "n_window", "num_hidden_layers", "decoder_layers")
    config.divides("d_model", d_model, "encoder_attention_heads", n_heads)
    stem: list[Brick] = [
        linear("conv1", 3 * config.integer("num_mel_bins"), d_model),
        linear("conv2", 3 * d_model, d_model),
    ]
    frames = config.integer("max_source_positions", default=1500)
    if positions:
        stem.append(Embedding("embed_positions", frames, d_model))
    layer = listening_layer(d_model, n_heads, d_ff, key_bias=False)
    n_layers = config.integer("encoder_layers", "num_hidden_layers")
    last = Norm("layer_norm", d_model, bias=True)
    return Tower("audio", d_model, n_layers, stem=tuple(stem), layer=layer, projector=(last, *projector))


def gemma4_audio(config: Config, d_text: int) -> Tower:
    """Gemma 4's audio encoder: a conformer (arXiv:2005.08100) with two feed-forward blocks a layer."""
    config.ignore("attention_context_left", "attention_context_right", "attention_chunk_size", "residual_weight")
    config.ignore("attention_invalid_logits_value", "attention_logit_cap", "gradient_clipping", "use_clipped_linears")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    channels = config.integers("subsampling_conv_channels")
    if len(channels) != 2:
        raise config.unknown("subsampling_conv_channels", channels, "two numbers: the tower has two such convolutions")
    first, second = channels
    d_out = config.integer("output_proj_dims")
    stem: tuple[Brick, ...] = (
        linear("layer0.conv", 9, first, bias=False),
        Norm("layer0.norm", first),
        linear("layer1.conv", 9 * first, second, bias=False),
        Norm("layer1.norm", second),
        # As many mel bins as channels, which transformers takes for granted, halved twice.
        linear("input_proj_linear", first // 4 * second, d_model, bias=False),
    )
    layer = _gemma_conformer(d_model, n_heads, config.integer("conv_kernel_size"))
    projector = linear("output_proj", d_model, d_out), linear("embed_audio", d_out, d_text, bias=False)
    return Tower("audio", d_model, config.integer("num_hidden_layers"), stem=stem, layer=layer, projector=projector)


def _gemma_conformer(d_model: int, n_heads: int, kernel: int) -> tuple[Brick, ...]:
    """Return a layer of Gemma's conformer: half blocks around attention over relative positions and a convolution."""
    width = d_model // n_heads
    blocks = [FeedForward(d_model, 4 * d_model, gated=False, name=f"feed_forward{i}") for i in (1, 2)]
    attend = Attention(d_model, n_heads, n_heads, d_head=width, bidirectional=True)
    rest = [
        linear("relative_k_proj", d_model, d_model, bias=False),
        linear("lconv1d.start", d_model, 2 * d_model, bias=False),
    ]
    rest.append(linear("lconv1d.end", d_model, d_model, bias=False))
    own = Tensors((vector("per_dim_scale", width), vector("lconv1d.depthwise", d_model, 1, kernel)))
    norms = tuple(Norm(f"norm{i}", d_model) for i in range(9))
    return (*blocks, attend, *rest, own, *norms)


def gemma3n_audio(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """Gemma 3n's audio encoder: two convolutions over time and frequency, then the conformer of Gemma 4."""
    for key in ("attention_chunk_size", "attention_context_left", "attention_context_right", "reduction_factor"):
        config.ignore(f"conf_{key}")
    config.ignore("conf_residual_weight", "conf_attention_logit_cap", "gradient_clipping", "vocab_offset", "vocab_size")
    d_model, n_heads = config.integer("hidden_size"), config.integer("conf_num_attention_heads")
    config.divides("hidden_size", d_model, "conf_num_attention_heads", n_heads)
    channels = config.integers("sscp_conv_channel_size")
    kernels, strides = (_pairs(config, f"sscp_conv_{key}_size", usual) for key, usual in (("kernel", 3), ("stride", 2)))
    if len(channels) != 2:
        raise config.unknown("sscp_conv_channel_size", channels, "two numbers: the tower has two such convolutions")
    stem: list[Brick] = []
    d_in, bins = 1, config.integer("input_feat_size")
    for i, d_out in enumerate(channels):
        stem += [linear(f"conv_{i}", d_in * kernels[i][0] * kernels[i][1], d_out, bias=False), Norm(f"norm_{i}", d_out)]
        d_in, bins = d_out, (bins + 2 - kernels[i][1]) // strides[i][1] + 1
    stem.append(linear("input_proj_linear", d_in * bins, d_model, bias=False))
    layer = _gemma_conformer(d_model, n_heads, config.integer("conf_conv_kernel_size"))
    n_layers = config.integer("conf_num_hidden_layers")
    return Tower("audio", d_model, n_layers, stem=tuple(stem), layer=layer, projector=projector)


def _pairs(config: Config, key: str, usual: int) -> list[list[int]]:
    """Return height and width of both convolutions' kernels or strides."""
    pairs = config.entries(key, list, "pairs") or [[usual, usual]] * 2
    whole = [n for pair in pairs if isinstance(pair, list) for n in pair if isinstance(n, int) and n > 0]
    if len(pairs) != 2 or len(whole) != 4 or any(len(pair) != 2 for pair in pairs):
        raise config.unknown(key, pairs, "two pairs of whole numbers of 1 or more")
    return pairs


def phi4_audio(config: Config, d_text: int) -> Tower:
    """Phi 4's audio encoder: convolutions that halve the frames, a conformer, two projectors."""
    config.ignore("chunk_size", "left_chunk", "feature_layer", "conv_glu_type")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads", default=16)
    d_head = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    d_ff, kernel = config.integer("intermediate_size"), config.integer("kernel_size")
    attend = Attention(d_model, n_heads, n_heads, d_head=d_head, qkv_bias=True, out_bias=True, bidirectional=True)
    feeds = [FeedForward(d_model, d_ff, gated=True, bias=True, name=f"feed_forward_{place}") for place in ("in", "out")]
    layer: tuple[Brick, ...] = (
        *feeds,
        attend,
        *_phi4_convolutions(config, d_model, kernel),
        *(Norm(f"norm{i}", d_model, bias=True) for i in range(5)),
    )
    d_in = d_model * config.integer("downsample_rate")
    projector = [
        linear(f"{way}_{what}", width, d_text)
        for what in ("speech", "vision_speech")
        for way, width in (("up", d_in), ("down", d_text))
    ]
    return Tower(
        "audio",
        d_model,
        config.integer("num_blocks"),
        stem=_phi4_stem(config, d_model, n_heads),
        layer=layer,
        projector=tuple(projector),
    )


def _phi4_stem(config: Config, d_model: int, n_heads: int) -> tuple[Brick, ...]:
    """Return the convolutions that each halve the frames, and the biases of relative positions."""
    channels = config.integer("nemo_conv_channels")
    halvings = config.integer("time_reduction").bit_length() - 1
    bins = config.integer("input_size")
    for _ in range(halvings):
        bins = (bins + 1) // 2
    stem: list[Brick] = [linear("conv0", 9, channels)]
    for _ in range(halvings - 1):
        stem += [linear("conv_depthwise", 9, channels), linear("conv_pointwise", channels, channels)]
    stem.append(linear("out", channels * config.integer("nemo_final_size", default=bins), d_model))
    directions = 1 if config.flag("bias_symmetric", default=False) else 2
    distance = config.integer("bias_max_distance")
    stem.append(Embedding("relative_attention_bias_layer", directions * distance, n_heads))
    return tuple(stem)


def _phi4_convolutions(config: Config, d_model: int, kernel: int) -> tuple[Brick, ...]:
    """Return the convolutions of one layer of Phi 4's conformer."""
    d_gated = config.integer("ext_pw_out_channel")
    d_deep = d_model * config.integer("depthwise_multiplier")
    d_out = config.integer("depthwise_separable_out_channel")
    return (
        linear("glu.ext_pw_conv_1d", d_model, 2 * d_gated),
        Tensors((vector("glu.b1", d_gated), vector("glu.b2", d_gated))),
        linear("dw_conv", kernel, d_deep),
        linear("pw_conv", d_deep, d_out),
        linear("ext_pw_conv_1d", d_model, d_gated),
    )
