"""Pages and screens of any shape: Pix2Struct, whose patches say their row and column, before T5's decoder."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Head
from sizebook.models.config import Config
from sizebook.models.families.seq2seq.rows import ROWS
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import described
from sizebook.models.huggingface import model_type


@model_type("pix2struct")
def pix2struct(config: Config) -> Architecture:
    """Pix2Struct (arXiv:2210.03347), MatCha and DePlot: the decoder's attention is as wide as the model."""
    config.built_as("Pix2StructForConditionalGeneration")
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "pix2struct_text_model")
    vision.only("model_type", "pix2struct_vision_model")
    d_model, n_heads, width = text.integer("hidden_size"), text.integer("num_heads"), text.integer("d_kv")
    if n_heads * width != d_model:
        raise text.unknown("d_kv", width, f"{d_model} divided by {n_heads} heads, as the class of this type multiplies")
    vision.ignore("relative_attention_num_buckets", "relative_attention_max_distance")
    said = described(ROWS["_pix2struct"], text)
    head = Head(said.vocab, said.d_model, tied=config.flag("tie_word_embeddings", default=False))
    return replace(said, model_type="pix2struct", inputs=(*said.inputs, tower("pix2struct", vision)), head=head)
