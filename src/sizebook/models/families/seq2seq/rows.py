"""Encoder-decoders and decoders that attend to an encoder: BART and its line, FSMT, ProphetNet, TrOCR, Whisper."""

from dataclasses import replace

from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import described, registered
from sizebook.models.huggingface import model_type

ROWS = registered(__name__, "seq2seq_types.toml")


@model_type("fsmt")
def fsmt(config: Config) -> Architecture:
    """FSMT: tied, both vocabularies must be one."""
    if config.flag("tie_word_embeddings", default=False):
        config.only("tgt_vocab_size", config.integer("src_vocab_size"))
    return described(ROWS["_fsmt"], config)


@model_type("whisper")
def whisper(config: Config) -> Architecture:
    """Whisper: an audio encoder, counted whole as ``tower``, and a decoder; causal, the decoder alone."""
    whole, heard = described(ROWS["_whisper"], config), tower("whisper", config)
    alone = (config.class_names() or [""])[0].endswith("ForCausalLM")
    return whole if alone else replace(whole, inputs=(*whole.inputs, heard))
