"""The page of errors: what each message says, what came, what it wants and how to mend it, read from the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "sizebook"
MESSAGE = re.compile(r"(?P<problem>[^:`]+): got (?P<got>.+?), want (?P<want>.+?)\. (?P<fix>[A-Z…].*)", re.DOTALL)

HEAD = """# Errors by their words

Written from the source by `make generated`; do not edit. A message says `problem: got X, want Y. Fix.`; look for its
first words here. `…` stands for what the message fills in, such as your value. A blank cell is all filled in: the
message itself says it. A cell shows an error value: [`SIZEBOOK_WHY`](functions/help.md#sizebook_why) gives its message.

| problem | what came | what is wanted | what to do |
|---|---|---|---|"""
_FEW = 2  # words; a wish and a fix of fewer tell nobody what to do


def errors_page() -> str:
    """Return the page as Markdown, a line for each message, by its first words."""
    came: dict[tuple[str, str, str], set[str]] = {}
    for problem, got, want, fix in _messages():
        if max(_n_words(want), _n_words(fix)) >= _FEW:
            came.setdefault((problem, want, fix), set()).add(got)
    rows = sorted(
        ((problem, "; ".join(sorted(filter(None, map(_said, got)))), _said(want), _said(fix))
         for (problem, want, fix), got in came.items()),
        key=lambda row: (row[0].casefold(), row),
    )  # fmt: skip
    return "\n".join((HEAD, *(f"| {' | '.join(row)} |" for row in rows))) + "\n"


def _messages() -> Iterator[tuple[str, str, str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr | ast.Constant) and (found := MESSAGE.fullmatch(words(node))):
                yield _cell(found["problem"]), _cell(found["got"]), _cell(found["want"]), _cell(found["fix"])


def _n_words(text: str) -> int:
    return len(re.findall(r"[A-Za-z]{2,}", text))


def _said(text: str) -> str:
    """Return a text, blank where all of it but small words is filled in."""
    return text if re.search(r"\w", re.sub(r"\b(?:and|at|for|in|of)\b", "", text)) else ""


def words(node: ast.JoinedStr | ast.Constant) -> str:
    """Return a text of the source with … for what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(words(part) if isinstance(part, ast.Constant) else "…" for part in node.values)


def _cell(text: str) -> str:
    text = re.sub(r"%[ds]|\{\w+\}", "…", text)  # filled in later
    return re.sub(r"\s+", " ", text.strip()).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")
