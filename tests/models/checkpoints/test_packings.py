"""Quantised checkpoints: a packed matrix counts as the weights that it stands for, whatever it is stored in.

Every case is a matrix of 64 outputs and 256 inputs, 16,384 weights, beside a norm of 256 in bf16; the extents of what
is stored follow the format's own description.
"""

import re
from math import prod
from pathlib import Path
from typing import Any

import pytest

from sizebook.models.checkpoints.contents import contents_at
from sizebook.models.checkpoints.packings import Quantization
from sizebook.models.checkpoints.tensors import Tensor
from sizebook.models.checkpoints.weighing import Weighed
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names, verify
from tests.commands import run
from tests.intake.test_files import refusal
from tests.models.checkpoints.making import WIDTH, Given, folder, pickled_table, pickled_tensor, torch_archive, whole
from tests.models.made_checkpoints import TINY

NORM: Given = {"norm.weight": ("BF16", (256,))}
OUT, IN = 64, 256
LIKE_COMPRESSED = {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 4}}}}
IN_GROUPS = {
    bits: {
        "quant_method": "compressed-tensors",
        "config_groups": {name: {"weights": {"num_bits": bits, "group_size": 128}} for name in ("all", "others")},
    }
    for bits in (3, 6)
}

PACKED: dict[str, tuple[Given, dict[str, Any], str, int]] = {
    # 8 four-bit weights a word along the inputs, 2 groups of 128; zeros packed along the outputs.
    "GPTQ, 4 bits": (
        {"l.qweight": ("I32", (IN // 8, OUT)), "l.qzeros": ("I32", (2, OUT // 8)), "l.scales": ("F16", (2, OUT)),
         "l.g_idx": ("I32", (IN,))}, {}, "4-bit in I32 (GPTQ or AWQ)", 8_192 + 64 + 256 + 1_024),
    # 32 three-bit weights in 3 words.
    "GPTQ, 3 bits": (
        {"l.qweight": ("I32", (IN * 3 // 32, OUT)), "l.qzeros": ("I32", (2, OUT * 3 // 32)),
         "l.scales": ("F16", (2, OUT))},
        {"quant_method": "gptq", "bits": 3}, "3-bit in I32 (gptq)", 6_144 + 48 + 256),
    "AWQ, along the outputs": (
        {"l.qweight": ("I32", (IN, OUT // 8)), "l.qzeros": ("I32", (2, OUT // 8)), "l.scales": ("F16", (2, OUT))},
        {"quant_method": "awq", "bits": 4}, "4-bit in I32 (awq)", 8_192 + 64 + 256),
    "bitsandbytes NF4": (
        {"l.weight": ("U8", (OUT * IN // 2, 1)), "l.weight.absmax": ("U8", (256,)),
         "l.weight.quant_map": ("F32", (16,)),
         "l.weight.nested_absmax": ("F32", (1,)), "l.weight.nested_quant_map": ("F32", (256,)),
         "l.weight.quant_state.bitsandbytes__nf4": ("U8", (80,))}, {}, "NF4 (bitsandbytes)",
        8_192 + 256 + 64 + 4 + 1_024 + 80),
    "bitsandbytes, 8 bits": (
        {"l.weight": ("I8", (OUT, IN)), "l.SCB": ("F32", (OUT,)), "l.weight_format": ("U8", (1,))}, {},
        "I8 (bitsandbytes)", 16_384 + 256 + 1),
    "compressed-tensors, 4 bits": (
        {"l.weight_packed": ("I32", (OUT, IN // 8)), "l.weight_scale": ("BF16", (OUT, 2)),
         "l.weight_shape": ("I64", (2,))},
        LIKE_COMPRESSED, "4-bit in I32 (compressed-tensors)", 8_192 + 256 + 16),
    # 24 words hold 256 weights of three bits without a rest; with ten in a word and a rest of two bits it takes 26.
    "compressed-tensors, 3 bits": (
        {"l.weight_packed": ("I32", (OUT, 24)), "l.weight_scale": ("BF16", (OUT, 2)), "l.weight_shape": ("I64", (2,))},
        IN_GROUPS[3], "3-bit in I32 (compressed-tensors)", 6_144 + 256 + 16),
    "compressed-tensors, 3 bits with rests": (
        {"l.weight_packed": ("I32", (OUT, 26)), "l.weight_scale": ("BF16", (OUT, 2)), "l.weight_shape": ("I64", (2,))},
        IN_GROUPS[3], "3-bit in I32 (compressed-tensors)", 6_656 + 256 + 16),
    "compressed-tensors, 6 bits": (
        {"l.weight_packed": ("I32", (OUT, 48)), "l.weight_scale": ("BF16", (OUT, 2))},
        IN_GROUPS[6], "6-bit in I32 (compressed-tensors)", 12_288 + 256),
    "MXFP6 of compressed-tensors": (
        {"l.weight_packed": ("U8", (OUT, IN * 3 // 4)), "l.weight_scale": ("U8", (OUT, IN // 32))}, {}, "MXFP6",
        12_288 + 512),
    # A scale and a zero for 64 weights; 3 bits as ten in a word.
    "HQQ, 4 bits": (
        {"l.W_q": ("U8", (OUT // 2, IN)), "l.scale": ("F16", (256, 1)), "l.zero": ("F16", (256, 1)),
         "l.shape": ("I64", (2,))},
        {"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64, "axis": 1}}},
        "4-bit (HQQ)", 8_192 + 512 + 512 + 16),
    "HQQ, 3 bits by module": (
        {"l.W_q": ("I32", (26, 64)), "l.scale": ("F16", (1, 256)), "l.zero": ("F16", (1, 256))},
        {"quant_method": "hqq", "quant_config": {"l": {"weight_quant_params": {"nbits": 3, "group_size": 64}}}},
        "3-bit (HQQ)", 6_656 + 512 + 512),
    # Nothing states the group: scales are a column, so a group is a row.
    "HQQ, 2 bits": (
        {"l.W_q": ("U8", (64, 64)), "l.scale": ("BF16", (256, 1)), "l.zero": ("BF16", (256, 1))}, {}, "2-bit (HQQ)",
        4_096 + 512 + 512),
    # As optimum-quanto 0.2.7 writes it: groups of 128, two weights in a byte, and scales of activations.
    "quanto, 4 bits": (
        {"l.weight._data._data": ("U8", (64, 128)), "l.weight._scale": ("BF16", (128, 1)),
         "l.weight._shift": ("BF16", (128, 1)), "l.input_scale": ("BF16", ()), "l.output_scale": ("BF16", ())}, {},
        "4-bit (quanto)", 8_192 + 256 + 256 + 4),
    "quanto, 8 bits": (
        {"l.weight._data": ("I8", (OUT, IN)), "l.weight._scale": ("BF16", (OUT, 1)), "l.input_scale": ("BF16", ())},
        {}, "I8", 16_384 + 128 + 2),
    # Tiles of 16 x 16 weights, 16 bits in a word: 64 words a tile are 4 bits a weight.
    "EXL3": (
        {"l.trellis": ("I16", (IN // 16, OUT // 16, 64)), "l.suh": ("F16", (IN,)), "l.svh": ("F16", (OUT,)),
         "l.mcg": ("I32", ())}, {"quant_method": "exl3", "bits": 4.0}, "4-bit (EXL3)", 8_192 + 512 + 128 + 4),
    "EETQ": (
        {"l.weight": ("I8", (IN, OUT)), "l.weight_scales": ("F16", (OUT,))}, {"quant_method": "eetq"}, "I8",
        16_384 + 128),
    "NVFP4 of compressed-tensors": (
        {"l.weight_packed": ("U8", (OUT, IN // 2)), "l.weight_scale": ("F8_E4M3", (OUT, IN // 16)),
         "l.weight_global_scale": ("F32", (1,))}, {}, "NVFP4", 8_192 + 1_024 + 4),
    "NVFP4 of ModelOpt": (
        {"l.weight": ("U8", (OUT, IN // 2)), "l.weight_scale": ("F8_E4M3", (OUT, IN // 16)),
         "l.weight_scale_2": ("F32", ()), "l.input_scale": ("F32", ())}, {}, "NVFP4", 8_192 + 1_024 + 8),
    # One shared exponent for 32 weights, 16 bytes.
    "MXFP4 of gpt-oss": (
        {"mlp.gate_up_proj_blocks": ("U8", (1, OUT, IN // 32, 16)),
         "mlp.gate_up_proj_scales": ("U8", (1, OUT, IN // 32))},
        {}, "MXFP4", 8_192 + 512),
    # 64 weights share a scale and a bias; 8 of four bits fill a word. One module may have its own bits or group.
    "MLX, 4 bits": (
        {"l.weight": ("U32", (OUT, IN // 8)), "l.scales": ("BF16", (OUT, IN // 64)),
         "l.biases": ("BF16", (OUT, IN // 64))}, {"bits": 4, "group_size": 64}, "4-bit in U32 (MLX)", 8_192 + 1_024),
    "MLX, another module": (
        {"l.weight": ("U32", (OUT, IN // 4)), "l.scales": ("BF16", (OUT, IN // 32)),
         "l.biases": ("BF16", (OUT, IN // 32))},
        {"bits": 4, "group_size": 64, "l": {"bits": 8, "group_size": 32}}, "8-bit in U32 (MLX)", 16_384 + 2_048),
    "MLX, shared exponents": (
        {"l.weight": ("U32", (OUT, IN // 8)), "l.scales": ("U8", (OUT, IN // 32))},
        {"bits": 4, "group_size": 32, "mode": "mxfp4"}, "4-bit in U32 (MLX)", 8_192 + 512),
    # Called scales and beside narrow numbers: no weights, whatever method names them so.
    "fp8 of FBGEMM": (
        {"l.weight": ("F8_E4M3", (OUT, IN)), "l.weight_scale": ("F32", (OUT, 1)), "l.input_scale_ub": ("F32", (1,))},
        {"quant_method": "fbgemm_fp8"}, "F8_E4M3", 16_384 + 256 + 4),
    "fp8 under names of its own": (
        {"l._weight_qdata": ("F8_E4M3", (OUT, IN)), "l._weight_scale": ("F32", (OUT, 1))}, {}, "F8_E4M3",
        16_384 + 256),
    # As torchao 0.18 writes it: 4-bit whole numbers too take a byte each.
    "int8 of torchao": (
        {"l._weight_qdata": ("I8", (OUT, IN)), "l._weight_scale": ("BF16", (OUT, IN // 64)),
         "l._weight_zero_point": ("I8", (OUT, IN // 64))}, {"quant_method": "torchao"}, "I8", 16_384 + 512 + 256),
    "fp8 experts in one tensor": (
        {"mlp.experts.gate_up_proj": ("F8_E4M3", (2, OUT // 2, IN)),
         "mlp.experts.gate_up_proj_scale_inv": ("F32", (2, 1, 2))}, {}, "F8_E4M3", 16_384 + 16),
    "fp8 of ComfyUI": (
        {"l.weight": ("F8_E4M3", (OUT, IN)), "l.scale_weight": ("F32", ()), "scaled_fp8": ("F8_E4M3", (2,))}, {},
        "F8_E4M3", 16_384 + 4 + 2),
    "NVFP4 with scales before it": (
        {"l.weight": ("U8", (OUT, IN // 2)), "l.weight_scale": ("F8_E4M3", (OUT, IN // 16)),
         "l.weight_scale_2": ("F32", ()), "l.pre_quant_scale": ("BF16", (IN,))}, {}, "NVFP4",
        8_192 + 1_024 + 4 + 512),
    "F4 of safetensors": (
        {"l.weight": ("F4", (OUT, IN)), "l.weight_scale": ("F8_E4M3", (OUT, IN // 16))}, {}, "F4", 8_192 + 1_024),
    "FP4 with shared exponents": (
        {"l.weight": ("I8", (OUT, IN // 2)), "l.scale": ("F8_E8M0", (OUT, IN // 32))}, {}, "MXFP4", 8_192 + 512),
    "fp8 in blocks": (
        {"l.weight": ("F8_E4M3", (OUT, IN)), "l.weight_scale_inv": ("F32", (1, 2))}, {}, "F8_E4M3", 16_384 + 8),
    "fp8 with scales of the cache": (
        {"l.weight": ("F8_E4M3", (OUT, IN)), "l.weight_scale": ("F32", ()), "l.k_scale": ("F32", ())}, {}, "F8_E4M3",
        16_384 + 8),
    # A code of two books stands for 8 inputs.
    "AQLM": (
        {"l.codes": ("I8", (OUT, IN // 8, 2)), "l.codebooks": ("F16", (2, 256, 1, 8)),
         "l.scales": ("F16", (OUT, 1, 1, 1))},
        {}, "codes (AQLM)", 4_096 + 8_192 + 128),
    "EXL2": (
        {"l.q_weight": ("I32", (40, OUT)), "l.q_invperm": ("I32", (IN,)), "l.q_scale": ("I32", (2, OUT // 8)),
         "l.q_scale_max": ("F16", (2,)), "l.q_groups": ("I32", (4,))}, {}, "mixed bits (EXL2)",
        10_240 + 1_024 + 64 + 4 + 16),
}  # fmt: skip


def weighed(path: Path, tensors: Given, quantization: dict[str, Any]) -> Weighed:
    config = {"quantization_config": quantization} if quantization else None
    return contents_at(folder(path, {**tensors, **NORM}, config)).parts[0].weighed


@pytest.mark.parametrize(("tensors", "quantization", "label", "n_bytes"), PACKED.values(), ids=PACKED.keys())
def test_a_packed_matrix_counts_its_weights(
    tmp_path: Path, tensors: Given, quantization: dict[str, Any], label: str, n_bytes: int
) -> None:
    found = weighed(tmp_path, tensors, quantization)
    assert found.is_exact
    assert found.parameters == OUT * IN + 256
    assert {mix.label: mix.parameters for mix in found.mixes} == {label: OUT * IN, "BF16": 256}
    assert found.n_bytes == n_bytes + 512
    assert found.scales.tensors + found.buffers.tensors == len(tensors) - 1


def test_a_packing_that_nothing_tells_is_counted_as_stored_and_named(tmp_path: Path) -> None:
    tensors: Given = {"l.weight_packed": ("I32", (OUT, IN // 8)), "l.weight_scale": ("BF16", (OUT, 2))}
    found = weighed(tmp_path, tensors, {})
    assert (found.parameters, found.is_exact) == (OUT * IN // 8 + 256, False)
    assert found.unknown == ("?-bit in I32 (compressed-tensors), such as l.weight_packed",)
    strange = weighed(tmp_path / "strange", {"l.w_nibbles": ("U8", (OUT, IN // 2))}, {})
    assert (strange.parameters, strange.unknown) == (8_192 + 256, ("U8, such as l.w_nibbles",))


@pytest.mark.parametrize("place", ["l", "l.meta"])
def test_a_pickled_module_states_its_own_packing(tmp_path: Path, place: str) -> None:
    """HQQ's own qmodel.pt, as it is and as it was once: groups of 64 down the columns, which no extent tells."""
    scale = pickled_tensor("HalfStorage", "1", 256, (1, 256))
    said = {"nbits": whole(3), "group_size": whole(64), "scale": scale, "zero": scale}
    inner = {"meta": pickled_table(said)} if place == "l.meta" else said
    table = pickled_table({"W_q": pickled_tensor("IntStorage", "0", 7 * 256, (7, 256)), **inner})
    norm = pickled_tensor("BFloat16Storage", "2", 256, (256,))
    content = torch_archive(pickled_table({"l": table, "n": norm}), {"0": 7 * 1024, "1": 512, "2": 512})
    (tmp_path / "qmodel.pt").write_bytes(content)
    found = contents_at(tmp_path / "qmodel.pt").parts[0].weighed
    assert {mix.label: mix.parameters for mix in found.mixes} == {"3-bit (HQQ)": 16_384, "BF16": 256}
    assert (found.is_exact, found.scales.n_bytes) == (True, 512)


def test_groups_that_nothing_tells_are_named(tmp_path: Path) -> None:
    """7 rows of ten 3-bit weights in a word are groups of 61 to 70: they were buffers, and the count said exact."""
    down: Given = {"l.W_q": ("I32", (7, 256)), "l.scale": ("F16", (1, 256)), "l.zero": ("F16", (1, 256))}
    assert weighed(tmp_path, down, {}).unknown == ("?-bit (HQQ), such as l.W_q",)
    other: Given = {"attn.W_q": ("BF16", (OUT, IN)), "attn.scale": ("BF16", (1,))}  # a query matrix of that name
    assert weighed(tmp_path / "query", other, {}).mixes[0].parameters == OUT * IN + 256 + 1


@pytest.mark.parametrize("bits", [3, 6])
def test_bits_that_leave_a_rest_in_a_word_need_groups(tmp_path: Path, bits: int) -> None:
    """26 words of three bits are 277 weights, or ten a word in a row of 256: 277 were said to be exact."""
    tensors: Given = {"l.weight_packed": ("I32", (OUT, 26)), "l.weight_scale": ("BF16", (OUT, 1))}
    stated = {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": bits}}}}
    found = weighed(tmp_path, tensors, stated)
    assert found.unknown == (f"{bits}-bit in I32 (compressed-tensors), such as l.weight_packed",)
    assert found.parameters == 26 * OUT + 256


def test_a_config_that_does_not_tell_is_not_asked_for(tmp_path: Path) -> None:
    config = {"quantization_config": {"quant_method": "vptq"}}
    path = folder(tmp_path, {"l.indices": ("I32", (OUT, IN)), **NORM}, config)
    done = run("count", path)
    assert (
        "packing not known: I32, such as l.indices; counted as stored, so the parameters may be more. Its "
        "quantization_config says 'vptq', of which this packing is not described.\n"
    ) in done.stdout


def test_a_method_of_which_no_tensor_is_known_is_named(tmp_path: Path) -> None:
    """SpQR packs 21 weights of three bits in a 64-bit word: 0 parameters, said to be exact, before."""
    tensors: Given = {
        "l.dense_weights": ("I64", (5_000,)), "l.row_offsets": ("I32", (64,)), "l.col_vals": ("I32", (100,))
    }  # fmt: skip
    found = weighed(tmp_path, tensors, {"quant_method": "spqr"})
    assert (found.parameters, found.unknown) == (5_000 + 256, ("I64, such as l.dense_weights",))
    other = {"l.weight": ("U32", (OUT, IN // 8)), "l.scales": ("BF16", (OUT, IN // 64))}
    for stated in ({}, {"bits": 4}, {"bits": 4, "group_size": 48}):
        assert weighed(tmp_path / "mlx", other, stated).unknown == ("?-bit in U32 (MLX), such as l.weight",)


def test_scales_of_modules_without_narrow_numbers_are_weights(tmp_path: Path) -> None:
    """Norms of diffusion transformers call their gain a scale."""
    plain: Given = {"query_norm.scale": ("BF16", (IN,)), "query.weight": ("BF16", (OUT, IN))}
    assert weighed(tmp_path, plain, {}).parameters == IN + OUT * IN + 256
    beside: Given = {"query_norm.scale": ("BF16", (IN,)), "query.weight": ("F8_E4M3", (OUT, IN))}
    assert weighed(tmp_path / "narrow", beside, {}).parameters == IN + OUT * IN + 256


def test_a_config_that_states_other_bits_than_the_tensors_is_refused(tmp_path: Path) -> None:
    tensors = PACKED["GPTQ, 4 bits"][0]
    assert refusal(lambda: weighed(tmp_path, tensors, {"quant_method": "gptq", "bits": 8})) == (
        "config and headers disagree: got 8 bits in quantization_config and 4 by the tensors beside 'l.qweight', want "
        "the same. Correct the config."
    )


def test_buffers_are_no_parameters(tmp_path: Path) -> None:
    buffers: Given = {
        "h.0.attn.bias": ("F32", (1, 1, 32, 32)),
        "h.0.attn.masked_bias": ("F32", ()),
        "rotary_emb.inv_freq": ("F32", (16,)),
        "embeddings.position_ids": ("I64", (1, 512)),
    }
    found = weighed(tmp_path, {**buffers, "h.0.attn.c_attn.bias": ("F32", (96,))}, {})
    assert found.parameters == 96 + 256
    assert (found.buffers.tensors, found.buffers.n_bytes) == (4, 4096 + 4 + 64 + 4096)


@pytest.mark.parametrize(("tensors", "quantization"), [each[:2] for each in PACKED.values()], ids=PACKED.keys())
def test_verify_reads_a_packed_matrix_as_count_does(tensors: Given, quantization: dict[str, Any]) -> None:
    """The matrix of 64 outputs and 256 inputs as the second of a feed-forward block: most packings differed."""
    place = "model.layers.0.mlp.down_proj"
    config = Config({**TINY, "intermediate_size": IN}, "config.json")
    names = predicted_names(architecture(config))
    del names["layers.0.mlp.down_proj.weight"]
    stored = [Tensor(f"model.{name}", "BF16", shape, 0) for name, shape in names.items()]
    stored += [
        Tensor(re.sub(r"^(l|mlp)\.", f"{place}.", name), dtype, shape, int(prod(shape) * WIDTH[dtype]))
        for name, (dtype, shape) in tensors.items()
    ]
    stated = {place if key == "l" else key: value for key, value in quantization.items()}
    found = verify(architecture(config), stored, Quantization.of({"quantization_config": stated}))
    assert found.agrees, found.differences
    assert found.matched == found.predicted == 21
