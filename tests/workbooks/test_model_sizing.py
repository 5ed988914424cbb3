"""The planning workbook `model_sizing.xlsx`, filled and read back by other programs."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("llama-3.1-8b", "mixtral-8x7b", "gpt-2")
PARTS = ("embedding", "lm_head", "attention", "mlp", "router", "norm", "bias", "ssm", "tower", "other")


def by_label(path: Path, sheet: str) -> dict[str, Any]:
    """Return the stored value beside each label of a sheet; the last one where a label occurs twice."""
    rows = load_workbook(path, data_only=True)[sheet].iter_rows(min_col=2, max_col=3, values_only=True)
    return {str(label): value for label, value in rows if label is not None}


@pytest.fixture(scope="module")
def template() -> Path:
    load()
    return bundled("workbooks") / "model_sizing.xlsx"


@pytest.mark.parametrize("model", MODELS)
def test_stored_values_are_what_python_gives(template: Path, tmp_path: Path, model: str) -> None:
    filled = fill(template, {"model": model, "dtype": "nvfp4"}, tmp_path / "out.xlsx")
    assert filled.problems == []
    stored = by_label(tmp_path / "out.xlsx", "Calculation")
    total = call("PARAMS_MODEL", model)
    assert stored["Total parameters"] == total
    assert stored["Active parameters"] == call("PARAMS_ACTIVE", model)
    assert stored["Of the checkpoint, else in the chosen format"] == call("MODEL_BYTES", total, "nvfp4")
    rows = load_workbook(tmp_path / "out.xlsx", data_only=True)["Calculation"].iter_rows(min_col=2, max_col=5)
    parts = {row[3].value: row[1].value for row in rows if str(row[3].value).startswith("PARAMS_MODEL(model, ")}
    for part in PARTS:
        assert parts[f"PARAMS_MODEL(model, {part}): summed over the tensors"] == call("PARAMS_MODEL", model, part)
    assert set(by_label(tmp_path / "out.xlsx", "Checks").values()) <= {None, "OK", "Value"}


def test_llama_by_hand(template: Path, tmp_path: Path) -> None:
    """Llama-3.1-8B: 128256 x 4096 twice, 32 layers of attention, gated block and two norms, one more norm."""
    fill(template, {"model": "llama-3.1-8b"}, tmp_path / "out.xlsx")
    stored = by_label(tmp_path / "out.xlsx", "Calculation")
    layer = 2 * 4096 * 128 * (32 + 8) + 3 * 4096 * 14336 + 2 * 4096
    assert stored["Total parameters"] == 2 * 128256 * 4096 + 32 * layer + 4096 == 8_030_261_248
    assert stored["Of the checkpoint, else in the chosen format"] == 16_060_522_496
    assert stored["Attention, closed form less exact"] == 0
    assert stored["Title of the first chart"] == "Feed-forward blocks hold 70% of the parameters"


@pytest.mark.parametrize("dtype", ["q4_k_m", "q5_k_m", "fp8_block", "int4_wo"])
def test_bytes_without_a_function_are_those_of_model_bytes(template: Path, tmp_path: Path, dtype: str) -> None:
    filled = fill(template, {"model": "deepseek-v3", "dtype": dtype}, tmp_path / "out.xlsx")
    stored = by_label(filled.path, "Calculation")
    assert stored["Of the checkpoint, else in the chosen format"] == call("MODEL_BYTES", 671_026_404_352, dtype)
    rows = load_workbook(filled.path, data_only=True)["Result"].iter_rows(min_col=2, max_col=4, values_only=True)
    shown = {label: n_bytes for label, _, n_bytes in rows}
    for each in ("fp32", "int4", "nvfp4", "q5_k_m", "q4_k_m"):
        assert shown[each] == call("MODEL_BYTES", 671_026_404_352, each)


def test_formulas_stay_live(template: Path, tmp_path: Path) -> None:
    fill(template, {"model": "gpt-2"}, tmp_path / "out.xlsx")
    before, after = load_workbook(template), load_workbook(tmp_path / "out.xlsx")
    for sheet in before.worksheets:
        formulas = {c.coordinate: c.value for row in sheet.iter_rows() for c in row if c.data_type == "f"}
        kept = {at: after[sheet.title][at].value for at in formulas}
        assert kept == formulas
    assert after["Inputs"][before.defined_names["model"].attr_text.partition("!")[2].replace("$", "")].value == "gpt-2"


def test_own_config_is_counted(template: Path, tmp_path: Path) -> None:
    sample = ROOT / "src" / "sizebook" / "data" / "sample_config.json"
    fill(template, {"model": "config.json", "config_path": str(sample)}, tmp_path / "out.xlsx")
    stored = by_label(tmp_path / "out.xlsx", "Calculation")
    assert stored["Total parameters"] == 1_043_584


def test_published_figure_is_compared(template: Path, tmp_path: Path) -> None:
    filled = fill(template, {"model": "llama-3.1-8b", "published_total": 8_000_000_000}, tmp_path / "out.xlsx")
    assert by_label(filled.path, "Calculation")["Counted less published"] == 30_261_248
    assert by_label(filled.path, "Checks")["Within 1 % of the published figure"] == "OK"
    filled = fill(template, {"model": "llama-3.1-8b", "published_total": 7_000_000_000}, tmp_path / "out.xlsx")
    assert by_label(filled.path, "Checks")["Within 1 % of the published figure"] == "CHECK"
    assert by_label(filled.path, "Checks")["All checks"] == "CHECK"
