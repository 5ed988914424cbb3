"""What quantised checkpoints store in place of a matrix, and how many weights it stands for.

Each packing is known by the tensors that lie beside each other: ``qweight`` with ``qzeros`` and ``scales`` (GPTQ, AWQ),
``weight.absmax`` (bitsandbytes), ``weight_packed`` (compressed-tensors), ``x_blocks`` with ``x_scales`` (MXFP4) and
so on. Where the headers alone do not tell the bits, the ``quantization_config`` of the config does; where neither
tells, that is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

from sizebook.core.errors import InputError
from sizebook.models.checkpoints.tensors import Tensor

FLOAT8 = ("F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ")
_NARROW = (*FLOAT8, "F4", "F6_E2M3", "F6_E3M2")
_PLAIN = ("BF16", "F16", "F32", "F64")
_WIDE = (*_PLAIN, "I64", "BOOL")
_PACKED_BITS = (2, 3, 4, 8)
_WHOLE_IN_A_WORD = (1, 2, 4, 8)
# Bytes of weights that share a scale: the format, and the weights.
_BY_BYTES_A_SCALE: dict[float, tuple[str, int]] = {8: ("NVFP4", 16), 16: ("MXFP4", 32), 24: ("MXFP6", 32)}
_MLX_BITS = (2, 3, 4, 5, 6, 8)
# By what they are called, where no packing names them: scales and their like, of a module with narrow numbers.
_SCALES = re.compile(r"scale|zero_?point|(^|_)zeros?$|absmax")
_SEVERAL = 64  # elements from which whole numbers may be a matrix, and not a flag or an extent


class Packed(NamedTuple):
    """One packed matrix: its format in words, the weights it stands for (None: not told), the tensors beside it."""

    label: str
    parameters: int | None
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quantization:
    """What a config says of how its checkpoint is quantised: the method, bits and the weights of a group, if it does.

    ``groups`` gives the weights of a group by module where they differ, as MLX writes it.
    """

    method: str = ""
    bits: int | None = None
    group: int | None = None
    groups: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Quantization:
        """Return what ``quantization_config`` of a config.json says, nothing where there is none."""
        values = config.get("quantization_config", config.get("quantization"))
        text = config.get("text_config")
        if values is None and isinstance(text, Mapping):
            values = text.get("quantization_config")
        if not isinstance(values, Mapping):
            return cls()
        each = _settings(values)
        bits = values.get("bits", values.get("w_bit", _common(each, "num_bits")))
        method = values.get("quant_method", "")
        differing = {name: own["group_size"] for name, own in values.items() if _is_group(own)}
        group = values if _is_group(values) else {"group_size": _common(each, "group_size")}
        return cls(
            str(method),
            bits if type(bits) is int and 1 <= bits <= 16 else None,
            group["group_size"] if _is_group(group) else None,
            differing,
        )


def _settings(values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what is said of weights: by compressed-tensors for each group of modules, by HQQ for all or by module."""
    groups, hqq = values.get("config_groups"), values.get("quant_config")
    said = (
        [group.get("weights") for group in groups.values() if isinstance(group, Mapping)] if _is_table(groups) else []
    )
    if _is_table(hqq):
        own = hqq if "weight_quant_params" in hqq else None
        said += [each.get("weight_quant_params") for each in ([own] if own else hqq.values()) if _is_table(each)]
    return [each for each in said if _is_table(each)]


def _is_table(values: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(values, Mapping)


def _common(settings: list[Mapping[str, Any]], key: str) -> Any:
    """Return what all settings say under a key, None where they differ or are silent."""
    found = [each.get(key) for each in settings]
    return found[0] if found and all(each == found[0] for each in found) else None


def _is_group(values: object) -> bool:
    """Return whether keys give the number of weights that share a scale."""
    return isinstance(values, Mapping) and type(values.get("group_size")) is int and values["group_size"] > 0


class Neighbours:
    """The tensors of a checkpoint by name, asked for those beside another."""

    def __init__(self, tensors: Mapping[str, Tensor], stated: Quantization) -> None:
        self.tensors = tensors
        self.stated = stated
        self.by_leaf: dict[str, list[Tensor]] = {}
        for name, tensor in tensors.items():
            self.by_leaf.setdefault(name[name.rfind(".") + 1 :], []).append(tensor)
        self._occurring: dict[tuple[str, ...], list[str]] = {}

    def get(self, name: str) -> Tensor | None:
        return self.tensors.get(name)

    def present(self, stem: str, *leaves: str) -> tuple[str, ...]:
        """Return those of the tensors ``stem + leaf`` that there are."""
        if leaves not in self._occurring:  # of the many that packings may have, a checkpoint has one or two
            self._occurring[leaves] = [leaf for leaf in leaves if leaf.rpartition(".")[2] in self.by_leaf]
        tensors = self.tensors
        return tuple([name for leaf in self._occurring[leaves] if (name := stem + leaf) in tensors])


def packed(beside: Neighbours) -> Iterator[tuple[Tensor, Packed]]:
    """Yield every tensor that packs weights and what it packs; others store theirs one by one, as far as is known."""
    for leaf, named_so in beside.by_leaf.items():
        rule = _BY_LEAF.get(leaf) or (_mxfp4 if leaf.endswith("_blocks") else None)
        if rule is None:
            continue
        for tensor in named_so:
            if (packing := rule(tensor, tensor[0][: -len(leaf)], beside)) is not None:
                yield tensor, packing


def unpacked_name(name: str) -> str:
    """Return the name that a packed matrix had before it was packed."""
    stem, _, leaf = name.removesuffix("._data").removesuffix("._data").rpartition(".")  # quanto packs twice
    return f"{stem}.weight".lstrip(".") if leaf in _BY_LEAF else name.removesuffix("_blocks")


def called_scales(beside: Neighbours, known: Container[str]) -> Iterator[str]:
    """Yield the names, but the known, that are called scales and stand in a module that holds narrow numbers."""
    leaves = {leaf for leaf in beside.by_leaf if _SCALES.search(leaf)}
    left = [tensor[0] for leaf in leaves for tensor in beside.by_leaf[leaf] if tensor[0] not in known]
    if not left:
        return
    narrow = {
        _module(tensor[0])
        for leaf in beside.by_leaf.keys() - leaves
        for tensor in beside.by_leaf[leaf]
        if tensor[1] not in _WIDE and tensor.size >= _SEVERAL
    }
    yield from (name for name in left if _module(name) in narrow)


def _module(name: str) -> str:
    return name[: name.rfind(".") + 1]


def _qweight(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """GPTQ and AWQ: b-bit weights in 32-bit words; zeros are packed alike, so zeros over scales tell the bits."""
    zeros, scales = beside.get(f"{stem}qzeros"), beside.get(f"{stem}scales")
    if tensor.dtype != "I32" or scales is None:
        return None
    bits = beside.stated.bits
    if zeros is not None and scales.size and 32 * zeros.size % scales.size == 0:
        told = 32 * zeros.size // scales.size
        if bits is not None and told != bits and told in _PACKED_BITS:
            raise InputError(
                f"config and headers disagree: got {bits} bits in quantization_config and {told} by the tensors beside "
                f"'{tensor.name}', want the same. Correct the config."
            )
        bits = told if told in _PACKED_BITS else bits
    label = f"{bits}-bit in I32 ({beside.stated.method or 'GPTQ or AWQ'})" if bits else "packed in I32"
    weights = tensor.size * 32 // bits if bits in _PACKED_BITS else None
    return Packed(label, weights, beside.present(stem, "qzeros", "scales", "g_idx"))


def _weight_packed(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """compressed-tensors: integers in 32-bit words, or NVFP4 pairs in bytes with an fp8 scale for 16 weights."""
    leaves = ("weight_scale", "weight_zero_point", "weight_shape", "weight_g_idx", "weight_global_scale",
              "input_global_scale", "input_scale")  # fmt: skip
    others = beside.present(stem, *leaves)
    scale = beside.get(f"{stem}weight_scale")
    if tensor.dtype == "I32":
        bits = beside.stated.bits
        return Packed(f"{bits or '?'}-bit in I32 (compressed-tensors)", _in_words(tensor, scale, beside.stated), others)
    if tensor.dtype == "U8" and (told := _by_scale(tensor, scale, others)):
        return told
    return Packed(f"packed in {tensor.dtype}", None, others)


def _by_scale(tensor: Tensor, scale: Tensor | None, others: tuple[str, ...]) -> Packed | None:
    """Return what bytes hold of which so many share a scale."""
    if scale is None or not scale.size or (form := _BY_BYTES_A_SCALE.get(tensor.size / scale.size)) is None:
        return None
    return Packed(form[0], form[1] * scale.size, others)


def _in_words(tensor: Tensor, scale: Tensor | None, stated: Quantization) -> int | None:
    """Return the weights in rows of 32-bit words, None where that is not told.

    3, 5, 6 or 7 bits leave a rest in a word, which releases before compressed-tensors 0.20 left empty: only the scales
    of groups tell how many weights a row has then.
    """
    bits, group = stated.bits, stated.group
    if bits is not None and group and scale is not None and len(tensor.shape) > 1 and len(scale.shape) > 1:
        inputs = scale.shape[-1] * group
        if tensor.shape[-1] in (-(-inputs * bits // 32), -(-inputs // (32 // bits))):
            return tensor.size // tensor.shape[-1] * inputs
    return tensor.size * 32 // bits if bits in _WHOLE_IN_A_WORD else None


def _weight(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """A matrix under its own name: bitsandbytes, ModelOpt's NVFP4, FP4 with shared exponents, fp8, int8."""
    if tensor.dtype in _PLAIN:
        return None
    others = beside.present(stem, "weight_scale", "weight_scale_inv", "weight_scale_2", "input_scale", "output_scale",
                            "weight_zero_point", "scale_weight", "scale_input", "weight_scales")  # fmt: skip
    if tensor.dtype == "U32":
        return _mlx(tensor, stem, beside)
    if tensor.dtype in _NARROW and others:
        return Packed(tensor.dtype, tensor.size, others)
    if tensor.dtype == "U8":
        return _bytes_of_pairs(tensor, stem, beside, others)
    if tensor.dtype == "I8" and f"{stem}SCB" in beside.tensors:
        return Packed("I8 (bitsandbytes)", tensor.size, beside.present(stem, "SCB", "weight_format"))
    exponents = beside.get(f"{stem}scale")
    if tensor.dtype == "I8" and (told := _by_scale(tensor, exponents, (f"{stem}scale",))):
        return told
    if tensor.dtype in _NARROW and exponents is not None:
        return Packed(tensor.dtype, tensor.size, (f"{stem}scale",))
    if tensor.dtype == "I8" and others:
        return Packed(tensor.dtype, tensor.size, others)
    return None


def _mlx(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """MLX: words of several weights beside a scale, and but for shared exponents a bias, for each group of them."""
    scales, stated = beside.get(f"{stem}scales"), beside.stated
    if scales is None:
        return None
    group = stated.groups.get(stem.removesuffix("."), stated.group)
    bits, rest = divmod(32 * tensor.size, scales.size * group) if group and scales.size else (0, 1)
    told = scales.size * group if group and not rest and bits in _MLX_BITS else None
    label = f"{bits if told else '?'}-bit in U32 (MLX)"
    return Packed(label, told, beside.present(stem, "scales", "biases"))


def _bytes_of_pairs(tensor: Tensor, stem: str, beside: Neighbours, others: tuple[str, ...]) -> Packed | None:
    """Bytes that hold several weights each: bitsandbytes, ModelOpt's NVFP4, FP4 with shared exponents, BitNet."""
    name = tensor.name
    if f"{name}.absmax" in beside.tensors:
        leaves = ("absmax", "quant_map", "nested_absmax", "nested_quant_map", "quant_state.bitsandbytes__nf4",
                  "quant_state.bitsandbytes__fp4")  # fmt: skip
        nf4 = f"{name}.quant_state.bitsandbytes__nf4" in beside.tensors
        return Packed("NF4 (bitsandbytes)" if nf4 else "FP4 (bitsandbytes)", 2 * tensor.size,
                      beside.present(f"{name}.", *leaves))  # fmt: skip
    scale, exponents = beside.get(f"{stem}weight_scale"), beside.get(f"{stem}scale")
    if told := _by_scale(tensor, scale, others) or _by_scale(tensor, exponents, (f"{stem}scale",)):
        return told
    if beside.stated.method == "bitnet":
        return Packed("ternary, 4 in a byte (BitNet)", 4 * tensor.size, others)
    return None


def _mxfp4(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """gpt-oss: two 4-bit weights a byte, one shared exponent for 32 of them (OCP Microscaling Formats 1.0)."""
    scales = beside.get(tensor.name.removesuffix("blocks") + "scales")
    return _by_scale(tensor, scales, (scales.name,)) if tensor.dtype == "U8" and scales else None


def _codes(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """AQLM: each code stands for a group of out x in weights of a codebook (arXiv:2401.06118, section 3)."""
    books = beside.get(f"{stem}codebooks")
    if books is None or len(books.shape) != 4 or len(tensor.shape) != 3:
        return None
    weights = tensor.shape[0] * tensor.shape[1] * books.shape[2] * books.shape[3]
    return Packed("codes (AQLM)", weights, beside.present(stem, "codebooks", "scales"))


def _q_weight(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """EXL2: rows of several widths; the permutation has an entry for each input."""
    order = beside.get(f"{stem}q_invperm") or beside.get(f"{stem}q_perm")
    if tensor.dtype != "I32" or order is None or len(tensor.shape) != 2:
        return None
    leaves = ("q_invperm", "q_perm", "q_scale", "q_scale_max", "q_groups", "q_group_map")
    return Packed("mixed bits (EXL2)", order.size * tensor.shape[1], beside.present(stem, *leaves))


def _hqq(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """HQQ: a scale and a zero for each group of weights (mobiusml/hqq, core/quantize.py), once in a table ``meta``."""
    place = stem if f"{stem}scale" in beside.tensors else f"{stem}meta."
    group = beside.stated.groups.get(place.removesuffix("."), beside.stated.group)
    others = beside.present(place, "scale", "zero")
    return _in_groups(tensor, beside.get(f"{place}scale"), group, label="HQQ", others=others)


def _quanto(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """quanto: ``weight._data`` in whole numbers or fp8, ``weight._data._data`` with several weights in a byte."""
    weight = stem.removesuffix("_data.")
    scale = beside.get(f"{weight}_scale")
    around = beside.present(weight.removesuffix("weight."), "input_scale", "output_scale")
    others = beside.present(weight, "_scale", "_shift") + around
    if weight == stem and scale is not None:
        return Packed(tensor.dtype, tensor.size, others)
    return _in_groups(tensor, scale, None, label="quanto", others=others)


def _in_groups(
    tensor: Tensor, scale: Tensor | None, group: int | None, *, label: str, others: tuple[str, ...]
) -> Packed | None:
    """Return what groups of weights with a scale each hold; a group is a row where scales are a column of one each."""
    if scale is None or (group is None and tensor.dtype in _PLAIN):
        return None
    is_row = len(tensor.shape) == 2 and scale.shape[1:] == (1,)
    weights = scale.size * (group or (tensor.shape[1] if is_row else 0))
    if weights and 1 <= (bits := 8 * tensor.n_bytes // weights) <= 8:
        return Packed(f"{bits}-bit ({label})", weights, others)
    return Packed(f"?-bit ({label})", None, others)


def _trellis(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """EXL3: tiles of 16 x 16 weights, so many words of 16 bits each as one weight takes bits (turboderp, exllamav3)."""
    signs = beside.get(f"{stem}suh") or beside.get(f"{stem}su")
    if tensor.dtype != "I16" or signs is None or len(tensor.shape) != 3:
        return None
    tiles = tensor.shape[0] * tensor.shape[1]
    return Packed(f"{tensor.shape[2] / 16:g}-bit (EXL3)", 256 * tiles,
                  beside.present(stem, "suh", "svh", "su", "sv", "mcg", "mul1"))  # fmt: skip


def _qdata(tensor: Tensor, stem: str, beside: Neighbours) -> Packed | None:
    """torchao: whole numbers or fp8, a weight in each (pytorch/ao, prototype/safetensors)."""
    others = beside.present(stem, "_weight_scale", "_weight_zero_point")
    return Packed(tensor.dtype, tensor.size, others) if tensor.dtype in ("I8", *_NARROW) and others else None


_BY_LEAF: dict[str, Callable[[Tensor, str, Neighbours], Packed | None]] = {
    "qweight": _qweight,
    "weight_packed": _weight_packed,
    "weight": _weight,
    "codes": _codes,
    "q_weight": _q_weight,
    "W_q": _hqq,
    "_data": _quanto,
    "trellis": _trellis,
    "_weight_qdata": _qdata,
}
