"""Adapters (LoRA) against their base: the parameters that an adapter_config.json adds to each matrix it names.

A matrix of d_out x d_in gets A of r x d_in and B of d_out x r: r (d_in + d_out) parameters (Hu et al. 2021,
arXiv:2106.09685, section 4.1). DoRA adds a magnitude for each output (arXiv:2402.09353). Modules in ``modules_to_save``
are trained and stored whole, and not adapted. Keys: huggingface/peft, LoraConfig.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.models.checkpoints.adapter_bases import Base, leaf_of, number_of

_INSTEAD = "Give the adapter with its weights, or its base by a checkpoint: --base FOLDER."
_PLAIN = re.compile(r"[\w.]+")
# What changes how an adapter is trained, begun, scaled or stored, and no number of parameters.
_HARMLESS = """
task_type peft_type auto_mapping peft_version base_model_name_or_path revision inference_mode lora_alpha lora_dropout
fan_in_fan_out use_rslora init_lora_weights alpha_pattern megatron_core loftq_config corda_config lora_ga_config
velora_config alora_invocation_tokens qalora_group_size runtime_config
"""
_FOLLOWED = """
r target_modules exclude_modules bias modules_to_save layers_to_transform layers_pattern rank_pattern use_dora lora_bias
"""
_UNDERSTOOD = frozenset((_HARMLESS + _FOLLOWED).split())


@dataclass(frozen=True)
class Adapter:
    """What an adapter adds: parameters by the name of the module, and of modules that it replaces whole."""

    method: str
    rank: int
    by_module: Mapping[str, int]
    saved: int

    @property
    def parameters(self) -> int:
        return sum(self.by_module.values()) + self.saved


def adapter_of(config: Mapping[str, Any], base: Base, where: str) -> Adapter:
    """Return the parameters of an adapter of a base model.

    Errors: another method than LoRA, modules that the base does not have or that are not known by their own names,
    experts (whose layout differs between releases of transformers), patterns instead of names: each is counted from the
    adapter's own weights instead.
    """
    method = str(config.get("peft_type", "")).upper()
    if method != "LORA":
        raise _not_described("peft_type", config.get("peft_type"), "LORA", where)
    for key, value in config.items():
        if value and key not in _UNDERSTOOD:
            raise _not_described(key, value, "none", where)
    rank = config.get("r")
    if type(rank) is not int or not 1 <= rank <= 65536:
        raise InputError(f"bad key: got 'r' = {rank!r} in {where}, want a whole number of 1 to 65536. Correct it.")
    by_magnitude, biased = _flag(config, "use_dora", where), _flag(config, "lora_bias", where)
    if by_magnitude and biased:
        raise _not_described("lora_bias", True, "false beside use_dora, as peft", where)
    targets, by_module = _targets(config, base, where), dict[str, int]()
    for name in targets:
        shape, leaf = base.shapes[f"{name}.weight"], leaf_of(name)
        if biased and base.is_table(name):
            raise _not_described("lora_bias", True, f"false for the table '{leaf}', as peft", where)
        vector = base.width_out(name) if by_magnitude or biased else 0
        added = _rank(config, name, rank, base, where) * (prod(shape[1:]) + shape[0]) + vector
        by_module[leaf] = by_module.get(leaf, 0) + added
    return Adapter("DoRA" if by_magnitude else "LoRA", rank, by_module, _saved(config, targets, base, where))


def _flag(config: Mapping[str, Any], key: str, where: str) -> bool:
    value = config.get(key) or False
    if not isinstance(value, bool):
        raise InputError(f"bad key: got '{key}' = {value!r} in {where}, want true or false. Correct it.")
    return value


def _targets(config: Mapping[str, Any], base: Base, where: str) -> list[str]:
    named, names, excluded = config.get("target_modules"), base.modules(), config.get("exclude_modules") or []
    if isinstance(named, str) and named.casefold() == "all-linear":
        chosen = _every_linear(named, base, where)
    elif isinstance(named, list) and named and all(isinstance(each, str) and _PLAIN.fullmatch(each) for each in named):
        chosen = [name for name in names if any(base.is_called(name, each) for each in named)]
        unknown = [each for each in named if not any(base.is_called(name, each) for name in names)]
        if unknown:
            leaves = sorted({leaf_of(name) for name in names if number_of(name) is not None})
            raise UnknownKeyError(
                f"module not found: got '{unknown[0]}' among target_modules of {where}, want modules of the "
                f"base: {', '.join(leaves) or 'none is known by its own name'}. {_INSTEAD}"
            )
    else:
        raise _not_described("target_modules", named, "a list of names or 'all-linear'", where)
    if not isinstance(excluded, list) or config.get("layers_pattern"):
        raise _not_described("exclude_modules", excluded, "a list of names", where)
    _names_of("target_modules", named if isinstance(named, list) else [], base, where)
    _names_of("exclude_modules", excluded, base, where)
    pattern = config.get("rank_pattern") or {}
    _names_of("rank_pattern", pattern if isinstance(pattern, Mapping) else (), base, where)
    only, saved = _layers(config, base, where), _modules_to_save(config, where)
    if only and any(number_of(name) is None for name in chosen):
        raise _not_described("layers_to_transform", sorted(only), "null beside modules outside the layers", where)
    apart = [*excluded, *saved]
    kept = [
        name
        for name in chosen
        if not any(base.is_called(name, str(each)) for each in apart) and (not only or number_of(name) in only)
    ]
    if any(".experts." in name for name in chosen):
        raise _not_described("target_modules", named, "modules outside the experts", where)
    if any(name.endswith(each) for name in kept for each in saved):
        raise _not_described("modules_to_save", saved, "names with which no adapted module's name ends", where)
    if not kept:
        raise InputError(
            f"no module targeted: got target_modules {named!r} of {where} less what else it says, want at least one "
            "module of the base. Correct exclude_modules, layers_to_transform or modules_to_save."
        )
    return kept


def _names_of(key: str, given: Iterable[Any], base: Base, where: str) -> None:
    """Refuse names that a described base may bear otherwise: what they mean there would be passed over.

    A checkpoint names its modules itself, and names that it does not have mean nothing.
    """
    for each in given if base.described_as else ():
        if "." in str(each) and not base.names_paths:
            raise _not_described(key, each, "a name without those above it: this base names these otherwise", where)
        if not any(base.is_called(name, str(each)) for name in base.modules()):
            raise _not_described(key, each, "names of modules of the base", where)


def _every_linear(named: str, base: Base, where: str) -> list[str]:
    """Return every linear layer but the head."""
    if base.routes:
        raise _not_described("target_modules", named, "a list of names for a mixture of experts", where)
    if (every := base.linear()) is None:
        raise _not_described("target_modules", named, "a list of names: not every matrix of this base is known", where)
    return every


def _layers(config: Mapping[str, Any], base: Base, where: str) -> set[int]:
    """Return the layers to adapt, none where all are."""
    layers = config.get("layers_to_transform")
    found = [layers] if type(layers) is int else layers or []
    if not isinstance(found, list) or any(type(each) is not int for each in found):
        raise _not_described("layers_to_transform", layers, "a number, a list of numbers, or null", where)
    if layers is not None and isinstance(config.get("target_modules"), str):
        raise _not_described("layers_to_transform", layers, "null beside 'all-linear', as peft", where)
    if found and not base.numbers_layers:
        raise _not_described("layers_to_transform", layers, "null: this base numbers its layers otherwise", where)
    return set(found)


def _rank(config: Mapping[str, Any], name: str, rank: int, base: Base, where: str) -> int:
    pattern = config.get("rank_pattern") or {}
    if not isinstance(pattern, Mapping):
        raise _not_described("rank_pattern", pattern, "a table of names and ranks", where)
    for target, own in pattern.items():
        if not _PLAIN.fullmatch(target) or type(own) is not int or own < 1:
            raise _not_described("rank_pattern", {target: own}, "plain names and ranks", where)
        if base.is_called(name, target):
            return own
    return rank


def _modules_to_save(config: Mapping[str, Any], where: str) -> list[str]:
    saved = config.get("modules_to_save") or []
    if not isinstance(saved, list):
        raise _not_described("modules_to_save", saved, "a list of names", where)
    return [str(each) for each in saved]


def _saved(config: Mapping[str, Any], targets: list[str], base: Base, where: str) -> int:
    """Return the parameters that are stored whole: modules to save, and biases that are trained."""
    bias, names = config.get("bias") or "none", base.modules()
    if bias not in ("none", "all", "lora_only"):
        raise _not_described("bias", bias, "none, all or lora_only", where)
    if bias == "all" and not base.names_biases:
        raise _not_described("bias", bias, "none or lora_only: this base names its biases otherwise", where)
    chosen: set[str] = set()
    for module in _modules_to_save(config, where):
        own = [name for name in base.shapes if any(above.endswith(module) for above in _above(name))]
        if not own or (base.described_as and any(name.rpartition(".")[0] not in names for name in own)):
            raise UnknownKeyError(
                f"module not found: got '{module}' among modules_to_save of {where}, want modules of the "
                f"base. {_INSTEAD}"
            )
        chosen.update(own)
    if bias == "all":
        chosen.update(name for name in base.shapes if name.endswith(".bias"))
    elif bias == "lora_only":
        chosen.update(f"{name}.bias" for name in targets if f"{name}.bias" in base.shapes)
    return sum(prod(base.shapes[name]) for name in chosen)


def _above(name: str) -> Iterator[str]:
    """Yield the modules that a tensor stands in, as peft looks for those to save: by the end of their whole names."""
    while name := name.rpartition(".")[0]:
        yield name


def _not_described(key: str, value: Any, want: str, where: str) -> UnknownKeyError:
    return UnknownKeyError(f"not described: got '{key}' = {value!r} in {where}, want {want}. {_INSTEAD}")
