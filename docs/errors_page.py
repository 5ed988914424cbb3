"""The page of errors: what each message says, what it wants and how to mend it, read from the source that raises it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "sizebook"
MESSAGE = re.compile(r"(?P<problem>[^:`]+): got (?P<got>.+?), want (?P<want>.+?)\. (?P<fix>[A-Z…].*)", re.DOTALL)

HEAD = """# Errors by their words

Written from the source by `make generated`; do not edit. A message says `problem: got X, want Y. Fix.`; look for its
first words here. `…` stands for what the message fills in, such as your value. A cell shows an error value:
[`SIZEBOOK_WHY`](functions/help.md#sizebook_why) gives its message.

| problem | what is wanted | what to do |
|---|---|---|"""


def errors_page() -> str:
    """Return the page as Markdown, a line for each message, by its first words."""
    rows = sorted(set(_messages()), key=lambda row: (row[0].casefold(), row))
    return "\n".join((HEAD, *(f"| {' | '.join(row)} |" for row in rows))) + "\n"


def _messages() -> Iterator[tuple[str, str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr | ast.Constant) and (found := MESSAGE.fullmatch(words(node))):
                yield _cell(found["problem"]), _cell(found["want"]), _cell(found["fix"])


def words(node: ast.JoinedStr | ast.Constant) -> str:
    """Return a text of the source with … for what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(words(part) if isinstance(part, ast.Constant) else "…" for part in node.values)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip()).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")
