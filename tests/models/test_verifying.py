"""A checkpoint against its architecture: agreement, other names, fused tensors, what is stored besides, differences."""

import json
from pathlib import Path

from sizebook.core.texts import THIN_SPACE
from sizebook.models.checkpoints.tensors import Tensor
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import Verification, predicted_names, verify
from tests.commands import python
from tests.models.made_checkpoints import TINY, TINY_PARAMETERS, tiny, tiny_tensors, write


def compared(tensors: dict[str, tuple[int, ...]], **changed: object) -> Verification:
    model = architecture(Config({**TINY, **changed}, "config.json")) if changed else tiny()
    return verify(model, (Tensor(n, "BF16", s, 0) for n, s in tensors.items()))


def test_the_checkpoint_as_predicted() -> None:
    result = compared(tiny_tensors())
    assert (result.agrees, result.predicted, result.by_name, result.parameters_predicted) == (
        True, 21, 21, TINY_PARAMETERS,
    )  # fmt: skip


def test_other_names_and_transposed_tensors_match_by_shape() -> None:
    tensors = tiny_tensors()
    tensors["model.layers.0.attention.wq"] = tensors.pop("model.layers.0.self_attn.q_proj.weight")
    tensors["model.layers.0.mlp.w2"] = tensors.pop("model.layers.0.mlp.down_proj.weight")[::-1]
    result = compared(tensors)
    assert (result.agrees, result.by_name, result.matched) == (True, 19, 21)


def test_a_fused_projection_matches_in_sum() -> None:
    tensors = tiny_tensors()
    for name in ("q", "k", "v"):
        del tensors[f"model.layers.1.self_attn.{name}_proj.weight"]
    tensors["model.layers.1.self_attn.qkv_proj.weight"] = (64 + 32 + 32, 64)
    result = compared(tensors)
    assert (result.agrees, result.refolded, result.matched) == (True, 3, 21)


def test_what_is_missing_or_not_predicted_is_named() -> None:
    tensors = tiny_tensors()
    del tensors["model.layers.1.self_attn.k_proj.weight"]
    tensors["model.layers.2.mlp.up_proj.weight"] = (5, 5)
    assert compared(tensors).differences == (
        "not found in layer 1: self_attn.k_proj.weight [32, 64]",
        "not predicted: model.layers.2.mlp.up_proj.weight [5, 5]",
    )


def test_a_tied_head_that_is_stored_is_a_remark() -> None:
    result = compared(tiny_tensors(), tie_word_embeddings=True)
    assert result.agrees
    assert result.remarks == ("heads stored although tied: 6400 elements, 0 bytes",)


def test_scales_of_a_quantised_checkpoint_are_a_remark() -> None:
    stored = [Tensor(name, "F8_E4M3", shape, 0) for name, shape in tiny_tensors().items()]
    result = verify(tiny(), [*stored, Tensor("model.layers.0.mlp.up_proj.weight_scale_inv", "F32", (1, 1), 0)])
    assert result.agrees
    assert result.remarks == ("1 quantisation scales, 0 bytes",)


def test_the_command(tmp_path: Path) -> None:
    write(tmp_path, tiny_tensors())
    done = python("-m", "sizebook", "verify", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "agrees: 21 of 21 predicted tensors found"
    assert "86 848 predicted" in done.stdout.replace(THIN_SPACE, " ")
    (tmp_path / "config.json").write_text(json.dumps({**TINY, "num_hidden_layers": 3}))
    differing = python("-m", "sizebook", "verify", tmp_path)
    assert differing.returncode == 1
    assert "not found in layer 2: self_attn.q_proj.weight [64, 64]" in differing.stderr


def test_two_stacks_numbered_each_from_0_are_matched_across_layers() -> None:
    config = {"model_type": "t5", "architectures": ["T5Model"], "vocab_size": 90, "d_model": 16, "d_kv": 4, "d_ff": 24}
    described = architecture(Config({**config, "num_layers": 2, "num_heads": 4}, "config.json"))
    tensors = []
    for name, shape in predicted_names(described).items():
        for layer, stored in enumerate(
            ("encoder.block.0.", "encoder.block.1.", "decoder.block.0.", "decoder.block.1.")
        ):
            name = name.replace(f"layers.{layer}.", stored)
        tensors.append(Tensor(name, "BF16", shape, 0))
    result = verify(described, tensors)
    assert result.agrees
    assert result.matched == result.predicted == len(tensors)
    missing = verify(described, tensors[:-1])
    assert missing.differences == ("not found in layer 3: DenseReluDense.down_proj.weight [16, 24]",)


def test_a_path_that_leads_nowhere_is_no_checkpoint(tmp_path: Path) -> None:
    done = python("-m", "sizebook", "verify", tmp_path / "nowhere")
    assert (done.returncode, done.stderr) == (
        2,
        f"sizebook: no checkpoint: got {tmp_path / 'nowhere'}, want a file of weights, an index of them or a "
        "folder that holds some. Check the path.\n",
    )
