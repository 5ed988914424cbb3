"""What encoder-decoders have in common: their two stacks, the tables that these share, and the heads of their classes.

An encoder layer sees the whole input and caches nothing; a decoder layer caches its own keys and values, and those
that its cross-attention takes from the encoder's output (``cross``).
"""

from __future__ import annotations

from sizebook.models.architecture import Brick, Head, Projection, Weight
from sizebook.models.classes import n_labels
from sizebook.models.config import Config

# What a class has besides its two stacks. "decoder" and "encoder" are classes of one stack only.
MODEL_HEADS = {"Model": "", "ForConditionalGeneration": "words"}
CLASSIFIER_HEADS = {"ForSequenceClassification": "dense labels", "ForQuestionAnswering": "two"}


def heads(config: Config, words: str, d_model: int, vocab: int, *, tied: bool) -> tuple[list[Brick], Head | None]:
    """Return what the class puts on top: the projection to the vocabulary or a classifier."""
    outputs: list[Brick] = []
    if "dense" in words:
        outputs.append(Projection("classification_head.dense", d_model, d_model, pooled=True))
    if "labels" in words or "two" in words:
        n_outputs = n_labels(config) if "labels" in words else 2
        outputs.append(Projection("classification_head.out_proj", d_model, n_outputs, pooled=True))
    return outputs, Head(vocab, d_model, tied=tied) if "words" in words else None


def logits_bias(vocab: int) -> tuple[Weight, ...]:
    """Return the buffer that BART and its copies add to the logits: zeros, stored but not trained."""
    return (Weight("final_logits_bias", (1, vocab), "bias", use="vector"),)
