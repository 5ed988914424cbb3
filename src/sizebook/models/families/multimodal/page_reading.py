"""Small models that read pages: PaddleOCR-VL, whose file is flat, and HunyuanOCR."""

from dataclasses import replace
from functools import partial

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Head, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.decoders.rows import language_model_of
from sizebook.models.families.multimodal.joining import flat, with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("paddleocr_vl")
def paddleocr_vl(config: Config) -> Architecture:
    """PaddleOCR-VL (arXiv:2510.14528): SigLIP whose position table is resampled, ERNIE 4.5's language model."""
    language_model = partial(language_model_of, "paddleocr_vl_text")
    if config.has("text_config"):
        text = language_model(config.section("text_config"))
        return with_towers(config, text, _vit(config, text.d_model), tied=True, ties="either")
    text = flat(config, "paddleocr_vl_text", language_model)
    seen = _vit(config, text.d_model)
    tied, notes = config.flag("tie_word_embeddings", default=True), text.notes
    if not tied:
        notes = (*notes, remark("the head is counted, as the checkpoint stores it: transformers 5 ties it"))
    head = Head(text.vocab, text.d_model, tied=tied)
    return replace(text, model_type="paddleocr_vl", inputs=(*text.inputs, seen), head=head, notes=notes)


def _vit(config: Config, d_text: int) -> Tower:
    vision = config.section("vision_config")
    vision.only("model_type", "paddleocr_vl_vision", "paddleocr_vl")  # the first files say the whole's
    vision.ignore("temporal_patch_size", "tokens_per_second")
    width = vision.integer("hidden_size")
    joined = width * vision.integer("spatial_merge_size", default=2) ** 2
    projector = (
        Norm("pre_norm", width, bias=True),
        linear("linear_1", joined, joined),
        linear("linear_2", joined, d_text),
    )
    return tower("siglip_without_head", vision, *projector)


@model_type("hunyuan_vl")
def hunyuan_vl(config: Config) -> Architecture:
    """HunyuanOCR (arXiv:2511.19575): a ViT whose patches convolutions merge, Hunyuan with norms on each head."""
    language_model = partial(language_model_of, "hunyuan_vl_text")
    if config.has("text_config"):
        text = language_model(config.section("text_config"))
    else:  # the first files are flat; the flag there is the whole's, the language model takes its type's
        text = flat(config, "hunyuan_vl_text", language_model, ties=False)
    seen = tower("hunyuan_vl", config.section("vision_config"), text=text.d_model)
    return with_towers(config, text, seen, tied=True, ties="either")
