"""Compares a checkpoint, tensor by tensor, with what the architecture predicts.

Implementations name tensors differently, fuse some (query, key and value in one matrix) and transpose others. So the
tensors of each layer are matched in three passes: by name and shape, then by shape alone, then what is left by its sum
of elements. What is left of layers that do not add up is matched once more across all of them, by shape and then by
sum: a checkpoint may number encoder, decoder and tower each from 0, or group its layers by kind. What is still left
differs, and every tensor concerned is named.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from sizebook.intake.files import refuse_over
from sizebook.models.architecture import Architecture, Weight
from sizebook.models.checkpoints.packings import Quantization, unpacked_name
from sizebook.models.checkpoints.tensors import Tensor, total_bytes
from sizebook.models.checkpoints.weighing import BUFFER, SCALE, WEIGHT, weights_of
from sizebook.models.checkpoints.weighing import Weight as Weighing
from sizebook.models.counting import groups_with_counts

OUTSIDE = -1
_IN_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks|block|layer)\.(\d+)\.(.+)$")
_EXPERT = re.compile(r"\bexperts\.\d+\.")
TOWER = re.compile(r"vision|visual|\bvit\b|audio|image|encoder\.")
_CORRECTIONS = {"e_score_correction_bias", "expert_bias"}  # of a router, which is not trained


@dataclass(frozen=True)
class Verification:
    """The outcome: how many tensors and parameters agree, which differ, and what is stored besides."""

    predicted: int
    matched: int
    by_name: int
    refolded: int
    parameters_predicted: int
    n_bytes: int
    bytes_by_dtype: dict[str, int]
    differences: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return not self.differences


@dataclass
class _Ledger:
    """What the passes over the layers have matched so far."""

    predicted: int = 0
    by_name: int = 0
    by_shape: int = 0
    refolded: int = 0
    missing: list[tuple[str, Weight]] = field(default_factory=list)
    spare: list[tuple[str, Tensor]] = field(default_factory=list)


def verify(architecture: Architecture, tensors: Iterable[Tensor], stated: Quantization | None = None) -> Verification:
    """Return how a checkpoint's tensors compare with the architecture's; ``stated`` is what its config says of packing.

    A packed matrix stands for its weights, in one extent, and what belongs to its packing is named beside the count.
    """
    weights = weights_of(tensors, stated)
    stored = [weight.tensor for weight in weights]
    found = _grouped(_unpacked(weight) for weight in weights if weight.role not in (SCALE, BUFFER))
    remarks = _extras(architecture, found, [weight.tensor for weight in weights if weight.role == BUFFER])
    if scales := [weight.tensor for weight in weights if weight.role == SCALE]:
        remarks.append(f"{len(scales)} quantisation scales, {total_bytes(scales)} bytes")
    ledger, predicted = _Ledger(), 0
    for layer, expected in _expected(architecture).items():
        predicted += sum(weight.size for weight in expected)
        _compare(layer, expected, found.pop(layer, []), ledger)
    ledger.spare += [("", tensor) for left in found.values() for tensor in left if tensor.size]
    if elsewhere := _across_layers(ledger):
        remarks.append(f"{elsewhere} tensors found under another layer's number")
    by_dtype: dict[str, int] = defaultdict(int)
    for tensor in stored:
        by_dtype[tensor.dtype] += tensor.n_bytes
    return Verification(
        predicted=ledger.predicted,
        matched=ledger.by_name + ledger.by_shape + ledger.refolded,
        by_name=ledger.by_name,
        refolded=ledger.refolded,
        parameters_predicted=predicted,
        n_bytes=total_bytes(stored),
        bytes_by_dtype=dict(sorted(by_dtype.items())),
        differences=_differences(ledger),
        remarks=tuple(remarks),
    )


def _unpacked(weight: Weighing) -> Tensor:
    tensor = weight.tensor
    if weight.role != WEIGHT or weight.parameters == tensor.size:
        return tensor
    return Tensor(unpacked_name(tensor.name), tensor.dtype, (weight.parameters,), n_bytes=tensor.n_bytes)


def _place(name: str) -> tuple[int, str]:
    """Return the layer that a tensor belongs to and its name within it; experts lose their number."""
    match = _IN_LAYER.search(name)
    layer, inner = (int(match[1]), match[2]) if match else (OUTSIDE, name)
    return layer, _EXPERT.sub("experts.*.", inner)


def _grouped(tensors: Iterable[Tensor]) -> dict[int, list[Tensor]]:
    groups: dict[int, list[Tensor]] = defaultdict(list)
    for tensor in tensors:
        groups[_place(tensor.name)[0]].append(tensor)
    return groups


def _expected(architecture: Architecture) -> dict[int, list[Weight]]:
    """Return the predicted tensors by layer, each copy of an expert one of its own: no more than a checkpoint may have.

    Errors: `InputError` for more, which a config of a few bytes can ask for.
    """
    every = sum(times * weight.copies for weights, times in groups_with_counts(architecture) for weight in weights)
    refuse_over("tensors", every, "tensors that the config describes")
    outside = (*architecture.inputs, *architecture.outputs, *([architecture.head] if architecture.head else []))
    groups = {OUTSIDE: _copies(weight for brick in outside for weight in brick.weights)}
    for index, layer in enumerate(architecture.layers):
        groups[index] = _copies(layer.weights)
    return groups


def predicted_names(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """Return the predicted tensors by name, layers as ``layers.N.``, each expert under its number."""
    named: dict[str, tuple[int, ...]] = {}
    for layer, weights in _expected(architecture).items():
        prefix = "" if layer == OUTSIDE else f"layers.{layer}."
        seen: dict[str, int] = defaultdict(int)
        for weight in weights:
            named[prefix + weight.name.replace(".*.", f".{seen[weight.name]}.")] = weight.shape
            seen[weight.name] += 1
    return named


def _copies(weights: Iterable[Weight]) -> list[Weight]:
    return [weight for weight in weights for _ in range(weight.copies)]


def stored_beside(architecture: Architecture, tensors: Iterable[Tensor]) -> dict[str, list[Tensor]]:
    """Return what a checkpoint stores beside the trained count, by what it is."""
    return _taken_out(architecture, _grouped(tensors))


def _taken_out(architecture: Architecture, found: dict[int, list[Tensor]]) -> dict[str, list[Tensor]]:
    taken = {
        "prediction layers (multi-token prediction)": _take_mtp(architecture, found),
        "buffers": _take_buffers(architecture, found),
        "heads stored although tied": _take_tied_head(architecture, found),
    }
    return {name: tensors for name, tensors in taken.items() if tensors}


def _extras(architecture: Architecture, found: dict[int, list[Tensor]], buffers: list[Tensor]) -> list[str]:
    """Take out what a checkpoint stores beside the trained count, and say what it was."""
    taken = _taken_out(architecture, found)
    if buffers:
        taken["buffers"] = [*taken.get("buffers", ()), *buffers]
    return [
        f"{name}: {sum(t.size for t in tensors)} elements, {total_bytes(tensors)} bytes"
        for name, tensors in taken.items()
    ]


def _take_mtp(architecture: Architecture, found: dict[int, list[Tensor]]) -> list[Tensor]:
    n_layers = architecture.n_layers
    taken = []
    for layer in range(n_layers, n_layers + len(architecture.mtp)):
        tensors = found.pop(layer, [])
        found[layer] = [tensor for tensor in tensors if TOWER.search(tensor.name)]
        taken += [tensor for tensor in tensors if not TOWER.search(tensor.name)]
    return taken


def _take_buffers(architecture: Architecture, found: dict[int, list[Tensor]]) -> list[Tensor]:
    suffixes = {weight.name.rpartition(".")[2] for weight in architecture.buffers}
    if suffixes & _CORRECTIONS:
        suffixes |= _CORRECTIONS
    return _taken(found, lambda tensor: tensor.name.rpartition(".")[2] in suffixes)


def _take_tied_head(architecture: Architecture, found: dict[int, list[Tensor]]) -> list[Tensor]:
    head = architecture.head
    if head is None or not head.tied:
        return []
    return _taken(found, lambda tensor: tensor.name == f"{head.name}.weight")


def _taken(found: dict[int, list[Tensor]], chosen: Callable[[Tensor], bool]) -> list[Tensor]:
    taken = []
    for layer, tensors in found.items():
        taken += [tensor for tensor in tensors if chosen(tensor)]
        found[layer] = [tensor for tensor in tensors if not chosen(tensor)]
    return taken


def _compare(layer: int, expected: list[Weight], found: list[Tensor], ledger: _Ledger) -> None:
    ledger.predicted += len(expected)
    names = defaultdict(list)
    for tensor in found:
        names[(_place(tensor.name)[1], tensor.shape)].append(tensor)
    left = []
    for weight in expected:
        same = next((names[key] for key in _spellings(names, weight) if names[key]), None)
        if same is None:
            left.append(weight)
        else:
            same.pop()
            ledger.by_name += 1
    shapes = defaultdict(list)
    for tensor in (tensor for group in names.values() for tensor in group):
        shapes[tuple(sorted(tensor.shape))].append(tensor)
    unmatched = []
    for weight in left:
        same_shape = shapes[tuple(sorted(weight.shape))]
        if same_shape:
            same_shape.pop()
            ledger.by_shape += 1
        else:
            unmatched.append(weight)
    _settle(layer, unmatched, [tensor for group in shapes.values() for tensor in group], ledger)


def _spellings(
    names: dict[tuple[str, tuple[int, ...]], list[Tensor]], weight: Weight
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the keys under which a predicted tensor may be found: its name, or a longer one that ends with it.

    Where it is packed, it has one extent.
    """
    shapes = (weight.shape, (weight.size,))
    yield from [key for shape in shapes if (key := (weight.name, shape)) in names]
    yield from [key for key in names if key[1] in shapes and key[0].endswith(f".{weight.name}")]


def _settle(layer: int, expected: list[Weight], found: list[Tensor], ledger: _Ledger) -> None:
    """Accept leftovers that are the same elements fused or split otherwise; name them all where they are not."""
    if sum(weight.size for weight in expected) == sum(tensor.size for tensor in found):
        ledger.refolded += len(expected)
        return
    place = " outside the layers" if layer == OUTSIDE else f" in layer {layer}"
    ledger.missing += [(place, weight) for weight in expected]
    ledger.spare += [(place, tensor) for tensor in found]


def _across_layers(ledger: _Ledger) -> int:
    """Match what the layers left among all of them; return how many predicted tensors were found that way."""
    shapes: dict[tuple[int, ...], list[tuple[str, Tensor]]] = defaultdict(list)
    for place, tensor in ledger.spare:
        shapes[tuple(sorted(tensor.shape))].append((place, tensor))
    missing = []
    for place, weight in ledger.missing:
        same_shape = shapes[tuple(sorted(weight.shape))]
        if same_shape:
            same_shape.pop()
        else:
            missing.append((place, weight))
    n_found = len(ledger.missing) - len(missing)
    ledger.by_shape += n_found
    ledger.missing, ledger.spare = missing, [left for group in shapes.values() for left in group]
    if missing and sum(weight.size for _, weight in missing) == sum(tensor.size for _, tensor in ledger.spare):
        ledger.refolded += len(missing)
        n_found += len(missing)
        ledger.missing, ledger.spare = [], []
    return n_found


def _differences(ledger: _Ledger) -> tuple[str, ...]:
    missing = [f"not found{place}: {weight.name} {list(weight.shape)}" for place, weight in ledger.missing]
    return (*missing, *(f"not predicted{place}: {tensor.name} {list(tensor.shape)}" for place, tensor in ledger.spare))
