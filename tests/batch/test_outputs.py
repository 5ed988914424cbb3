"""Outputs of a scenario: the same bytes from every process, the same figures in every format, and what inspect says."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf
import pytest
from click.testing import CliRunner

from sizebook.batch import inspection, record
from sizebook.batch.formats import FORMATS, LONG_TABLES, parse_formats, produce_files
from sizebook.batch.inspection import ChangedFigure, inspect, read_record
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.batch.record import file_hash, is_hashed
from sizebook.cli import app
from sizebook.core.errors import InputError
from sizebook.core.figure_label import FigureLabel
from tests.commands import run
from tests.refused import message_of

VALUES = {
    "plan": "serving", "title": "Assistant <b>&</b> \u2713", "model": "gpt-2-small", "gpu": "l4",
    "requests_per_day": "2M", "input_tokens": 100, "output_tokens": 20, "as_of": "2026-11-21", "months": 2,
    "traffic": {"hours_csv": "hours.csv"},
}  # fmt: skip
HOURS = "requests\n" + "1\n" * 23 + "4\n"
MAKE = """
import json, sys
from pathlib import Path
from sizebook.batch.formats import FORMATS, produce_files
from sizebook.batch.plan_kinds import plan_scenario
folder = Path(sys.argv[2])
produce_files(plan_scenario(json.loads(sys.argv[1]), "s", folder), folder / "out", "s", tuple(FORMATS))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the outputs of one scenario in every format."""
    found = tmp_path_factory.mktemp("outputs")
    (found / "hours.csv").write_text(HOURS)
    produce_files(plan_scenario(VALUES, "s", found), found / "out", "s", tuple(FORMATS))
    return found


def out(folder: Path, kind: str) -> Path:
    return folder / "out" / f"s.{kind}"


def test_another_process_writes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "hours.csv").write_text(HOURS)
    words = [sys.executable, "-c", MAKE, json.dumps(VALUES), str(tmp_path)]
    subprocess.run(words, env=os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}, check=True)
    for kind in FORMATS:
        assert out(tmp_path, kind).read_bytes() == out(folder, kind).read_bytes(), kind


def test_every_format_carries_the_same_record_and_figures(folder: Path) -> None:
    records = {kind: read_record(out(folder, kind)) for kind in FORMATS}
    assert all(found == records["json"] for found in records.values())
    found = records["json"]
    assert found["scenario"] == VALUES
    assert found["inputs"] == {"hours.csv": record.file_hash(folder / "hours.csv")}
    assert found["figures"]["months"] == 2
    rows = list(csv.DictReader(io.StringIO(out(folder, "csv").read_text(encoding="utf-8"), newline="")))
    usd = [row for row in rows if row["table"] == "months" and row["name"] == "usd"]
    assert [row["row"] for row in usd] == ["1", "2"]
    assert {row["unit"] for row in usd} == {"USD"}
    assert sum(float(row["value"]) for row in usd) == pytest.approx(found["figures"]["usd"], rel=1e-12)
    tables = json.loads(out(folder, "json").read_bytes())["tables"]
    assert [float(row["value"]) for row in usd] == [month["usd"] for month in tables["months"]]


def test_a_pdf_carries_scenario_figures_and_workbook(folder: Path) -> None:
    attached = pypdf.PdfReader(out(folder, "pdf")).attachments
    assert set(attached) == {"scenario.toml", "figures.json", "serving_capacity.xlsx"}
    assert attached["figures.json"][0] == out(folder, "json").read_bytes()
    assert attached["serving_capacity.xlsx"][0] == out(folder, "xlsx").read_bytes()
    path = folder / "again.toml"
    path.write_bytes(attached["scenario.toml"][0])
    target = folder / "again.json"
    done = run("report", path, "-o", target)
    assert done.output.splitlines()[-1] == str(target)
    assert json.loads(target.read_bytes())["figures"] == json.loads(out(folder, "json").read_bytes())["figures"]


def test_a_report_alone_fills_no_workbook_unless_it_is_asked_for(tmp_path: Path) -> None:
    """On 0.13.0 a report of a second took four more for a workbook that nobody had asked for."""
    scenario = tmp_path / "s.toml"
    scenario.write_text('plan = "sizing"\nmodel = "gpt2"\n')
    for words, attached in (((), set()), (("--attach-workbook",), {"model_sizing.xlsx"})):
        CliRunner().invoke(
            app, ["report", str(scenario), "-o", str(tmp_path / "s.pdf"), *words], catch_exceptions=False
        )
        assert set(pypdf.PdfReader(tmp_path / "s.pdf").attachments) == {"scenario.toml", "figures.json"} | attached


def test_a_page_needs_no_other_file_and_its_record_cannot_end_its_script(folder: Path) -> None:
    text = out(folder, "html").read_text(encoding="utf-8")
    assert "<link" not in text and "url(" not in text.replace("url(data:", "") and 'src="http' not in text
    assert text.count("</script>") == text.count("<script") == 1
    assert "Assistant &lt;b&gt;&amp;&lt;/b&gt; \u2713" in text


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_that_comes_out_the_same_says_so(folder: Path, kind: str) -> None:
    found = inspect(out(folder, kind), folder)
    assert (found.causes, found.moved, found.same_bytes, found.problem, found.is_same) == ((), (), True, "", True)


@pytest.fixture
def changed(folder: Path, tmp_path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """A copy of the figures, and its content to be changed."""
    (tmp_path / "hours.csv").write_text(HOURS)
    yield tmp_path / "s.json", json.loads(out(folder, "json").read_bytes())


def inspected(changed: tuple[Path, dict[str, Any]]) -> inspection.Inspection:
    path, content = changed
    path.write_text(json.dumps(content))
    return inspect(path)


def test_figures_that_moved_are_named_with_every_cause(changed: tuple[Path, dict[str, Any]]) -> None:
    path, content = changed
    usd = content["figures"]["usd"]["value"]
    content["figures"]["usd"]["value"] = usd / 2
    content["sizebook"] |= {"sizebook": "0.6.0", "formulas": "0"}
    prices = content["sizebook"]["data"]["prices"]
    today = prices["retrieved"]
    prices |= {"sha256": "0", "retrieved": "2025-01-01"}
    content["sizebook"]["data"]["gone"] = {"sha256": "0", "retrieved": ""}
    (path.parent / "hours.csv").write_text(HOURS + "\n")
    found = inspected(changed)
    assert found.moved == (ChangedFigure("usd", usd / 2, usd),)
    assert found.causes == (
        f"version: 0.6.0, today {record.__version__}",
        "formulas: other sources than today's",
        "data: gone is gone",
        f"data: prices of 2025-01-01, today of {today}",
        "input: hours.csv changed",
    )
    said = run("inspect", path)
    assert said.exit_code == 1
    assert "today     1 figures differ\n" in said.output
    assert f"  usd: {usd / 2:.6g} -> {usd:.6g} (+100.00%)\nwhy       version: 0.6.0, today " in said.output


def test_a_file_that_somebody_changed_is_told_apart(changed: tuple[Path, dict[str, Any]]) -> None:
    path, content = changed
    content["figures"]["usd"]["value"] *= 2
    assert inspected(changed).causes == ()
    said = run("inspect", path).output
    assert "why       no recorded input differs: the file was edited, or a library has another version" in said


def test_a_scenario_that_is_refused_today_says_why(changed: tuple[Path, dict[str, Any]]) -> None:
    path, _ = changed
    (path.parent / "hours.csv").unlink()
    found = inspected(changed)
    assert found.causes == ("input: hours.csv is missing",)
    assert found.problem.startswith("cannot read: got No such file or directory for ") and not found.is_same
    assert "today     refused: cannot read: " in run("inspect", path).output


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "unknown kind of file: got 'a.txt', want one of .pdf, .xlsx, .json, .html, .csv. Give an output "
         "of sizebook."),
        ("a.html", b"<p>", "no record: got a.html without one, want a file that sizebook wrote since 0.7.0. Make it "
         "anew from its scenario."),
        ("a.json", b'{"figures": {}}', "no record: got a.json without one, want a file that sizebook wrote since "
         "0.7.0. Make it anew from its scenario."),
        ("a.pdf", b"%PDF-1.7\n", "not a PDF: got Stream has ended unexpectedly in a.pdf, want a file that sizebook "
         "wrote. Make it anew."),
    ],
)  # fmt: skip
def test_a_file_without_a_record_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert message_of(InputError, inspect, tmp_path / name) == message


def test_a_workbook_that_was_filled_again_carries_one_record(folder: Path) -> None:
    with zipfile.ZipFile(out(folder, "xlsx")) as parts:
        assert parts.namelist().count("customXml/sizebook.xml") == 1
        assert {info.date_time for info in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_formats_are_a_list_of_known_ones() -> None:
    assert parse_formats("json, PDF,json") == ("pdf", "json")
    with pytest.raises(InputError) as refused:
        parse_formats("pfd")
    message = "unknown format: got 'pfd', want 'pdf', or one of xlsx, json, html, csv. Correct it."
    assert str(refused.value) == message
    assert message_of(InputError, parse_formats, "zip", LONG_TABLES) == (
        "unknown format: got 'zip', want one of pdf, xlsx, json, html, csv and 3 others. docs/reports.md lists them."
    )
    with pytest.raises(InputError, match="unknown format: got ''"):
        parse_formats(",")


def test_an_edit_of_the_same_size_in_a_folder_is_seen(tmp_path: Path) -> None:
    """A checkpoint's folder: its small files count by what they hold, weights by how large they are."""
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / "config.json").write_text('{"n_layer": 12}')
    before = file_hash(folder)
    (folder / "config.json").write_text('{"n_layer": 24}')
    assert file_hash(folder) != before
    (folder / "config.json").write_text('{"n_layer": 12}')
    assert file_hash(folder) == before
    assert before.startswith("config.json: ") and is_hashed(before)


def test_damaged_records_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"sizebook": {}, "figures": {"usd": 1}}')
    assert message_of(InputError, read_record, tmp_path / "a.json") == (
        "no record: got a.json without one, want a file that sizebook wrote since 0.7.0. Make it anew from its "
        "scenario."
    )
    (tmp_path / "a.csv").write_text("table,row\n" + "x" * 200_000)
    assert message_of(InputError, read_record, tmp_path / "a.csv") == (
        "not CSV: got field larger than field limit (131072) in a.csv, want a file that sizebook wrote. Make it anew."
    )


def test_a_head_says_its_unit_once() -> None:
    assert FigureLabel("GPUs of a replica", "GPUs").heading == "GPUs of a replica"
    assert FigureLabel("GPUs, first month", "GPUs").heading == "GPUs, first month"
    assert FigureLabel("Cost", "USD").heading == "Cost, USD"
    assert FigureLabel("Ratio", "").heading == "Ratio"


def test_without_a_day_of_its_own_a_file_is_compared_as_of_the_day_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its workbook leaves the day blank, as its scenario does, and its report prints that of the making."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # 14 November 2023
    planned = plan_scenario({"model": "gpt-2-small"}, "s", tmp_path)
    files = {name: tmp_path / f"s.{name}" for name in FORMATS}
    for name, path in files.items():
        path.write_bytes(FORMATS[name].content(planned))
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    found = {name: inspect(path) for name, path in files.items()}
    assert {name: each.same_bytes for name, each in found.items()} == dict.fromkeys(FORMATS, True)
    assert {each.record["as_of"] for each in found.values()} == {"2023-11-14"}
