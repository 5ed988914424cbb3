"""The base install: what stands on it alone, and that everything else names the extra that it wants."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.extras import EXTRAS
from tests.base_only import BASE
from tests.test_layers import PACKAGE, modules

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
IMPORTED_AS = {
    "vl-convert-python": "vl_convert",
    "tomli-w": "tomli_w",
    "fonttools": "fontTools",
    "python-multipart": "python_multipart",
}  # where a distribution is not imported by its own name
OF_THE_OFFICE = {"uno", "unohelper", "com", "org"}  # libreoffice/addin.py runs in LibreOffice's own Python
WORKBOOKS = "openpyxl, lxml, defusedxml, formualizer, psutil"
REPORTS = "babel, jinja2, weasyprint, fontTools, vl_convert, pypdf, tomli_w, rich"


def refused(modules: str, extras: str, instead: str = "") -> str:
    several = "s" if "," in extras else ""
    return (
        f"sizebook: not in this installation: got no {modules}, want the extra{several} {extras.replace(',', ', ')}. "
        f"Run: pip install 'sizebook[{extras}]'{instead}.\n"
    )


NO_WORKBOOKS, NO_REPORTS = refused(WORKBOOKS, "workbooks"), refused(REPORTS, "reports")
NO_BATCH = refused(f"{WORKBOOKS}, {REPORTS}", "workbooks,reports")
NO_SWEEP = refused("numpy, polars, rich, ruamel", "sweep")
SIZING, TRAINING = "workbooks/scenarios/llama-3.1-8b.toml", "reports/training-llama-3.1-70b.toml"
FLEET, SERVING = "workbooks/scenarios/six-services.toml", "reports/serving-llama-3.1-70b.toml"
# Command line -> how its output begins on the base, or the whole refusal. {} is a folder.
COMMANDS = {
    "functions": "\nCARBON\n",
    "call PARAMS_MHA 4096": "67125248\n",
    "count llama-3.1-8b": "llama-3.1-8b, from the catalog\n",
    f"plan train {TRAINING}": "llama-3.1-70b on ",
    f"plan serve {SERVING}": "llama-3.1-70b on ",
    f"plan fleet {FLEET}": "GPUs at peak  96 in 2027-01",
    "plan programme reports/programme-llama-3.1-405b.toml": "Pre-training: llama-3.1-405b",
    "models --search mixtral": "model  ",
    "scenario template sizing": "# ",
    "validate": "quantity  ",
    "data check": "data/hardware.csv: ",
    "reconcile": "   ",
    "excel install --dry-run {}": "{}/sizebook.xlam\n",
    "excel lite -o {}/lite": "{}/lite/main.py\n",
    "excel server -o {}/server": "{}/server/pyproject.toml\n",
    "dashboard -o {}/page.html": "{}/page.html: ",
    "libreoffice build -o {}/sizebook.oxt": "{}/sizebook.oxt\n",
    "completion bash": "_sizebook_completion() {\n",
    "count org/name": refused("huggingface_hub", "hub", ", or give the path of a config.json or checkpoint"),
    "count gpt-2-small --engine transformers": refused(
        "torch, transformers", "torch", ", or leave the option --engine out"
    ),
    f"fill model_sizing.xlsx {SIZING} -o {{}}/x.xlsx": NO_WORKBOOKS,
    "template check model_sizing.xlsx": NO_WORKBOOKS,
    "demo --output {}/demo": NO_BATCH,
    f"batch {SIZING} -o {{}}/batch": NO_BATCH,
    f"report {SIZING} -o {{}}/x.pdf": NO_REPORTS,
    "inspect x.pdf": NO_BATCH,
    "watch .": NO_BATCH,
    "store list": NO_WORKBOOKS,
    "reconcile -o {}/x.pdf": NO_REPORTS,
    "reconcile -o {}/x.xlsx": NO_BATCH,
    "sweep x.csv -o {}/x.csv": NO_SWEEP,
    "web --port 0": refused(
        f"fastapi, starlette, uvicorn, python_multipart, {WORKBOOKS}, {REPORTS}", "web,workbooks,reports"
    ),
    "mcp": refused(
        f"mcp, fastapi, starlette, uvicorn, python_multipart, {WORKBOOKS}, {REPORTS}", "mcp,web,workbooks,reports"
    ),
    "calibrate x.csv -o {}/x.toml": NO_SWEEP,
    "actuals bill x.csv": NO_SWEEP,
    "bridge x.toml y.toml": NO_BATCH,
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("base")
    asked = [[word.replace("{}", str(folder)) for word in line.split()] for line in COMMANDS]
    done = subprocess.run(
        [sys.executable, "-m", "tests.base_only"], input=json.dumps(asked), cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    heard = done.stdout.replace(str(folder), "{}")
    written = {"sizebook.xlam", "lite", "server", "sizebook.oxt", "page.html"}
    assert {path.name for path in folder.iterdir()} == written
    return dict(zip(COMMANDS, json.loads(heard), strict=True))


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_works_on_the_base_or_names_its_extra(said: dict[str, dict[str, Any]], line: str) -> None:
    want, found = COMMANDS[line], said[line]
    if want.startswith("sizebook: "):
        assert (found["code"], found["out"], found["err"]) == (2, "", want)
    else:
        assert found["code"] == 0, found["err"]
        assert found["out"].startswith(want) and found["out"].strip()


def test_every_command_is_asked() -> None:
    from sizebook.cli import COMMANDS as ALL
    from sizebook.cli.plan import PLANS

    asked = [line.split() for line in COMMANDS]
    assert {words[0] for words in asked} == set(ALL) - {"verify"}  # which asks for what count does
    assert {words[1] for words in asked if words[0] == "plan"} == set(PLANS)


def extras_of(tree: ast.Module) -> set[str]:
    """Return the extras that a module asks for, anywhere in it."""
    return {
        argument.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "need"
        for argument in call.args
        if isinstance(argument, ast.Constant)
    }


def third_party(tree: ast.Module) -> Iterator[str]:
    """Yield the libraries that a module imports when it runs; what only a type checker reads does not count."""
    checked = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]  # fmt: skip
    unread = {id(inner) for block in checked for inner in ast.walk(block)}
    for node in ast.walk(tree):
        if id(node) in unread or not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        tops = {name.partition(".")[0] for name in names}
        yield from tops - set(sys.stdlib_module_names) - BASE


def test_every_library_is_in_the_base_or_its_extra_is_asked_for() -> None:
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules(PACKAGE).items()}
    asking = {name: extras_of(tree) for name, tree in trees.items()}
    unasked = []
    for name, tree in trees.items():
        around = [".".join(name.split(".")[:n]) for n in range(1, name.count(".") + 2)]
        asked = set().union(*(asking.get(each, set()) for each in around))
        brought = {module for extra in asked for module in EXTRAS[extra]}
        unasked += [f"{name} imports {library}" for library in set(third_party(tree)) - brought - OF_THE_OFFICE]
    assert unasked == [], "name the library in core/extras.py and pyproject.toml, and ask for its extra with need()"


def names_of(requirements: list[str]) -> set[str]:
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}  # type: ignore[index]
    return {IMPORTED_AS.get(name, name) for name in names}


def test_the_project_declares_what_the_code_asks_for() -> None:
    declared = dict(PROJECT["optional-dependencies"])
    everything = declared.pop("all")
    assert names_of(PROJECT["dependencies"]) == {"click", "xlwings"}
    assert {extra: names_of(requirements) for extra, requirements in declared.items()} == {
        extra: set(names) for extra, names in EXTRAS.items()
    }
    assert everything == [f"sizebook[{','.join(extra for extra in EXTRAS if extra != 'torch')}]"]


def test_a_library_has_one_lower_bound() -> None:
    lines = [line for group in PROJECT["optional-dependencies"].values() for line in group]
    bounds = {line for line in lines if not line.startswith("sizebook")}
    assert len(names_of(sorted(bounds))) == len(bounds)
