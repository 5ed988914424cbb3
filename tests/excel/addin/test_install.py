"""The commands of the add-in, on this machine and on a made-up Windows."""

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from sizebook import __version__
from sizebook.excel.addin import windows_machine as machines
from sizebook.excel.addin.installation import read_settings
from sizebook.excel.addin.xlam_file import FILE_NAME, SHEET_PART
from tests.commands import run
from tests.excel.addin.machines import windows

SETTINGS = {
    "sizebook": __version__,
    "xlwings": "0.37.8",
    "module": "sizebook.excel.classic",
    "interpreter": r"C:\Python312\python.exe",
    "library_32": r"C:\Python312\xlwings32-0.37.8.dll",
    "library_64": r"C:\Python312\xlwings64-0.37.8.dll",
}


def excel(*words: str) -> Result:
    return run("excel", *words)


@pytest.fixture
def on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand on a made-up Windows and return where its add-in goes."""
    startup = tmp_path / "Ada & Łukasz" / "XLSTART"
    monkeypatch.setattr(machines, "read_machine", lambda: windows(startup))
    return startup / FILE_NAME


def test_install_status_update_uninstall(on_windows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert excel("status").output == (
        f"the add-in is not installed: got no {on_windows}, want it there. Run 'sizebook excel install'.\n"
    )
    done = excel("install")
    assert (done.exit_code, done.output) == (
        0,
        f"{on_windows}\nRestart Excel and type =SIZEBOOK_VERSION() into a cell.\n",
    )
    assert read_settings(on_windows) == SETTINGS
    first = on_windows.read_bytes()
    assert excel("update").output == "up to date\n"
    listed = "".join(f"{key}: {value}\n" for key, value in SETTINGS.items())
    assert excel("status").output == f"{on_windows}\n{listed}up to date\n"
    assert excel("doctor").output == (
        "no problem found: 64-bit Python C:\\Python312\\python.exe, xlwings 0.37.8, 64-bit Excel. If cells "
        "still "
        "show errors, run the macro CheckSizebook in Excel (Alt+F8, type the name).\n"
    )
    moved = replace(windows(on_windows.parent), interpreter=Path(r"D:\Käse & Söhne\python.exe"))
    monkeypatch.setattr(machines, "read_machine", lambda: moved)
    assert excel("status").output.splitlines()[-1] == (
        "the add-in is out of date: got one for interpreter C:\\Python312\\python.exe, want one for what is "
        "installed. Run "
        "'sizebook excel update'."
    )
    assert excel("update").output == f"{on_windows}\nRestart Excel.\n"
    assert read_settings(on_windows) == SETTINGS | {"interpreter": r"D:\Käse & Söhne\python.exe"}
    monkeypatch.setattr(machines, "read_machine", lambda: windows(on_windows.parent))
    excel("install")
    assert on_windows.read_bytes() == first
    assert [excel("uninstall").output, excel("uninstall").output] == [f"removed {on_windows}\n", "nothing to remove\n"]
    assert list(on_windows.parent.iterdir()) == []


def test_nothing_is_written_where_it_would_not_work(on_windows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(windows(on_windows.parent), has_pywin32=False)
    monkeypatch.setattr(machines, "read_machine", lambda: broken)
    refused = excel("install")
    assert refused.exit_code == 1
    assert not on_windows.parent.exists()
    doctor = excel("doctor")
    assert (doctor.exit_code, doctor.output.splitlines()) == (
        1,
        [
            "pywin32 is missing: got no module win32api in C:\\Python312\\python.exe, want it. Install it: pip install "
            "pywin32.",
            f"the add-in is not installed: got no {on_windows}, want it there. Run 'sizebook excel install'.",
        ],
    )


def test_a_downloaded_add_in_is_named(on_windows: Path) -> None:
    excel("install")
    Path(f"{on_windows}:Zone.Identifier").touch()  # a stream of the file on Windows, a file of that name elsewhere
    assert excel("doctor").output == (
        f"Windows marked the add-in as downloaded: got {on_windows}, want it unmarked, or Excel leaves it out in "
        "silence. "
        "Run 'sizebook excel install'.\n"
    )


def test_an_add_in_open_in_excel_is_left_alone(on_windows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    excel("install")
    before = on_windows.read_bytes()

    def held(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", held)
    monkeypatch.setattr(Path, "unlink", lambda self, **_: held(self) if self == on_windows else None)
    want = f"the add-in is in use: got {on_windows} open in Excel, want it closed. Close Excel and try again."
    assert [str(excel(word).exception) for word in ("install", "uninstall")] == [want, want]
    assert on_windows.read_bytes() == before


def test_a_file_that_excel_saved_still_tells_its_settings(tmp_path: Path) -> None:
    """Excel moves the texts of cells into a table of their own when it saves."""
    excel("install", "--dry-run", str(tmp_path))
    target = tmp_path / FILE_NAME
    with zipfile.ZipFile(target) as parts:
        kept = {name: parts.read(name) for name in parts.namelist()}
    texts = re.findall(r"<is><t>(.*?)</t></is>", kept[SHEET_PART].decode())
    numbered = iter(range(len(texts)))
    sheet = re.sub(
        r' t="inlineStr"><is>.*?</is>', lambda _: f' t="s"><v>{next(numbered)}</v>', kept[SHEET_PART].decode()
    )
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    before = read_settings(target)
    with zipfile.ZipFile(target, "w") as parts:
        for name, content in (kept | {SHEET_PART: sheet.encode()}).items():
            parts.writestr(name, content)
        parts.writestr(
            "xl/sharedStrings.xml",
            f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{shared}</sst>',
        )
    assert read_settings(target) == before
    assert before["sizebook"] == __version__


def test_dry_run_writes_the_same_file_twice_and_says_what_is_missing_here(tmp_path: Path) -> None:
    first, second = (
        excel("install", "--dry-run", str(tmp_path / "a")),
        excel("install", "--dry-run", str(tmp_path / "b")),
    )
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert (tmp_path / "a" / FILE_NAME).read_bytes() == (tmp_path / "b" / FILE_NAME).read_bytes()
    assert [each.name for each in (tmp_path / "a").iterdir()] == [FILE_NAME]
    assert "would not work here: " in first.output


def test_another_file_under_the_name_is_named(on_windows: Path) -> None:
    on_windows.parent.mkdir(parents=True)
    on_windows.write_text("not a workbook")
    assert str(excel("status").exception) == (
        f"not an add-in of sizebook: got {on_windows}, want one that 'sizebook excel install' made. Run it."
    )
