"""Which files the cells of a workbook may read: its neighbours and named folders, whatever a formula asks for."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sizebook.core.errors import InputError, SizebookError
from sizebook.excel.callables import excel_function
from sizebook.functions import load
from sizebook.intake import allowed_files
from sizebook.models.functions import config_params

CONFIG = {
    "model_type": "llama",
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "vocab_size": 10,
}
# Embedding and head 2 x 80, attention 4 x 64, feed-forward 3 x 128, norms 3 x 8.
COUNTED = 2 * 80 + 4 * 64 + 3 * 128 + 3 * 8


@pytest.fixture
def book_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workbook's folder with a config beside it and one above it."""
    monkeypatch.delenv("SIZEBOOK_FILES", raising=False)
    folder = tmp_path / "books"
    (folder / "inner").mkdir(parents=True)
    for place in (folder, folder / "inner", tmp_path):
        (place / "config.json").write_text(json.dumps(CONFIG))
    allowed_files.set_workbook_folder(str(folder))
    yield folder
    allowed_files.set_workbook_folder("")


def cell(*given: str) -> str:
    """Return what a cell shows for CONFIG_PARAMS, or why it does not."""
    refused: list[SizebookError] = []
    shown = excel_function(load()["CONFIG_PARAMS"], refused.append)([list(given)])
    return str(refused[0]) if refused else str(shown)


@pytest.mark.parametrize("path", ["config.json", "inner/config.json", "inner/../config.json", "{}/config.json"])
def test_files_beside_the_workbook_are_read(book_folder: Path, path: str) -> None:
    assert cell(path.format(book_folder)) == str(float(COUNTED))


@pytest.mark.parametrize("path", ["../config.json", "{}/config.json", "inner/link.json"])
def test_others_are_not(book_folder: Path, path: str) -> None:
    (book_folder / "inner" / "link.json").symlink_to(book_folder.parent / "config.json")
    asked = path.format(book_folder.parent)
    assert cell(asked) == (
        f"file outside the allowed folders: got '{asked}', want a file below {book_folder}. Put it beside the "
        "workbook, or name its folder in SIZEBOOK_FILES of the environment."
    )
    assert config_params(str(book_folder.parent / "config.json")) == COUNTED, "Python and the command line may"


def test_a_named_folder_is_read(book_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_FILES", f"{book_folder / 'none'}{os.pathsep}{book_folder.parent}")
    assert cell("../config.json") == str(float(COUNTED))


def test_off_reads_nothing(book_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_FILES", "off")
    assert cell("config.json") == (
        "files not allowed in cells: got 'config.json', want no file in a cell. "
        "Whoever set SIZEBOOK_FILES=off allows it."
    )
    assert cell("sample") == "1043584.0", "the package's own file"


NETWORK = (r"\\server\share\config.json", "//server/share/config.json", r"\\?\C:\config.json")


@pytest.mark.parametrize("path", NETWORK)
def test_a_network_is_never_asked(book_folder: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(os.path, "realpath", lambda _: pytest.fail("asked for the path"))
    assert cell(path) == f"file of a network: got '{path}', want a file of this machine. Copy it here first."


@pytest.mark.parametrize("folder", ["", "https://d.docs.live.net/1/books", r"\\server\share"])
def test_a_workbook_without_a_folder_of_this_machine_has_no_neighbours(book_folder: Path, folder: str) -> None:
    allowed_files.set_workbook_folder(folder)
    asked = book_folder / "config.json"
    assert cell(str(asked)) == (
        f"file outside the allowed folders: got '{asked}', want a file below no folder. Put it beside the "
        "workbook, or name its folder in SIZEBOOK_FILES of the environment."
    )


def test_a_workbook_in_a_web_folder_is_told_so(book_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Excel gives the address of OneDrive or SharePoint for its folder; on 0.13.0 that was dropped without a word."""
    address = "https://d.docs.live.net/1/books"
    allowed_files.set_workbook_folder(address)
    assert cell("config.json") == (
        f"workbook in a web folder: got 'config.json' beside '{address}', want a folder of this machine. Name the "
        "folder that OneDrive keeps here in SIZEBOOK_FILES of the environment, and give the whole path of the file."
    )
    monkeypatch.setenv("SIZEBOOK_FILES", str(book_folder))
    assert cell(str(book_folder / "config.json")) == str(float(COUNTED))


def test_rates_need_their_whole_path(book_folder: Path) -> None:
    """They are read once, and the same name may be another file in another workbook."""
    with allowed_files.asked_by_a_cell(), pytest.raises(InputError) as refused:
        allowed_files.refuse_relative(Path("rates.csv"))
    assert str(refused.value) == (
        "name without its folder: got 'rates.csv', want the whole path in a cell. Write it out."
    )
    allowed_files.refuse_relative(Path("rates.csv"))


def test_own_rates_read_for_one_workbook_are_asked_for_again_by_the_next(book_folder: Path) -> None:
    """They are read once; whether a cell may read them is asked each time."""
    rates = book_folder / "rates.csv"
    rates.write_bytes((Path(__file__).parents[1] / "own_rates.csv").read_bytes())
    refused: list[SizebookError] = []
    ask = excel_function(load()["SERVING_ERROR"], refused.append)
    given = ["h100-sxm", "vllm", "tpot", "p50", "llama-3.1-8b", str(rates)]
    assert isinstance(ask(*given), float) and refused == []
    allowed_files.set_workbook_folder(str(book_folder / "inner"))
    ask(*given)
    assert str(refused[0]).startswith(
        f"file outside the allowed folders: got '{rates}', want a file below {book_folder / 'inner'}."
    )
