"""A decoder of BERT's kind that tells what an image shows: BLIP attends to its patches, GIT reads them first."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Norm, Tensors
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import tie_notes
from sizebook.models.families.seq2seq.rows import ROWS
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import described
from sizebook.models.huggingface import model_type

# What a class holds: a decoder with its head, an encoder of text, projections of both to one width.
BLIP_CLASSES = {
    "ForConditionalGeneration": "decodes",
    "ForQuestionAnswering": "encodes decodes",
    "ForImageTextRetrieval": "encodes compares",
    "Model": "encodes pools",
}


@model_type("blip")
def blip(config: Config) -> Architecture:
    """BLIP: BERT with attention to the patches of a ViT in each layer."""
    words = kind_of_class(config, "Blip", BLIP_CLASSES).split() if config.class_names() else ["decodes"]
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "blip_text_model")
    vision.ignore("projection_dim")
    flags = [level.flag("tie_word_embeddings", default=True) for level in (config, text)]
    notes = tie_notes({"top level": (config, flags[0]), "text_config": (text, flags[1])}, followed=any(flags))
    given = {word: word in words for word in ("encodes", "decodes", "pools", "compares")}
    d_joint, d_compared = config.integer("projection_dim", default=512), config.integer("image_text_hidden_size")
    sizes = {"d_vision": vision.integer("hidden_size"), "d_joint": d_joint, "d_compared": d_compared}
    side = described(ROWS["_blip"], text, tied=any(flags), **given, **sizes)
    inputs = (*side.inputs, tower("blip_of_captions", vision))
    return replace(side, model_type="blip", inputs=inputs, notes=tuple(notes) if side.head else ())


@model_type("git")
def git(config: Config) -> Architecture:
    """GIT: BERT's layers, causal, behind the patches of CLIP's ViT."""
    vision, text = config.section("vision_config"), described(ROWS["_git"], config)
    vision.only("model_type", "git_vision_model")
    d_vision, frames = vision.integer("hidden_size"), config.size("num_image_with_embedding")
    projector: tuple[Brick, ...] = (
        linear("visual_projection.0", d_vision, text.d_model),
        Norm("visual_projection.1", text.d_model, bias=True),
        *((Tensors((vector("img_temporal_embedding", frames, d_vision),)),) if frames else ()),
    )
    return replace(text, inputs=(*text.inputs, tower("clip", vision, *projector)))
