"""Writes ``data/adapter_modules.csv``: which modules of a mapping an adapter finds in the class of the type.

A mapping names tensors its own way: it may split a fused matrix, or call GPT-2's ``c_fc`` an ``up_proj``. An adapter
can be counted against it only where names, shapes and kinds are those of the class. Here both are laid beside each
other for every row of ``distinct_counts.jsonl``. Run with the extra ``torch``:

    python -m tests.models.checkpoints.adapter_modules DATE
"""

import csv
import importlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from sizebook.core.tables import DATA
from sizebook.models.checkpoints.adapter_bases import leaf_of, matrices, number_of
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names
from sizebook.sources.torch_engine import built_on_meta
from tests.models.counts import small_configs, total_or_none
from tests.models.edits import counted_by_transformers

TABLE = DATA / "adapter_modules.csv"
# What peft 0.21 refuses to adapt (tuners_utils.py, _check_lora_target_modules_mamba).
REFUSED_OF = ("falcon_h1", "falcon_mamba", "mamba", "mamba2", "nemotron_h")
REFUSED = {"conv1d", "out_proj"}
ROUTER = {"gate"}  # peft adapts the router's weight itself where experts are one tensor, as in transformers 5
NEEDS_MORE = ("gemma3n",)  # its tower comes from the package timm
Found = dict[str, Counter[tuple[Any, ...]]]  # by the last word of the name: shapes, whether biased, the layer's number


def _of_class(model: Any) -> tuple[Found, Found, set[str], set[str]]:
    """Return the linear layers and tables of a model, the last words of other modules, and of what all-linear takes."""
    nn = importlib.import_module("torch").nn
    conv1d = importlib.import_module("transformers.pytorch_utils").Conv1D
    linear: Found = defaultdict(Counter)
    tables: Found = defaultdict(Counter)
    others, targeted = set(), set()
    head = model.get_output_embeddings()
    for name, module in model.named_modules():
        leaf, weight = leaf_of(name), getattr(module, "weight", None)
        if type(module) in (nn.Linear, conv1d):
            shape = tuple(weight.shape) if type(module) is nn.Linear else tuple(weight.shape)[::-1]
            linear[leaf][(*shape, module.bias is not None, _number(name))] += 1
            if module is not head:
                targeted.add(leaf)
        elif type(module) is nn.Embedding:
            tables[leaf][(*weight.shape, False, _number(name))] += 1
        elif name:
            others.add(leaf)
            if isinstance(module, nn.Linear):
                targeted.add(leaf)
    return linear, tables, others, targeted


def _number(name: str) -> int | None:
    """Return the layer that peft reads from a module's name: the first number behind two words."""
    match = re.match(r".*?\.[^.]*\.(\d+)\.", name)
    return int(match[1]) if match else None


def _of_mapping(shapes: dict[str, tuple[int, ...]]) -> Found:
    found: Found = defaultdict(Counter)
    for name, shape in matrices(shapes).items():
        found[leaf_of(name)][(*shape, f"{name}.bias" in shapes, number_of(name))] += 1
    return found


def _anywhere(found: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Return the shapes without their layers."""
    counted: Counter[tuple[Any, ...]] = Counter()
    for key, times in found.items():
        counted[key[:-1]] += times
    return counted


def _variants(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a config as it is, and with a language head of its own, where both engines build that."""
    named = importlib.import_module("transformers.models.auto.modeling_auto").MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    found = [config]
    if config["model_type"] in named:
        untied = {**config, "architectures": [named[config["model_type"]]], "tie_word_embeddings": False}
        if total_or_none(untied) is not None and counted_by_transformers(untied) == total_or_none(untied):
            found.append(untied)
    return found


def _same_paths(leaf: str, model: Any, shapes: dict[str, tuple[int, ...]]) -> bool:
    """Return whether modules stand under the names that the class gives them, but for words in front of all."""
    ours = sorted(name for name in matrices(shapes) if leaf_of(name) == leaf)
    theirs = [name for name, module in model.named_modules() if leaf_of(name) == leaf and hasattr(module, "weight")]
    found = [max((n for n in ours if f".{name}".endswith(f".{n}")), key=len, default="") for name in theirs]
    return sorted(found) == ours


def _biases(named: Iterable[tuple[str, int]]) -> int:
    return sum(size for name, size in named if name.endswith(".bias"))


@dataclass
class _Beside:
    """What the rows of a type have shown so far: the kind of each module, and what of all of them agrees."""

    seen: dict[str, set[str]] = field(default_factory=lambda: {"linear": set(), "table": set(), "other": set()})
    targeted: set[str] = field(default_factory=set)
    every: bool = True
    by_layer: bool = True
    biases: bool = True
    paths: bool = True

    def add(self, config: dict[str, Any]) -> None:
        read = Config(dict(config), "config.json")
        shapes = predicted_names(architecture(read))
        model, ours = built_on_meta(read), _of_mapping(shapes)
        linear, tables, others, targeted = _of_class(model)
        for leaf, found in ours.items():
            alike = [
                kind
                for kind, there in (("linear", linear), ("table", tables))
                if leaf in there and leaf not in others and _anywhere(there[leaf]) == _anywhere(found)
            ]
            kind = alike[0] if alike and not (leaf in linear and leaf in tables) else "other"
            self.seen[kind].add(leaf)
            self.by_layer = self.by_layer and (kind != "linear" or linear[leaf] == found)
            self.paths = self.paths and (kind == "other" or _same_paths(leaf, model, shapes))
        self.targeted |= targeted
        self.every = self.every and targeted <= ours.keys()
        stored = ((name, parameter.numel()) for name, parameter in model.named_parameters())
        self.biases = self.biases and _biases(stored) == _biases((name, prod(s)) for name, s in shapes.items())

    def row(self, model_type: str) -> list[str]:
        """Return the row of a type but for its source."""
        refused = ROUTER | (REFUSED if model_type in REFUSED_OF else set())
        linear = self.seen["linear"] - self.seen["other"] - self.seen["table"] - refused
        tables = self.seen["table"] - self.seen["other"] - self.seen["linear"]
        told = self.every and self.targeted <= linear, self.by_layer and bool(linear), self.biases, self.paths
        return [
            model_type,
            *(" ".join(sorted(each)) for each in (linear, tables)),
            *("yes" if t else "no" for t in told),
        ]


def main() -> None:
    """Write the table anew."""
    found: dict[str, _Beside] = defaultdict(_Beside)
    for row in small_configs("distinct_counts.jsonl"):
        if "how" not in row and row["config"]["model_type"] not in NEEDS_MORE:
            for config in _variants(row["config"]):
                found[config["model_type"]].add(config)
    source = f"modules of the classes of transformers {importlib.import_module('transformers').__version__}"
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["model_type", "linear", "tables", "all_linear", "by_layer", "biases", "paths", "source", "retrieved"]
        )
        rows = (beside.row(model_type) for model_type, beside in sorted(found.items()))
        writer.writerows([*row, source, sys.argv[1]] for row in rows if row[1] or row[2])


if __name__ == "__main__":
    main()
