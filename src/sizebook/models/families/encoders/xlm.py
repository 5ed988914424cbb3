"""XLM, FlauBERT and CTRL: positions learned or sinusoidal, a table of languages, heads without a transform."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Brick, Embedding, Norm
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.encoders.stack import Body, Sizes, WordHead, bert_layer, encoder
from sizebook.models.huggingface import model_type

PLAIN_HEAD = WordHead(transform=False, twin_bias=False)
# What the files of XLM and FlauBERT say of their training, their tokens and their languages.
XLM_TRAINING = (
    *("gelu_activation", "sinusoidal_embeddings", "pre_norm", "max_vocab", "min_count", "start_n_top", "end_n_top"),
    *("lang_id", "lang2id", "id2lang", "langs", "unk_index", "mask_index", "bos_index", "eos_index", "pad_index"),
    *("share_inout_emb", "same_enc_dec", "encoder_only", "amp", "bptt", "clip_grad_norm", "group_by_size", "mlm_steps"),
    *("lg_sampling_factor", "max_batch_size", "tokens_per_batch", "word_blank", "word_keep", "word_mask", "lgs"),
)


@model_type("xlm", "flaubert")
def xlm(config: Config) -> Architecture:
    """BERT without token types, with a table of languages where there are several."""
    heads = {
        "Model": "",
        "WithLMHeadModel": "words",
        "ForTokenClassification": "labels",
        "ForQuestionAnsweringSimple": "labels",
        "ForSequenceClassification": "labels",
        "ForMultipleChoice": "labels choice",
    }
    words = kind_of_class(config, "XLM" if config.text("model_type") == "xlm" else "Flaubert", heads)
    if config.class_names()[0].endswith(("ForSequenceClassification", "ForMultipleChoice")):
        config.only("summary_use_proj", True)
        config.only("summary_proj_to_labels", True)
    config.only("asm", False)
    config.only("is_encoder", True)
    config.ignore(*XLM_TRAINING)
    d_model, n_heads = config.integer("emb_dim"), config.integer("n_heads")
    config.divides("emb_dim", d_model, "n_heads", n_heads)
    vocab, n_ctx = config.integer("vocab_size", "n_words"), config.integer("max_position_embeddings")
    causal = config.flag("causal", default=False)
    size = Sizes(
        d_model,
        d_model,
        config.integer("n_layers"),
        n_heads=n_heads,
        d_ff=4 * d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        causal=causal,
    )
    inputs: list[Brick] = [
        Embedding("embeddings", vocab, d_model),
        Embedding("position_embeddings", n_ctx, d_model),
        Norm("layer_norm_emb", d_model, bias=True),
    ]
    n_languages = config.integer("n_langs")
    if n_languages > 1 and config.flag("use_lang_emb", default=True):
        inputs.append(Embedding("lang_embeddings", n_languages, d_model))
    config.ignore("use_lang_emb")
    return encoder(config, size, Body(inputs, (bert_layer(size),) * size.n_layers), words=words, head=PLAIN_HEAD)


@model_type("ctrl")
def ctrl(config: Config) -> Architecture:
    """A decoder with sinusoidal positions and biases everywhere."""
    words = kind_of_class(config, "CTRL", {"Model": "", "LMHeadModel": "words", "ForSequenceClassification": "score"})
    d_model, n_heads = config.integer("n_embd"), config.integer("n_head")
    config.divides("n_embd", d_model, "n_head", n_heads)
    d_ff, vocab, n_ctx = config.integer("dff"), config.integer("vocab_size"), config.integer("n_positions")
    size = Sizes(
        d_model, d_model, config.integer("n_layer"), n_heads=n_heads, d_ff=d_ff, vocab=vocab, n_ctx=n_ctx, causal=True
    )
    inputs: list[Brick] = [Embedding("w", vocab, d_model)]
    outputs: list[Brick] = [Norm("layernorm", d_model, bias=True)]
    return encoder(
        config, size, Body(inputs, (bert_layer(size),) * size.n_layers, outputs), words=words, head=PLAIN_HEAD
    )
