"""CLIP and SigLIP: text and images in one space."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Layer, Projection, Tensors
from sizebook.models.classes import n_labels
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.encoders.whole import ROWS
from sizebook.models.families.row_sizes import patches
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import described
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("clip")
def clip(config: Config) -> Architecture:
    """CLIP: a text encoder and a ViT, each projected into one space; the text side counts as the model.

    Where older files repeat a section under a name with 'dict', transformers takes that one.
    """
    config.built_as("CLIPModel", "CLIPForImageClassification")
    names = [f"{name}_dict" if config.has(f"{name}_dict") else name for name in ("text_config", "vision_config")]
    text, vision = config.section(names[0]), config.section(names[1])
    text.only("model_type", "clip_text_model")
    if _classifies(config):
        return _of_images(config, tower("clip", vision), patches(vision) + 1)
    side, d_joint = described(ROWS["_clip_text"], text), config.integer("projection_dim")
    seen = tower("clip", vision, linear("visual_projection", vision.integer("hidden_size"), d_joint, bias=False))
    projected = Projection("text_projection", side.d_model, d_joint, bias=False, pooled=True)
    return replace(
        side,
        model_type="clip",
        inputs=(*side.inputs, seen),
        outputs=(*side.outputs, projected, Tensors((vector("logit_scale"),))),
    )


def _classifies(config: Config) -> bool:
    """Return whether the file's class puts a classifier on the ViT and leaves the text side out."""
    return "".join(config.class_names()[:1]).endswith("ForImageClassification")


def _of_images(config: Config, seen: Tower, n_ctx: int) -> Architecture:
    """Return the ViT with a classifier over the labels; its joint space is not built, nor is the text side."""
    config.ignore("architectures", "projection_dim", "text_config", "text_config_dict")
    config.without("text_config")
    return of_images(config, seen, n_ctx, Projection("classifier", seen.d_model, n_labels(config), pooled=True))


def of_images(config: Config, seen: Tower, n_ctx: int | None, *on_top: Projection) -> Architecture:
    """Return a tower as a model of its own, with what a class puts on top."""
    return Architecture(
        model_type=config.text("model_type"),
        d_model=seen.d_model,
        vocab=0,
        n_ctx=n_ctx,
        inputs=seen.stem,
        layers=(Layer(seen.layer),) * seen.n_layers,
        outputs=(*seen.projector, *on_top),
        head=None,
    )


@model_type("siglip")
def siglip_pair(config: Config) -> Architecture:
    """SigLIP (arXiv:2303.15343): a text encoder that sees both ways and a ViT; the text side counts as the model."""
    config.built_as("SiglipModel", "SiglipForImageClassification")
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "siglip_text_model")
    if _classifies(config):
        return _of_images(config, tower("siglip", vision), patches(vision))
    side = described(ROWS["_siglip_text"], text)
    return replace(
        side,
        model_type="siglip",
        inputs=(*side.inputs, tower("siglip", vision)),
        outputs=(*side.outputs, text_head(text, side.d_model), Tensors((vector("logit_scale"), vector("logit_bias")))),
    )


def text_head(text: Config, d_model: int) -> Projection:
    """Return the projection that SigLIP pools its text through."""
    return Projection("head", d_model, text.size("projection_size") or d_model, pooled=True)
