"""Speech before a language model: Voxtral Realtime, which listens while it writes, and Granite Speech's conformer."""

from sizebook.models.architecture import Architecture, Brick, Layer, Norm, Projection, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, feed_forward, linear, stack, uniform, vector
from sizebook.models.families.multimodal.joining import text_model, with_towers
from sizebook.models.families.multimodal.querying_transformers import querying
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type

REALTIME_WINDOW = 8192  # tokens, where the section does not say
DELAY_WIDTH = 32  # of the two projections by which a layer takes the delay into account


@model_type("voxtral_realtime")
def voxtral_realtime(config: Config) -> Architecture:
    """Voxtral Realtime: an encoder with windows that caches its keys, Ministral scaled by the delay asked for."""
    section, audio = config.section("text_config"), config.section("audio_config")
    section.only("model_type", "voxtral_realtime_text")
    section.values = {**section.values, "model_type": "voxtral_realtime_text"}
    section.ignore("tie_word_embeddings", "sliding_window")
    window = REALTIME_WINDOW
    if "sliding_window" in section.values:
        window = section.integer("sliding_window", default=0)
    feed, mixer = feed_forward(section), attention(section, d_head=128, window=window or None)
    d_model = feed.d_model
    delayed = (
        Projection("ada_rms_norm.linear1", d_model, DELAY_WIDTH, bias=False, pooled=True),
        Projection("ada_rms_norm.linear2", DELAY_WIDTH, d_model, bias=False, pooled=True),
    )
    first, second = Norm("input_layernorm", d_model), Norm("post_attention_layernorm", d_model)
    layer = Layer((first, mixer, second, *delayed, feed))
    text = stack(section, uniform(section, layer), BesideLayers(tied=True))
    joined = audio.integer("hidden_size") * config.integer("downsample_factor")
    projector = (
        linear("linear_1", joined, d_model, bias=False),
        linear("linear_2", d_model, d_model, bias=False),
    )
    return with_towers(config, text, tower("voxtral_realtime_encoder", audio, *projector), tied=True)


@model_type("granite_speech")
def granite_speech(config: Config) -> Architecture:
    """Granite Speech (arXiv:2505.08699): a conformer, a querying transformer over windows of it, Granite."""
    config.needs("text_config", "encoder_config", "projector_config")
    section = config.section("text_config")
    text = text_model(config, section.text("model_type", default="granite"), chosen=True)
    encoder, queries = config.section("encoder_config"), config.section("projector_config")
    queries.only("model_type", "blip_2_qformer")
    width, d_audio = queries.integer("hidden_size"), queries.integer("encoder_hidden_size")
    window, rate = config.integer("window_size"), config.integer("downsample_rate")
    reads = queries.flag("use_qformer_text_input", default=False)
    projector: tuple[Brick, ...] = (
        Tensors((vector("query", window // rate, width),)),
        *querying(queries, d_audio, reads=reads, embeds=False),
        linear("linear", width, text.d_model),
    )
    heard = tower("granite_speech_encoder", encoder, *projector)
    inner = encoder.integer("hidden_dim") * encoder.integer("conv_expansion_factor")
    # What the batch norms store of the batches they saw.
    seen = Weight("conv.batch_norm", (2 * inner + 1,), "other", use="vector", copies=heard.n_layers)
    return with_towers(config, text, heard, tied=True, buffers=(seen,))
