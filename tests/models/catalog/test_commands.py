"""`sizebook models` and `sizebook reconcile` as a user runs them."""

import csv
import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import openpyxl
import pytest
from click.testing import Result
from pypdf import PdfReader

from sizebook.batch import inspection, reconciliation_files
from sizebook.core.errors import SizebookError, UnknownKeyError
from sizebook.core.tables import table
from sizebook.core.texts import THIN_SPACE
from sizebook.models import catalog
from sizebook.models.reconciliation import compare
from sizebook.models.searching import facts_of, read_again, unread_again
from sizebook.reports.reconciliation.report import report
from sizebook.reports.render import write_pdf
from tests.commands import run
from tests.row_lists import listed


def refusal(result: Result) -> str:
    assert isinstance(result.exception, SizebookError)
    return str(result.exception)


def test_models_prints_computed_beside_published() -> None:
    lines = run("models", "--family", "gpt-3").output.splitlines()
    assert lines[0].split() == [
        *("model", "organisation", "released", "context", "total"),
        *("active", "published", "difference", "status"),
    ]
    assert len(lines) == 9
    assert lines[-1].split() == [
        *("gpt-3-175b", "OpenAI", "2020-05-28", "2", "048", "174", "604", "259", "328"),
        *("175.0B", "-395", "740", "672", "explained"),
    ]


def test_models_sorts_by_any_column_blanks_last() -> None:
    ascending = [row["key"] for row in csv.DictReader(io.StringIO(run("models", "--sort", "total", "--csv").output))]
    descending = [row["key"] for row in csv.DictReader(io.StringIO(run("models", "--sort", "-total", "--csv").output))]
    closed = {key for key in ascending if not catalog.facts(key)["architecture"]}
    assert set(ascending[-len(closed) :]) == set(descending[-len(closed) :]) == closed
    totals = [catalog.counted(key).total for key in ascending[: -len(closed)]]
    assert totals == sorted(totals)
    assert [catalog.counted(key).total for key in descending[: -len(closed)]] == totals[::-1]


def found(*conditions: str) -> list[str]:
    return [model["key"] for model in json.loads(run("models", *conditions, "--json").output)]


def test_models_are_found_by_any_part_of_a_name() -> None:
    assert found("--search", "CODER qwen3") == ["qwen3-coder-480b-a35b"]
    assert "llama-3.1-70b" in found("--search", "3.1-70")
    assert found("--search", "meta-llama/Llama-3.1-8B") == ["llama-3.1-8b"]


def test_models_are_found_by_size_date_and_licence() -> None:
    conditions = ("--search", "llama", "--min-total", "60B", "--max-total", "80B", "--released-from", "2024-07-01")
    assert found(*conditions) == [
        "llama-3.1-70b",
        "llama-3.3-70b",
        "deepseek-r1-distill-llama-70b",
        "llama-3.1-nemotron-70b",
    ]
    assert found(*conditions, "--released-until", "2024-07-23") == ["llama-3.1-70b"]
    assert set(found("--licence", "apache")) == {
        row["key"] for row in table("models") if "apache" in row["licence"].casefold()
    }
    assert found("--search", "llama-3.1-8b", "--min-total", "8030261248", "--max-total", "8030261248") == [
        "llama-3.1-8b"
    ]


def test_a_month_lies_wholly_in_the_days_asked_for_or_not_at_all() -> None:
    row = next(row for row in table("models") if len(row["release_date"]) == 7)
    month = row["release_date"]
    assert row["key"] in found("--released-from", f"{month}-01", "--family", row["family"])
    assert row["key"] not in found("--released-from", f"{month}-02")


def test_a_model_without_dimensions_has_no_size() -> None:
    closed = {row["key"] for row in table("models") if not row["architecture"]}
    assert closed
    assert not closed & set(found("--min-total", "1"))


def test_models_say_which_facts_were_read_again() -> None:
    bert = json.loads(run("models", "--search", "bert-base", "--json").output)[0]
    assert bert["read_again"] == (
        "context_length vocabulary activation attention licence published_total checkpoint_total"
    )
    assert "release_date" in bert["not_read_again"].split()
    for row in table("models"):
        assert sorted((*read_again(row), *unread_again(row))) == sorted(facts_of(row))


def test_models_as_json_holds_parts_that_add_up() -> None:
    models = json.loads(run("models", "--family", "llama-3.1", "--json").output)
    assert [model["key"] for model in models] == ["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"]
    assert all(sum(model["parts"].values()) == model["total"] for model in models)
    assert models[1]["gpu_hours"] == 7_000_000
    assert models[1]["energy_mwh"] is None


@pytest.mark.parametrize(*listed("models/catalog", "test_an_unknown_word_is_refused_with_the_nearest"))
def test_an_unknown_word_is_refused_with_the_nearest(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert refusal(result) == message
    assert isinstance(result.exception, UnknownKeyError)


def test_reconcile_says_what_needed_an_explanation() -> None:
    result = run("reconcile")
    assert result.exit_code == 0
    assert "    0 unexplained" in result.output
    assert "gpt-3-xl (total): stated 1.3B, computed 1 517 123 584, explained. 24 heads of 128" in (
        result.output.replace(THIN_SPACE, " ")
    )


def test_the_workbook_starts_with_gpt_3_and_lists_every_model(tmp_path: Path) -> None:
    path = tmp_path / "reconciliation.xlsx"
    assert run("reconcile", "-o", str(path)).exit_code == 0
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["GPT-3", "Models"]
    rows = list(book["GPT-3"].iter_rows(min_row=5, values_only=True))
    assert [row[0] for row in rows] == [catalog.facts(key)["name"] for key in catalog.model_keys("gpt-3")]
    # Table 2.1, 175B: 96 layers, 12288 wide, 96 heads of 128; weights alone as derived in 2023.
    assert rows[-1][2:8] == (175_000_000_000, 96, 12288, 96, 128, 174_588_899_328)
    keys = {row[-1] for row in book["Models"].iter_rows(min_row=5, values_only=True)}
    assert keys == set(catalog.model_keys())


@pytest.mark.parametrize("kind", ["xlsx", "pdf"])
def test_a_reconciliation_says_what_it_was_made_of(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.10.0 wrote both without a record, and inspecting them was refused."""
    path, few = tmp_path / f"r.{kind}", tuple(compare(key) for key in catalog.model_keys("gpt-3"))
    reconciliation_files.write_reconciliation(few, path)
    monkeypatch.setattr(inspection, "reconcile", lambda: few)
    found = inspection.inspect(path)
    assert (found.record["reconciliation"], found.causes, found.moved, found.problem) == (8, (), (), "")
    shown = run("inspect", str(path))
    assert shown.exit_code == 0
    assert shown.output.splitlines()[2:] == [
        "compares  8 stated counts with computed ones", "", "today     the same figures",
        "since     version, formulas, data and inputs are the same",
    ]  # fmt: skip
    # 174 588 899 328 weights; biases and norms are 13 widths of 12 288 in each of 96 layers, and 2 at the end.
    other = tuple(replace(one, computed=1) if one.key == "gpt-3-175b" else one for one in few)
    monkeypatch.setattr(inspection, "reconcile", lambda: other)
    assert inspection.inspect(path).moved == (inspection.ChangedFigure("gpt-3-175b, total", 174_604_259_328, 1),)


def test_the_pdf_takes_gpt_3_apart_behind_its_first_page(tmp_path: Path) -> None:
    path = tmp_path / "reconciliation.pdf"
    # One family: the whole catalog takes WeasyPrint ten seconds.
    write_pdf(report(tuple(compare(key) for key in catalog.model_keys("gpt-3")), date(2026, 11, 21)), path)
    second = PdfReader(path).pages[1].extract_text()
    assert "GPT-3, table 2.1" in second
    assert "174 588 899 328" in second.replace(THIN_SPACE, " ").replace("\u2009", " ")
    assert [file.name for file in tmp_path.iterdir()] == ["reconciliation.pdf"]


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "reconciliation.docx"
    assert refusal(run("reconcile", "-o", str(path))) == (
        "unknown format: got 'reconciliation.docx', want a name that ends in .pdf or .xlsx. Rename it."
    )
    assert not path.exists()
