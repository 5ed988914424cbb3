"""Adapters (LoRA) against their base: the parameters that an adapter_config.json adds to each matrix it names.

A matrix of d_out x d_in gets A of r x d_in and B of d_out x r: r (d_in + d_out) parameters (Hu et al. 2021,
arXiv:2106.09685, section 4.1). DoRA adds a magnitude for each output (arXiv:2402.09353). Modules in ``modules_to_save``
are trained and stored whole. Keys: huggingface/peft, LoraConfig.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from sizebook.core.errors import InputError, UnknownKeyError

_LAYER = re.compile(r"(?:^|\.)(?:layers|layer|h|blocks|block)\.(\d+)\.")
_INSTEAD = "Give the adapter with its weights, or its base by a checkpoint: --base FOLDER."
_PLAIN = re.compile(r"[\w.]+")


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


Shapes = Mapping[str, tuple[int, ...]]


def adapter_of(config: Mapping[str, Any], base: Shapes, where: str) -> Adapter:
    """Return the parameters of an adapter of a base model, whose tensors are given by name.

    Errors: another method than LoRA, modules that the base does not have, experts (whose layout differs between
    releases of transformers), patterns instead of names: each is counted from the adapter's own weights instead.
    """
    method = str(config.get("peft_type", "")).upper()
    if method != "LORA":
        raise _not_described("peft_type", config.get("peft_type"), "LORA", where)
    for key in ("target_parameters", "layer_replication", "trainable_token_indices", "megatron_config", "eva_config"):
        if config.get(key):
            raise _not_described(key, config[key], "none", where)
    rank = config.get("r")
    if type(rank) is not int or not 1 <= rank <= 65536:
        raise InputError(f"bad key: got 'r' = {rank!r} in {where}, want a whole number of 1 to 65536. Correct it.")
    names = _matrices(base)
    targets = _targets(config, names, where)
    n_vectors = bool(config.get("use_dora")) + bool(config.get("lora_bias"))
    by_module: dict[str, int] = {}
    for name in targets:
        shape, leaf = names[name], name.rpartition(".")[2]
        r = _rank(config, name, rank, where)
        by_module[leaf] = by_module.get(leaf, 0) + r * (prod(shape[1:]) + shape[0]) + n_vectors * shape[0]
    return Adapter("DoRA" if config.get("use_dora") else "LoRA", rank, by_module, _saved(config, targets, base, where))


def _matrices(base: Shapes) -> Shapes:
    """Return the modules of the base that have a matrix, by name."""
    named = ((name.removesuffix(".weight"), shape) for name, shape in base.items() if name.endswith(".weight"))
    return {name: shape for name, shape in named if len(shape) > 1}


def _targets(config: Mapping[str, Any], names: Shapes, where: str) -> list[str]:
    named = config.get("target_modules")
    if isinstance(named, str) and named.casefold() == "all-linear":
        if any(".experts." in name or name.endswith(("router", "mlp.gate")) for name in names):
            raise _not_described("target_modules", named, "a list of names for a mixture of experts", where)
        chosen = [name for name in names if _LAYER.search(name)]
    elif isinstance(named, list) and named and all(isinstance(each, str) and _PLAIN.fullmatch(each) for each in named):
        chosen = [name for name in names if any(_is(name, each) for each in named)]
        unknown = [each for each in named if not any(_is(name, each) for name in names)]
        if unknown:
            leaves = sorted({name.rpartition(".")[2] for name in names if _LAYER.search(name)})
            raise UnknownKeyError(
                f"module not found: got '{unknown[0]}' among target_modules of {where}, want modules of the "
                f"base: {', '.join(leaves)}. {_INSTEAD}"
            )
    else:
        raise _not_described("target_modules", named, "a list of names or 'all-linear'", where)
    excluded, layers = config.get("exclude_modules") or [], config.get("layers_to_transform")
    if not isinstance(excluded, list) or config.get("layers_pattern"):
        raise _not_described("exclude_modules", excluded, "a list of names", where)
    only = {layers} if isinstance(layers, int) else set(layers or ())
    chosen = [
        name
        for name in chosen
        if not any(_is(name, str(each)) for each in excluded)
        and (not only or ((match := _LAYER.search(name)) is not None and int(match[1]) in only))
    ]
    if any(".experts." in name for name in chosen):
        raise _not_described("target_modules", named, "modules outside the experts", where)
    return chosen


def _is(name: str, target: str) -> bool:
    return name == target or name.endswith(f".{target}")


def _rank(config: Mapping[str, Any], name: str, rank: int, where: str) -> int:
    pattern = config.get("rank_pattern") or {}
    if not isinstance(pattern, Mapping):
        raise _not_described("rank_pattern", pattern, "a table of names and ranks", where)
    for target, own in pattern.items():
        if not _PLAIN.fullmatch(target) or type(own) is not int or own < 1:
            raise _not_described("rank_pattern", {target: own}, "plain names and ranks", where)
        if _is(name, target):
            return own
    return rank


def _saved(config: Mapping[str, Any], targets: list[str], every: Shapes, where: str) -> int:
    """Return the parameters that are stored whole: modules to save, and biases that are trained."""
    saved = config.get("modules_to_save") or []
    if not isinstance(saved, list):
        raise _not_described("modules_to_save", saved, "a list of names", where)
    bias = config.get("bias", "none")
    if bias not in ("none", "all", "lora_only"):
        raise _not_described("bias", bias, "none, all or lora_only", where)
    chosen: set[str] = set()
    for module in map(str, saved):
        own = [name for name in every if _is(name.rpartition(".")[0], module)]
        if not own:
            raise UnknownKeyError(
                f"module not found: got '{module}' among modules_to_save of {where}, want modules of the "
                f"base. {_INSTEAD}"
            )
        chosen.update(own)
    if bias != "none":
        chosen.update(
            name for name in every
            if name.endswith(".bias") and (bias == "all" or name.removesuffix(".bias") in targets)
        )  # fmt: skip
    return sum(prod(every[name]) for name in chosen)


def _not_described(key: str, value: Any, want: str, where: str) -> UnknownKeyError:
    return UnknownKeyError(f"not described: got '{key}' = {value!r} in {where}, want {want}. {_INSTEAD}")
