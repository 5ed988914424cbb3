"""What the class that a file names under ``architectures`` puts on a decoder: the language head, none, or a classifier.

The families of encoders and encoder-decoders read that key themselves, because their classes differ in more. For a
decoder the class is one of a few: with its language head, bare (embedding models are published so), or with a
classifier in its place (reward models).
"""

from __future__ import annotations

from dataclasses import replace

from sizebook.errors import UnknownKeyError
from sizebook.models.architecture import Architecture, Projection
from sizebook.models.config import Config
from sizebook.models.towers import Tower

GENERATES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ForImageTextToText")
CLASSIFIES = {"ForSequenceClassification": False, "ForTokenClassification": True, "ForQuestionAnswering": True}
PARTIAL = ("TextModel", "VisionModel", "AudioModel", "WithProjection")


def as_class(config: Config, described: Architecture) -> Architecture:
    """Return a decoder as the class that the config names; without one, or where a mapping read it, as it is."""
    named = config.values.get("architectures")
    if "architectures" in config.read or not isinstance(named, list) or not named:
        return described
    name = str(named[0])
    towers = [brick for brick in described.inputs if isinstance(brick, Tower)]
    if name.endswith(GENERATES):
        alone = f"{name} may build the language model alone; the vision or audio towers of the file are counted"
        notes = (*described.notes, alone) if towers and name.endswith("ForCausalLM") else described.notes
        return replace(described, notes=notes)
    for suffix, bias in CLASSIFIES.items():
        if name.endswith(suffix):
            outputs = 2 if suffix == "ForQuestionAnswering" else n_labels(config)
            score = Projection("score", described.d_model, outputs, bias, pooled=suffix == "ForSequenceClassification")
            return replace(described, outputs=(*described.outputs, score), head=None)
    if name.endswith("Model") and not name.endswith(("HeadsModel", *(PARTIAL if towers else ()))):
        return replace(described, head=None)
    raise UnknownKeyError(
        f"unknown class: got '{name}' under 'architectures' in {config.where}, want one whose name ends with "
        f"{', '.join((*GENERATES, *CLASSIFIES))} or Model. Describe it, or count with --engine transformers."
    )


def n_labels(config: Config) -> int:
    """Return over how many labels a classifier decides."""
    config.ignore("id2label")
    labels = config.values.get("id2label")
    given = config.integer("num_labels", default=0)
    return len(labels) if isinstance(labels, dict) and labels else given or 2
