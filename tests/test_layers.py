"""Imports point down and never in a circle; the rooms below the surfaces stand on the standard library alone."""

import ast
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "sizebook"

# Lowest first. A module belongs to the longest name that fits it (`plans` is what lies beside the rooms in it); it may
# import its own room and every layer before it, but no other room of its own layer.
LAYERS = (
    ("__init__",),
    ("core",),
    ("intake",),
    ("tables",),
    ("models",),
    ("training.tuning", "training.recipe_grammar", "training.number_formats"),
    ("serving.quantities", "training.quantities", "training.recipe"),
    ("formulas",),
    ("serving",),
    ("training",),
    ("plans",),
    ("plans.sizing", "plans.serving", "plans.training"),
    ("plans.fleet", "plans.programme"),
    ("functions",),
    # From here on surfaces, which may import other libraries.
    ("sources",),
    ("scheduling", "market"),
    ("scenarios",),
    ("calculation", "sweeps", "validation"),
    ("actuals", "calibrating", "workbooks"),
    ("reports.charts",),
    ("reports",),
    (
        "reports.reconciliation",
        "reports.sizing",
        "reports.serving",
        "reports.training",
        "reports.fleet",
        "reports.programme",
        "reports.comparison",
        "reports.variance",
    ),
    ("dashboard",),
    ("batch", "excel", "libreoffice"),
    ("web", "api"),
    ("assistant",),
    ("cli",),
    ("__main__",),
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
FIRST_SURFACE = LEVEL["sources"]
# A list of modules by name is a list of imports. That of `models.families` is not: `models.huggingface` imports from it
# by model type, and a mapping may ask it for the type of a model inside its own (the text model of one that sees).
LISTS_THAT_ARE_ASKED = ("models.families",)
# The package's own module hands on the names of `api` when somebody first asks for one: importing it imports nothing.
FRONT_DOOR = "__init__"


def modules(package: Path) -> dict[str, Path]:
    """Return the modules of a package by their name within it; packages by theirs, the outermost as ``__init__``."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)] = path
    return found


def room_of(name: str) -> str | None:
    """Return the longest name in LAYERS that the module or one of its packages has."""
    parts = name.split(".")
    return next((".".join(parts[:n]) for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in LEVEL), None)


def imports(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Yield what a module imports, anywhere in it: modules of the package as ``sizebook.x``, others by full name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; this project imports by full name"
            module = node.module or ""
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                yield inner if inner.removeprefix("sizebook.") in known else module
        elif isinstance(node, ast.Constant) and str(node.value).startswith("sizebook."):
            yield from (str(node.value),) if str(node.value).removeprefix("sizebook.") in known else ()
    if name not in LISTS_THAT_ARE_ASKED:
        yield from (f"sizebook.{module}" for module in listed(name, path, tree) if module in known)


def listed(name: str, path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the modules that strings name: in MODULES, or as ``module:attribute`` in the package of this one."""
    own = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "MODULES" for t in node.targets):
            values = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            yield from values
            yield from (f"{own}.{value}" for value in values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(":") == 1:
            yield f"{own}.{node.value.partition(':')[0]}"


def violations(name: str, path: Path, known: Mapping[str, Path]) -> list[str]:
    """Return what a module imports although its layer may not."""
    room = room_of(name)
    if room is None:
        return [f"{name} is in no layer: name its room in LAYERS"]
    found = []
    for module in dict.fromkeys(imports(name, path, known) if name != FRONT_DOOR else ()):
        top, _, inner = module.partition(".")
        if top == "sizebook":
            other = room_of(inner or "__init__")
            if other is None:
                found.append(f"{name} imports {module}: it is in no layer")
            elif LEVEL[other] > LEVEL[room]:
                found.append(f"{name} imports {module}: it points up")
            elif LEVEL[other] == LEVEL[room] and other != room:
                found.append(f"{name} imports {module}: it points sideways")
        elif LEVEL[room] < FIRST_SURFACE and top not in sys.stdlib_module_names:
            found.append(f"{name} imports {module}: it points out")
    return found


def circle(package: Path) -> list[str]:
    """Return modules that import one another, directly or through others: the first circle that is found."""
    known = modules(package)
    graph = {
        name: {m.removeprefix("sizebook.") for m in imports(name, path, known)} & known.keys() - {name}
        for name, path in known.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return sorted(set(error.args[1]))
    return []


MODULES = modules(PACKAGE)


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name: str) -> None:
    assert violations(name, MODULES[name], MODULES) == []


def test_no_modules_import_one_another() -> None:
    assert circle(PACKAGE) == []


def test_every_layer_names_a_room_that_is_there() -> None:
    assert [room for room in LEVEL if room not in MODULES] == []


def test_the_top_level_holds_packages_only() -> None:
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__init__.pyi", "__main__.py", "py.typed"}


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES.values()}), ids=lambda p: p.name)
def test_every_package_says_in_one_line_what_it_holds(folder: Path) -> None:
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    first = said.partition("\n\n")[0]
    assert first.endswith(".") and "\n" not in first


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package whose every room but core is as it should not be."""
    files = {
        "__init__": "__version__ = '1'\n",
        "core/__init__": "",
        "core/errors": "import math\n",
        "core/units": "from sizebook import __version__\nfrom sizebook.core import errors\n",
        "formulas/bad": "import numpy\nimport math\n\ndef late():\n    from sizebook.plans.fleet import plan\n",
        "plans/fleet/plan": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sizebook.cli import app\n",
        "plans/serving/plan": "from sizebook.plans.training.plan import plan_training\n",
        "plans/training/plan": "from sizebook.core.errors import require\n",
        "functions/__init__": 'MODULES = ("formulas.bad",)\n',
        "cli/__init__": 'COMMANDS = {"call": "asking:call"}\n',
        "cli/asking": "import sizebook.functions\nPLACE = 'sizebook.cli.messages'\n",
        "cli/messages": "from sizebook import cli\n",
        "loose/bad": "import polars\n",
        "models/catalog": "from sizebook.loose import bad\n",
    }
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_the_walk_finds_what_points_up_sideways_or_out(package: Path) -> None:
    known = modules(package)
    found = {name: violations(name, path, known) for name, path in known.items()}
    assert {name: said for name, said in found.items() if said} == {
        "formulas.bad": [
            "formulas.bad imports numpy: it points out",
            "formulas.bad imports sizebook.plans.fleet.plan: it points up",
        ],
        "loose.bad": ["loose.bad is in no layer: name its room in LAYERS"],
        "models.catalog": ["models.catalog imports sizebook.loose.bad: it is in no layer"],
        "plans.fleet.plan": ["plans.fleet.plan imports sizebook.cli: it points up"],
        "plans.serving.plan": ["plans.serving.plan imports sizebook.plans.training.plan: it points sideways"],
    }


def test_the_walk_finds_circles_through_functions_annotations_and_strings(package: Path) -> None:
    assert circle(package) == ["cli", "cli.asking", "cli.messages"]
    (package / "cli" / "messages.py").write_text("")
    assert circle(package) == ["cli", "cli.asking", "formulas.bad", "functions", "plans.fleet.plan"]
    (package / "functions" / "__init__.py").write_text("MODULES = ()\n")
    assert circle(package) == []
