"""Brings the catalogues of reports up to date: `python release/messages.py`, with --check it only says what is missing.

Found are `text` and `plural` in the sources, `_` in the templates, the labels and units of declared quantities, and
what the catalog explains, and the terms of the glossary. A message that is gone leaves its catalogue; a new one stands
there without a translation until somebody writes it.
"""

import ast
import importlib
import io
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from sizebook import plans
from sizebook.core.sections import Quantity, hints_of, leaves
from sizebook.core.tables import read, table
from sizebook.scenarios.kinds import KINDS

ROOT = Path(__file__).resolve().parents[1]
CATALOGUES = ROOT / "src" / "sizebook" / "reports" / "catalogues"
# Folders whose texts reports show, and what makes one; `config.text` of the models reads a key.
_OF_TEXTS = ("actuals", "batch", "core", "plans", "reports", "scenarios", "serving", "tables", "training")
SPEAKING = dict.fromkeys(_OF_TEXTS, "text") | {"models": "remark"}
# Columns of the catalog that hold sentences and words of ours.
EXPLAINED = ("explanation", "explanation_active", "total_scope", "active_scope")
Message = str | tuple[str, str]


def messages() -> Iterator[Message]:
    """Yield every message."""
    sources = ROOT / "src" / "sizebook"
    for folder, maker in SPEAKING.items():
        for _, _, message, _, _ in extract_from_dir(
            sources / folder, [("**.py", "python")], keywords={maker: None, "plural": (2, 3)}
        ):
            if message:
                yield message
    for _, _, message, _, _ in extract_from_dir(
        ROOT / "templates", [("report.css", "jinja2"), ("**.html", "jinja2")], keywords={"_": None}
    ):
        yield message
    for row in table("models"):
        yield from (row[column] for column in EXPLAINED if row[column])
    for row in read(sources / "reports" / "glossary.csv"):
        yield from ((row["term"], row["meaning"]) if row["translated"] else (row["meaning"],))
    for path in sorted(sources.rglob("*.py")):
        yield from _declared(path)
    yield from _composed()


def _declared(path: Path) -> Iterator[str]:
    """Yield the labels, the units and the words for 0 of the quantities that a module declares."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Quantity", "quantity"):
            stated = [each.value for each in node.keywords if each.arg in ("label", "unit", "zero")]
            for value in (*node.args[1:2], *stated):  # the unit may stand in its place
                if isinstance(value, ast.Constant) and value.value:
                    yield value.value


def _composed() -> Iterator[str]:
    """Yield the labels of keys and of the sections of plans, for functions compose some, such as those of a band."""
    for scenario in KINDS.values():
        yield from (leaf.quantity.label for leaf in leaves(scenario) if leaf.quantity.label)
    for module in pkgutil.walk_packages(plans.__path__, f"{plans.__name__}."):
        for kind in vars(importlib.import_module(module.name)).values():
            for hint in hints_of(kind).values() if isinstance(kind, type) and is_dataclass(kind) else ():
                yield from (each.label for each in get_args(hint) if isinstance(each, Quantity) and each.label)


def catalogue(language: str) -> Catalog:
    """Return a language's catalogue with the messages of today and what is known of their translations."""
    path = CATALOGUES / f"{language}.po"
    known = Catalog(locale=language)
    if path.exists():
        with path.open("rb") as file:
            known = read_po(file, locale=language)
    title = f"# Reports of sizebook: {language}."
    fresh = Catalog(locale=language, project="sizebook", version="1", fuzzy=False, header_comment=title)
    for message in sorted(set(messages()), key=str):
        one = message if isinstance(message, str) else message[0]
        before = known.get(one)
        string = before.string if before else ""
        fresh.add(message, string, flags=before.flags if before else ())
    return fresh


def _strings(message: Any) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def main() -> int:
    """Write the catalogues, or compare them; return 1 where one is out of date or lacks a translation."""
    check, bad = "--check" in sys.argv[1:], 0
    for path in sorted(CATALOGUES.glob("*.po")):
        made = catalogue(path.stem)
        text = io.BytesIO()
        write_po(text, made, width=120, omit_header=False, sort_output=True)
        lines = [line for line in text.getvalue().decode().splitlines(keepends=True) if "-Date:" not in line]
        content = "".join(lines)
        missing = [each.id for each in made if each.id and not all(_strings(each))]
        if check and path.read_text(encoding="utf-8") != content:
            print(f"out of date: {path.name}. Run 'python release/messages.py'.")
            bad = 1
        elif not check:
            path.write_text(content, encoding="utf-8")
        for each in missing:
            print(f"{path.name}: no translation of {each!r}")
        bad |= bool(missing)
    return bad


if __name__ == "__main__":
    sys.exit(main())
