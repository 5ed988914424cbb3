"""Which files of a folder are one model, and what is said of those that are left aside or added up."""

from __future__ import annotations

from pathlib import Path

from sizebook.models.checkpoints.held import held_at
from tests.checkpoints.making import Given, folder

A: Given = {"a": ("F32", (2, 2))}
B: Given = {"b": ("F32", (3, 3))}


def found(path: Path) -> tuple[int, tuple[str, ...]]:
    held = held_at(path)
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
    assert held_at(tmp_path).parameters == 13
