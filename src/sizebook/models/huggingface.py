"""From a Hugging Face config.json to an `Architecture`: one short mapping a model type, kept in `families`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace

from sizebook.core.errors import RangeError, UnknownKeyError, suggestion
from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture
from sizebook.models.checkpoints.kinds import no_model_type
from sizebook.models.classes import as_class
from sizebook.models.config import Config
from sizebook.models.mistral_params import as_config, is_params

Mapping = Callable[[Config], Architecture]
_MAPPINGS: dict[str, Mapping] = {}


def model_type(*names: str) -> Callable[[Mapping], Mapping]:
    """Register a mapping under the model types that it reads; a type that is registered already is refused."""

    def register(mapping: Mapping) -> Mapping:
        if twice := sorted({name for name in names if name in _MAPPINGS or names.count(name) > 1}):
            shown = ", ".join(f"'{name}'" for name in twice)
            raise ValueError(f"model type registered twice: got {shown}, want one mapping each. Remove one of the two.")
        _MAPPINGS.update(dict.fromkeys(names, mapping))
        return mapping

    return register


def mappings(until: str | None = None) -> dict[str, Mapping]:
    """Return every mapping by model type, or those of the families up to the one that describes a type."""
    from sizebook.models.families import MODULES

    for module in MODULES:
        if until in _MAPPINGS:
            break
        importlib.import_module(f"sizebook.models.families.{module}")
    return _MAPPINGS


def architecture(config: Config) -> Architecture:
    """Return the architecture that a config.json describes, or refuse it by naming the type or key."""
    try:
        described = as_class(config, describe(config))
    except ZeroDivisionError as error:
        raise RangeError(
            f"bad key: got 0 for a number that others are divided by in {config.where}, want 1 or more. Correct it."
        ) from error
    config.finish()
    if left_out := config.left_out():
        taken = remark("the file leaves out what the class of its model type gives: {names}", names=", ".join(left_out))
        described = replace(described, notes=(*described.notes, taken))
    return described


def describe(config: Config) -> Architecture:
    """Return the architecture that a config, or the section of one, describes; unread keys are left to the caller."""
    name = _type_of(config)
    mapping = mappings(until=name).get(name)
    if mapping is None:
        raise UnknownKeyError(
            f"unknown model type: got '{name}' in {config.where}, want one of the {len(_MAPPINGS)} types in "
            f"docs/architectures.md. Count it with --engine transformers, or add a mapping."
            f"{suggestion(name, _MAPPINGS)}"
        )
    return mapping(config)


def _type_of(config: Config) -> str:
    """Return the model type, or the one that the class stands for where a file (MiniCPM 3's) gives the class alone."""
    if is_params(config.values):
        config.values = as_config(config.values, config.where)
    named = config.values.get("architectures")
    if "model_type" not in config.values and isinstance(named, list) and len(named) == 1:
        config.ignore("architectures")
        found = str(named[0]).removesuffix("ForCausalLM").casefold()
        if found in mappings():
            config.values = {**config.values, "model_type": found}
    if (other := no_model_type(config.values, config.where)) is not None:
        raise other
    if "model_type" not in config.values:
        raise UnknownKeyError(
            f"no model type: got none in {config.where}, want the key model_type, which says how the other keys are "
            "read. Give the model's own config.json, or count its weights: 'sizebook count FOLDER'."
        )
    return config.text("model_type")
