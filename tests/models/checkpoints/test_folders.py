"""Which files of a folder are one model, and what is said of those that are left aside or added up."""

from pathlib import Path

import pytest

from sizebook.models.checkpoints.contents import contents_at
from tests.intake.test_files import refusal
from tests.models.checkpoints.making import Given, folder, pickled_table, pickled_tensor, torch_archive

A: Given = {"a": ("F32", (2, 2))}
B: Given = {"b": ("F32", (3, 3))}


def found(path: Path) -> tuple[int, tuple[str, ...]]:
    held = contents_at(path)
    return held.parameters, held.parts[0].checkpoint.notes


def test_a_series_is_the_model_and_what_lies_beside_is_named(tmp_path: Path) -> None:
    """Without an index both were added up: a consolidated copy under other names counted a second time."""
    folder(tmp_path, A, name="model-00001-of-00002")
    folder(tmp_path, B, name="model-00002-of-00002")
    folder(tmp_path, {"layers.0.a": ("F32", (2, 2))}, name="consolidated")
    assert found(tmp_path) == (13, ("consolidated.safetensors beside were not counted",))


def test_files_of_other_names_are_said_to_be_added_up(tmp_path: Path) -> None:
    folder(tmp_path, A, name="one")
    folder(tmp_path, B, name="two")
    said = "2 files that no index lists were counted together, first one.safetensors, two.safetensors"
    assert found(tmp_path) == (13, (said,))


def test_a_piece_alone_says_so(tmp_path: Path) -> None:
    """It was counted like a model of its own."""
    folder(tmp_path, A, name="model-00001-of-00003")
    said = "one of 3 pieces, the others are not counted: give their folder or index"
    assert found(tmp_path / "model-00001-of-00003.safetensors") == (4, (said,))
    folder(tmp_path / "mp", A, name="model0-mp2")
    assert found(tmp_path / "mp" / "model0-mp2.safetensors") == (4, ())
    folder(tmp_path / "mp", A, name="model1-mp2")
    said = "one of 2 pieces, the others are not counted: give their folder or index"
    assert found(tmp_path / "mp" / "model0-mp2.safetensors") == (4, (said,))


def test_pieces_of_ranks_are_not_taken_for_copies(tmp_path: Path) -> None:
    """Each holds a part of every matrix under the same name: one was said to belong to another checkpoint."""
    folder(tmp_path / "mp", A, name="model0-mp2")
    folder(tmp_path / "mp", A, name="model1-mp2")
    assert refusal(lambda: contents_at(tmp_path / "mp")) == (
        "weights split by rank: got model0-mp2.safetensors and 1 more in mp, want whole matrices. Count the "
        "config.json or params.json beside them, or join the pieces."
    )


@pytest.mark.parametrize(
    "stem", ["consolidated.{}", "mp_rank_{}_model_states", "zero_pp_rank_{}_mp_rank_00_model_states"]
)
def test_pytorch_pieces_of_ranks_too(tmp_path: Path, stem: str) -> None:
    ending = ".pth" if stem.startswith("con") else ".pt"
    content = torch_archive(pickled_table({"a": pickled_tensor("FloatStorage", "0", 4, (2, 2))}), {"0": 16})
    for rank in ("00", "01"):
        (tmp_path / f"{stem.format(rank)}{ending}").write_bytes(content)
    assert refusal(lambda: contents_at(tmp_path)).startswith(
        f"weights split by rank: got {stem.format('00')}{ending} and 1 more"
    )


def test_what_an_optimizer_keeps_is_no_model(tmp_path: Path) -> None:
    """DeepSpeed's copies of the parameters stood beside the model and were added to it."""
    content = torch_archive(pickled_table({"a": pickled_tensor("FloatStorage", "0", 4, (2, 2))}), {"0": 16})
    for name in ("mp_rank_00_model_states.pt", "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt"):
        (tmp_path / name).write_bytes(content)
    assert found(tmp_path) == (4, ())


def test_weights_further_down_are_named(tmp_path: Path) -> None:
    """Sentence-transformers keep a dense layer in a folder of its own."""
    folder(tmp_path, A)
    folder(tmp_path / "2_Dense", B)
    assert found(tmp_path) == (4, ("weights in the folders 2_Dense below were not counted",))


def test_parts_of_a_pipeline_may_say_more_than_library_and_class(tmp_path: Path) -> None:
    """A modular pipeline gives each part its settings too; such a part was left out."""
    folder(tmp_path / "unet", A, name="diffusion_pytorch_model")
    folder(tmp_path / "vae", B, name="diffusion_pytorch_model")
    parts = '{"_class_name": "P", "unet": ["diffusers", "U"], "vae": ["diffusers", "V", {"variant": null}]}'
    (tmp_path / "model_index.json").write_text(parts)
    assert contents_at(tmp_path).parameters == 13
