"""Files of other programs are read over where that loses nothing, and refused in one line where it would."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sizebook.cli import app
from sizebook.core.errors import InputError

HEAD = b"model,gpu,input_tokens,output_tokens,concurrency"


def run(folder: Path, command: str, name: str, content: bytes, output: str) -> Result:
    (folder / name).write_bytes(content)
    words = [*command.split(), str(folder / name), *(["-o", str(folder / output)] if output else [])]
    return CliRunner().invoke(app, words)


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
