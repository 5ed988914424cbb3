"""What the class that a file names under ``architectures`` puts on a model: the language head, none, or a classifier.

The families of encoders and encoder-decoders look their classes up in lists of their own (`kind_of_class`), because
these differ in more. For a decoder the class is one of a few: with its language head, bare (embedding models are
published so), or with a classifier in its place (reward models).
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.hints import suggestion
from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Projection
from sizebook.models.config import Config
from sizebook.models.towers import Tower

GENERATES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ForImageTextToText")
CLASSIFIES = {"ForSequenceClassification": False, "ForTokenClassification": True, "ForQuestionAnswering": True}
TOKENWISE = ("ForTokenClassification", "ForQuestionAnswering", "ForQuestionAnsweringSimple")
# Their published files name no class; they are loaded bare (`AutoModel`), to be given a head.
NAMELESS = ("deberta-v2",)
# Parts of models with towers that no automatic class puts a head on: a file that names no class is loaded bare.
HEADLESS = ("ernie4_5_vl_moe_text", "glm4v_moe_text", "glm4v_text")
# Where an answer begins and ends is two scores, but a score a label in these classes.
ANSWERS_BY_LABEL = ("gptj",)
# The language model of a file with towers, built from the text section.
TEXT_ALONE = ("MllamaForCausalLM",)
# Whole models whose class calls itself causal: its tower is built with it.
WHOLE = ("FuyuForCausalLM", "GitForCausalLM")
PARTIAL = ("TextModel", "VisionModel", "AudioModel", "WithProjection")
# Words of classes that have no tensors, or more than a bare model or one with a language head.
_NOT_THE_MODEL = re.compile(
    r"[Pp]re[Tt]rained|For[A-Z]\w*Model$|Reward|Value(Head|Model)|Eagle|Medusa|Draft|Specul|MTP"
)
# Scores of published reward models, by type: a square matrix and a rectifier in front, outputs, biases. Qwen 2's from
# its modeling_qwen2_rm.py as vLLM has it (qwen2_rm.py), InternLM 2's from vLLM's internlm2.py.
REWARDS = {
    ("qwen2", "Qwen2ForRewardModel"): (True, 1, True),
    ("qwen2", "Qwen2ForProcessRewardModel"): (True, 2, True),
    ("internlm2", "InternLM2ForRewardModel"): (False, 1, False),
}


def as_class(config: Config, described: Architecture) -> Architecture:
    """Return a decoder as the class that the config names; without one, or where a mapping read it, as it is."""
    if "architectures" in config.read:
        return _scoring_tokens(config, described)
    if not (named := config.class_names()):
        return replace(described, head=None) if config.values.get("model_type") in HEADLESS else described
    name = named[0]
    towers = any(isinstance(brick, Tower) for brick in described.inputs)
    if (scored := REWARDS.get((described.model_type, name))) is not None:
        return _rewarding(described, *scored)
    if _NOT_THE_MODEL.search(name):
        raise _unknown_class(name, config)
    if name.endswith(GENERATES):
        if name in TEXT_ALONE:
            alone = (brick for brick in described.inputs if not isinstance(brick, Tower))
            return replace(described, inputs=tuple(alone))
        if towers and name.endswith("ForCausalLM") and name not in WHOLE:
            config.says_sections()
            left_out = remark(
                "{name} may build the language model alone; the vision or audio towers of the file are counted",
                name=name,
            )
            return replace(described, notes=(*described.notes, left_out))
        return described
    for suffix, bias in CLASSIFIES.items():
        if name.endswith(suffix):
            fixed = suffix == "ForQuestionAnswering" and described.model_type not in ANSWERS_BY_LABEL
            outputs = 2 if fixed else n_labels(config)
            width = described.head.width if described.head else described.d_model
            score = Projection("score", width, outputs, bias=bias, pooled=suffix == "ForSequenceClassification")
            return replace(described, outputs=(*described.outputs, score), head=None)
    whole = name.removesuffix("Model").casefold() == described.model_type.replace("_", "")
    if name.endswith("Model") and not name.endswith(("HeadsModel", *(PARTIAL if towers and not whole else ()))):
        return replace(described, head=None)
    raise _unknown_class(name, config)


def _scoring_tokens(config: Config, described: Architecture) -> Architecture:
    """Return an encoder whose class labels each token, or where an answer is, with a classifier that every token asks.

    The lists of the families say what a class puts on top, not how often it runs.
    """
    if not (config.class_names() or [""])[0].endswith(TOKENWISE):
        return described
    outputs = list(described.outputs)
    for at in range(len(outputs) - 1, -1, -1):
        if isinstance(classifier := outputs[at], Projection) and classifier.pooled:
            outputs[at] = replace(classifier, pooled=False)
            break
    return replace(described, outputs=tuple(outputs))


def _rewarding(described: Architecture, squared: bool, outputs: int, bias: bool) -> Architecture:
    """Return a decoder with the scores of a reward model in place of its language head."""
    width = described.d_model
    before = (Projection("score.0", width, width, bias=bias),) if squared else ()
    score = Projection("score", width, outputs, bias=bias)
    return replace(described, outputs=(*described.outputs, *before, score), head=None)


def _unknown_class(name: str, config: Config) -> UnknownKeyError:
    return UnknownKeyError(
        f"unknown class: got '{name}' under 'architectures' in {config.where}, want one whose name ends with "
        f"{', '.join((*GENERATES, *CLASSIFIES))} or Model. Describe it, or count with --engine transformers."
    )


def n_labels(config: Config) -> int:
    """Return over how many labels a classifier decides: two where the file does not say, in BART's class three."""
    config.ignore("id2label")
    labels = config.values.get("id2label")
    given, named = config.size("num_labels"), len(labels) if isinstance(labels, dict) else 0
    if labels == {} and not given:  # over which some classes put a matrix of no rows, others nothing
        raise InputError(
            f"no labels: got 'id2label' = {{}} in {config.where}, want one a class. Leave the key out, or fill it."
        )
    if given and named and given != named:
        raise InputError(
            f"labels disagree: got {named} under 'id2label' and 'num_labels' = {given} in {config.where}, want the "
            "same. Correct the wrong one."
        )
    usual = 3 if config.values.get("model_type") == "bart" else 2
    return named or given or usual


def kind_of_class(config: Config, prefix: str, heads: Mapping[str, str]) -> str:
    """Return what the class named under ``architectures`` puts on the model: the words of ``heads`` for it.

    Of several classes the first counts, which is the one that engines load.
    """
    config.ignore("architectures")
    named = config.class_names()
    known = {prefix + suffix: head for suffix, head in heads.items()}
    if "architectures" not in config.values and config.values.get("model_type") in NAMELESS:
        config.assumed["architectures"] = "'architectures', so the model is bare,"
        return heads["Model"]
    if not named or named[0] not in known:
        got, wanted = repr(named) if named else "nothing", ", ".join(sorted(known))
        near = suggestion(named[0], known) if named else ""
        raise UnknownKeyError(
            f"unknown class: got {got} under 'architectures' in {config.where}, want one of {wanted}. "
            f"Name the class: its head and pooler are counted.{near}"
        )
    return known[named[0]]
