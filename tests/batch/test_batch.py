"""Six scenarios, two of them bad: four workbooks and reports, an index, two messages, exit code 1."""

import subprocess
import sys
from pathlib import Path

import pytest
from openpyxl import load_workbook

from sizebook.batch.scenario_list import read_batch
from sizebook.core.errors import InputError
from tests.csv_files import written
from tests.refused import message_of
from tests.row_lists import listed

MODELS = ("llama-3.1-8b", "gpt-2", "no-such-model")
SCENARIOS = [
    *({"name": model, "model": model, "dtype": "bf16"} for model in MODELS),
    {"name": "a/b c", "model": "llama-2-7b", "dtype": "int4", "published_total": "6738415616"},
    {"name": "bad dtype", "model": "gpt-2", "dtype": "bf61"},
    {"name": "gpt-2", "model": "gpt-2", "dtype": "fp32"},
]
COLUMNS = ("name", "model", "dtype", "published_total")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path / "scenarios.csv", [dict.fromkeys(COLUMNS, "") | row for row in SCENARIOS])


def test_six_scenarios_two_of_them_bad(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = [sys.executable, "-m", "sizebook", "batch", str(table), "-o", str(out), "--jobs", "2"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("4 of 6 scenarios done. Index: ")
    failed = [line for line in done.stderr.splitlines() if line.startswith("failed: ")]
    assert failed[0].startswith("failed: scenarios.csv, scenario 3: unknown model: got 'no-such-model', want ")
    assert failed[1].startswith("failed: scenarios.csv, scenario 5: unknown dtype: got 'bf61', want 'bf16', or one of ")
    assert len(failed) == 2
    good = ["a-b-c", "gpt-2", "gpt-2-6", "llama-3.1-8b"]
    assert sorted(path.name for path in out.iterdir()) == sorted(
        [f"{name}.{ending}" for name in good for ending in ("pdf", "xlsx")]
        + ["index.html", "index.xlsx", "journal.sqlite"]
    )
    index = load_workbook(out / "index.xlsx")["Index"]
    lines = {row[0].value: [cell.value for cell in row] for row in index.iter_rows(min_row=2)}
    heads = [cell.value for cell in index[1]]
    assert heads == ["Scenario", "Model", "Status", "pdf", "xlsx", "Parameters, 10⁹ parameters",
                     "Active per token, 10⁹ parameters", "Weights, GB", "Remarks, or the problem"]  # fmt: skip
    # 8 030 261 248 parameters in two bytes each
    files, figures = ["pdf", "xlsx"], [8.030261248, 8.030261248, 16.060522496]
    assert lines["llama-3.1-8b"][:8] == ["llama-3.1-8b", "llama-3.1-8b", "done", *files, *figures]
    links = {cell.coordinate: cell.hyperlink.target for row in index.iter_rows() for cell in row if cell.hyperlink}
    assert (links["D2"], links["E2"], len(links)) == ("llama-3.1-8b.pdf", "llama-3.1-8b.xlsx", 8)
    assert index.auto_filter.ref == "A1:I7"
    assert lines["no-such-model"][2] == "failed"
    assert lines["no-such-model"][8].startswith("scenarios.csv, scenario 3: unknown model: got 'no-such-model', want ")
    assert list(lines) == [*MODELS, "a-b-c", "bad-dtype", "gpt-2-6"]


@pytest.mark.parametrize(*listed("batch", "test_tables_that_cannot_be_read"))
def test_tables_that_cannot_be_read(tmp_path: Path, file: str, content: str, message: str) -> None:
    (tmp_path / file).write_text(content)
    assert message_of(InputError, read_batch, tmp_path / file) == message


def test_no_two_scenarios_nor_the_index_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.csv"
    path.write_text("name,model\nindex,gpt-2\na,gpt-2\na-4,gpt-2\nA,gpt-2\n", encoding="utf-8")
    assert [row.name for row in read_batch(path).rows] == ["index-1", "a", "a-4", "A-4-4"]
