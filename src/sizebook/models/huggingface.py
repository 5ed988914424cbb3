"""From a Hugging Face config.json to an `Architecture`: one short mapping a model type, kept in `families`."""

import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache

from sizebook.core.errors import RangeError, SizebookError, UnknownKeyError
from sizebook.core.hints import suggestion
from sizebook.core.tables import table, toml_tables
from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture
from sizebook.models.checkpoints.kinds import no_model_type
from sizebook.models.classes import as_class
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.mistral_params import as_config, is_params
from sizebook.models.redundant_keys import agrees_with_the_model
from sizebook.models.unread_keys import refuse_unread_keys

Mapping = Callable[[Config], Architecture]
_MAPPINGS: dict[str, Mapping] = {}
_CLASS_ENDING = r"(For[A-Z]\w*|LMHeadModel|DoubleHeadsModel|EncoderModel|Model)$"

# Classes whose names put the words of their type in another order, leave one out or add one (transformers 5.23).
_NAMED_OTHERWISE = {
    "bertgenerationdecoder": "bert-generation",
    "bertgenerationencoder": "bert-generation",
    "dinov2backbone": "dinov2",
    "dinov2withregistersbackbone": "dinov2_with_registers",
    "dots3note": "dots3_note_text",
    "flaubertwith": "flaubert",
    "funnelbase": "funnel",
    "hunyuandensev1": "hunyuan_v1_dense",
    "hunyuanmoev1": "hunyuan_v1_moe",
    "inkling": "inkling_text",
    "inkling2": "inkling2_text",
    "marianmt": "marian",
    "minimaxm3sparse": "minimax_m3_vl",
    "mllamatext": "mllama",
    "xlmwith": "xlm",
}
_PART_OF_ONE_MODEL = {"text", "vl"}  # words by which the type of a part differs from that of the class's whole


def model_type(*names: str) -> Callable[[Mapping], Mapping]:
    """Register a mapping under the model types that it reads; a type that is registered already is refused."""

    def register(mapping: Mapping) -> Mapping:
        if twice := sorted({name for name in names if name in _MAPPINGS or names.count(name) > 1}):
            shown = ", ".join(f"'{name}'" for name in twice)
            raise ValueError(f"model type registered twice: got {shown}, want one mapping each. Remove one of the two.")
        _MAPPINGS.update(dict.fromkeys(names, mapping))
        return mapping

    return register


def mappings() -> dict[str, Mapping]:
    """Return every mapping by model type."""
    from sizebook.models import families

    for module in pkgutil.walk_packages(families.__path__, f"{families.__name__}."):
        importlib.import_module(module.name)
    return _MAPPINGS


def _mapping_of(name: str) -> Mapping | None:
    """Return the mapping of a model type, None where there is none.

    Of the families its own alone is loaded; all are where the table of modules leads to no mapping.
    """
    if name not in _MAPPINGS and (module := modules().get(name)):
        importlib.import_module(f"sizebook.models.families.{module}")
    return _MAPPINGS.get(name) or mappings().get(name)


@cache
def modules() -> dict[str, str]:
    """Return the module of `families` that describes each model type, as `make generated` wrote it down."""
    return {row["model_type"]: row["module"] for row in table("model_types")}


def architecture(config: Config) -> Architecture:
    """Return the architecture that a config.json describes, or refuse it by naming the type or key."""
    try:
        described = as_class(config, describe(config))
        _refuse_class_of_another_type(config, described)
    except ZeroDivisionError as error:
        raise RangeError(
            f"bad key: got 0 for a number that others are divided by in {config.where}, want 1 or more. Correct it."
        ) from error
    refuse_unread_keys(config, lambda key, value: agrees_with_the_model(described, key, value))
    if left_out := config.left_out():
        taken = remark("the file leaves out what the class of its model type gives: {names}", names=", ".join(left_out))
        described = replace(described, notes=(*described.notes, taken))
    return described


def _refuse_class_of_another_type(config: Config, described: Architecture) -> None:
    """Refuse a file whose class belongs to another type than it says, where the two hold other numbers of parameters.

    Engines that go by the class would load another model than those that go by the type.
    """
    named, own = (config.class_names() or [""])[0], described.model_type
    stem = _stem(named)
    if not stem or stem == _plain(own) or (other := _types_by_plain_name().get(stem)) is None:
        return
    apart = set(own.split("_")) ^ set(other.split("_"))
    if other == own or apart <= _PART_OF_ONE_MODEL:
        return
    try:
        read = Config({**config.values, "model_type": other}, config.where)
        total = count(as_class(read, describe(read))).total
    except SizebookError:
        total = None
    if total != count(described).total:
        raise UnknownKeyError(
            f"class and type disagree: got '{named}' of type '{other}' under 'architectures' and model_type '{own}' in "
            f"{config.where}, want those of one model. Correct the wrong one."
        )


@cache
def _types_by_plain_name() -> dict[str, str]:
    return {**_NAMED_OTHERWISE, **{_plain(name): name for name in modules()}}


@lru_cache(maxsize=4096)
def _stem(class_name: str) -> str:
    """Return what a class calls its model, as a type would be compared with it."""
    return _plain(re.sub(_CLASS_ENDING, "", class_name))


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """Return a type's or a class's name as the other writes it."""
    return name.replace("_", "").replace("-", "").casefold()


def describe(config: Config) -> Architecture:
    """Return the architecture that a config, or the section of one, describes; unread keys are left to the caller."""
    name = _type_of(config)
    mapping = _mapping_of(name)
    if mapping is None:
        raise UnknownKeyError(
            f"unknown model type: got '{name}' in {config.where}, want one of the {len(_MAPPINGS)} types in "
            f"docs/architectures.md. Count it with --engine transformers, or add a mapping."
            f"{suggestion(name, _MAPPINGS)}"
        )
    config.ignore(*toml_tables("ignored_keys").get(name, ()))
    return mapping(config)


def _type_of(config: Config) -> str:
    """Return the model type, or the one that the class stands for where a file (MiniCPM 3's) gives the class alone."""
    if is_params(config.values):
        config.values = as_config(config.values, config.where)
    named = config.values.get("architectures")
    if "model_type" not in config.values and isinstance(named, list) and len(named) == 1:
        config.ignore("architectures")
        found = str(named[0]).removesuffix("ForCausalLM").casefold()
        if found in modules():
            config.values = {**config.values, "model_type": found}
    if (other := no_model_type(config.values, config.where)) is not None:
        raise other
    if "model_type" not in config.values:
        raise UnknownKeyError(
            f"no model type: got none in {config.where}, want the key model_type, which says how the other keys are "
            "read. Give the model's own config.json, or count its weights: 'sizebook count FOLDER'."
        )
    return config.text("model_type")
