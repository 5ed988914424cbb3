"""The project that `sizebook excel server` writes; `tests/server` serves it and calls it from a browser."""

import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import sizebook
from sizebook.calculation.spellings import prefix
from sizebook.cli.excel import excel
from sizebook.core.errors import InputError
from sizebook.excel.server import server_files
from tests.commands import python
from tests.refused import message_of
from tests.row_lists import listed


def declared(manifest: str) -> dict[str | None, str | None]:
    root = ElementTree.fromstring(manifest)
    return {each.get("id"): each.get("DefaultValue") for each in root.iter() if each.get("id")}


def test_the_project_states_one_address_and_one_namespace_everywhere() -> None:
    files = server_files("team_2", "sizing.example.com")
    assert server_files("team_2", "sizing.example.com") == files
    manifest = declared(files["manifest.xml"])
    assert files["templates/manifest.xml"] == files["manifest.xml"]
    settings = tomllib.loads(files["pyproject.toml"])["tool"]["xlwings_server"]
    assert manifest["Namespace"] == settings["functions_namespace"] == "TEAM_2"
    assert prefix("office-js", "team_2") == f"_xldudf_{manifest['Namespace']}_"
    assert manifest["Code.Url"] == f"https://{settings['hostname']}/xlwings/custom-functions-code.js"
    assert files["requirements.txt"] == f"sizebook=={sizebook.__version__}\nxlwings-server>=1.20,<2\n"
    assert "PolyForm Noncommercial" in files["LICENCE.md"]
    assert "=TEAM_2.PARAMS_MHA(4096)" in files["README.md"]


def test_two_servers_are_two_add_ins() -> None:
    namespace = "{http://schemas.microsoft.com/office/appforoffice/1.1}"
    ids = {
        ElementTree.fromstring(server_files(name, host)["manifest.xml"]).findtext(f"{namespace}Id")
        for name, host in (("A", "one.example"), ("B", "one.example"), ("A", "two.example"), ("a", "ONE.example"))
    }
    assert len(ids) == 3


@pytest.mark.parametrize(*listed("excel", "test_what_excel_would_not_take_is_refused"))
def test_what_excel_would_not_take_is_refused(namespace: str, host: str, message: str) -> None:
    assert message_of(InputError, server_files, namespace, host) == message


def test_the_command_writes_the_project_and_the_page_of_the_pane(tmp_path: Path) -> None:
    done = CliRunner().invoke(excel, ["server", "-o", str(tmp_path)])
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {*server_files("SIZEBOOK", "localhost:8000"), "static/models.html"}
    assert done.stderr == "xlwings Server needs a licence of its own outside noncommercial use: see LICENCE.md there.\n"
    assert "/static/models.html" not in (tmp_path / "templates" / "taskpane.html").read_text()
    assert "static_url_path }}/models.html" in (tmp_path / "templates" / "taskpane.html").read_text()


CACHED = """
from sizebook.excel import officejs
print({getattr(officejs, name).__xlfunc__["cache"] for name in officejs.__all__})
"""


@pytest.mark.parametrize(("folders", "cached"), [("", "{True}"), ("off", "{True}"), ("/srv/models", "{False}")])
def test_answers_are_remembered_where_no_file_can_change_them(folders: str, cached: str) -> None:
    settings = {"XLWINGS_LICENSE_KEY": "noncommercial", "SIZEBOOK_FILES": folders}
    path = str(Path(sizebook.__file__).parents[1])
    done = python("-c", CACHED, env={**settings, "PYTHONPATH": path})
    assert done.stdout == f"{cached}\n", done.stderr
