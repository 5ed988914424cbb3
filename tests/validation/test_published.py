"""`sizebook validate`: every shipped figure is within its tolerance, and what is not would be said."""

import json
from pathlib import Path

import pytest

from sizebook.core.errors import SizebookError
from sizebook.validation.published import COLUMNS, tables, validate
from tests.commands import run
from tests.csv_files import rows_of, written
from tests.refused import message_of


def _table(folder: Path, quantity: str, inputs: str, expected: float, tolerance: float) -> Path:
    path = folder / "some.csv"
    row = dict.fromkeys(sorted(COLUMNS), "x") | {
        "quantity": quantity,
        "inputs": inputs,
        "expected": str(expected),
        "relative_tolerance": str(tolerance),
    }
    return written(path, [row])


def test_every_published_figure_is_within_its_tolerance() -> None:
    outside = [r.subject for summary in validate() for r in summary.results if not r.within]
    assert outside == []


def test_every_row_names_its_source_and_day() -> None:
    for path in tables():
        assert all(row["source"] and row["retrieved"] for row in rows_of(path))


def test_a_wrong_figure_is_found(tmp_path: Path) -> None:
    inputs = json.dumps({"gpu_hours": 1000, "watts": 500, "pue": 1.2})
    right, wrong = (validate([_table(tmp_path, "train_energy", inputs, mwh, 0.01)])[0] for mwh in (0.6, 0.7))
    assert (right.within, wrong.within) == (1, 0)
    assert wrong.worst.error == pytest.approx(0.6 / 0.7 - 1)


def test_an_unknown_quantity_and_a_broken_row_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SizebookError) as refused:
        validate([_table(tmp_path, "train_enrgy", "{}", 1, 0)])
    assert str(refused.value).startswith("unknown quantity: got 'train_enrgy', want 'train_energy', or one of ")
    assert str(refused.value).endswith("(some.csv, row 2). docs/accuracy.md lists them.")
    assert message_of(SizebookError, lambda: validate([_table(tmp_path, "train_energy", "{", 1, 0)])) == (
        "broken row: got Expecting property name enclosed in double quotes: line 1 column 2 (char 1) in some.csv, "
        "row 2, "
        "want JSON inputs and numbers. Correct it."
    )


def test_the_command_prints_a_summary_by_quantity() -> None:
    result = run("validate", "--json")
    assert result.exit_code == 0
    by_quantity = {each["quantity"]: each for each in json.loads(result.output)}
    assert by_quantity["activation_bytes"]["worst_error"] == 0
    assert by_quantity["train_days"]["cases"] == by_quantity["train_days"]["within"] == 6


def test_the_published_rows_of_the_shared_table_come_out(shared: Path) -> None:
    """The same quantities in the shared table, computed from its own inputs."""
    from sizebook.formulas.energy import train_co2e_kg, train_energy_kwh

    seen = 0
    for row in rows_of(shared / "truth" / "published.csv"):
        inputs, tolerance = json.loads(row["inputs"]), float(row["relative_tolerance"])
        if row["quantity"] not in ("train_energy", "train_carbon"):
            continue
        energy = train_energy_kwh(inputs["gpu_hours"], inputs["watts"], inputs["pue"], host_share=0)
        carbon = train_co2e_kg(energy, 1000 * inputs.get("kg_per_kwh", 0))
        computed = energy if row["quantity"] == "train_energy" else carbon
        assert computed / 1000 == pytest.approx(float(row["expected"]), rel=tolerance), row["subject"]
        seen += 1
    assert seen >= 7
