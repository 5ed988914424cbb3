"""Files that are empty, in another encoding or of another kind are refused in one line, before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from openpyxl import Workbook

from sizebook.cli import app
from sizebook.core.errors import InputError

SCENARIO = b'plan = "sizing"\nmodel = "llama-3.1-8b"\n'
LATIN_CSV = "model,dtype\nllama-3.1-8b,caf\xe9\n".encode("latin-1")
HEAD = b"model,gpu,input_tokens,output_tokens,concurrency"
NO_WORKBOOK = (
    "not a workbook: got in.xlsx, want an .xlsx or .xlsm file without a password. Save it in that format from Excel."
)


def run(folder: Path, command: str, name: str, content: bytes, output: str) -> Result:
    (folder / name).write_bytes(content)
    words = [*command.split(), str(folder / name), *(["-o", str(folder / output)] if output else [])]
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize(
    ("command", "name", "content", "output", "message"),
    [
        ("report", "in.toml", SCENARIO + b'title = "caf\xe9"\n', "out.pdf",
         "not UTF-8: got byte 0xe9 in line 3 of in.toml, want a scenario file in UTF-8. Save it in that encoding."),
        ("data check", "in.csv", LATIN_CSV, "",
         "not UTF-8: got byte 0xe9 in line 2 of in.csv, want a CSV file in UTF-8. Save it in that encoding."),
        ("batch", "in.csv", b"model,dtype,dtype\nllama-3.1-8b,bf16,fp8\n", "out",
         "column given twice: got dtype more than once in in.csv, want each name once. Remove or rename one."),
        ("sweep", "in.csv", HEAD + b",gpu\nllama-3.1-8b,h100-sxm,1,2,3,l40s\n", "out.csv",
         "column given twice: got gpu more than once in in.csv, want each name once. Remove or rename one."),
        ("batch", "in.xlsx", b"", "out", NO_WORKBOOK),
        ("sweep", "in.xlsx", b"PK", "out.csv", NO_WORKBOOK),
    ],
)  # fmt: skip
def test_refused_with_nothing_written(
    tmp_path: Path, command: str, name: str, content: bytes, output: str, message: str
) -> None:
    done = run(tmp_path, command, name, content, output)
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == message
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_workbook_with_a_column_twice_is_refused(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(["model", "dtype", "dtype"])
    book.active.append(["llama-3.1-8b", "bf16", "fp8"])
    book.save(tmp_path / "in.xlsx")
    done = CliRunner().invoke(app, ["batch", str(tmp_path / "in.xlsx"), "-o", str(tmp_path / "out")])
    assert str(done.exception) == (
        "column given twice: got dtype more than once in in.xlsx, want each name once. Remove or rename one."
    )


def test_a_byte_order_mark_before_a_scenario_is_read_over(tmp_path: Path) -> None:
    done = run(tmp_path, "plan train", "in.toml", b"\xef\xbb\xbf" + b'plan = "training"\nmodel = "gpt-2"\n', "")
    assert str(done.exception).splitlines()[0] == (
        "in.toml: missing key: got no 'gpu', want accelerator, form factor included, such as h100-sxm. Add a line 'gpu "
        "= ...'."
    )


def test_a_sweep_names_the_columns_that_it_does_not_read(tmp_path: Path) -> None:
    done = run(tmp_path, "sweep", "in.csv", HEAD + b",tpp,site\nllama-3.1-8b,h100-sxm,9,9,1,2,Bern\n", "out.csv")
    assert done.exit_code == 0
    assert "columns kept but not read: tpp (Did you mean 'tp'?), site\n" in done.stderr


@pytest.mark.parametrize("words", [["demo", "--output"], ["batch", "BATCH", "-o"]])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "batch.csv").write_text("model\ngpt-2\n", encoding="utf-8")
    folder = tmp_path / "batch.csv" / "out"  # below a file
    given = [str(tmp_path / "batch.csv") if word == "BATCH" else word for word in words]
    done = CliRunner().invoke(app, [*given, str(folder)])
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == (
        f"cannot write: got Not a directory for {folder}, want a folder that can be written. Check the path."
    )
