"""German pages: the prose is translated by hand, every block in them is the block of the English page, which is run."""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(r"^```.*?^```$|^@@$", re.DOTALL | re.MULTILINE)  # @@ in a new page: the next block goes here


def german_pages() -> list[Path]:
    """Return the pages in German."""
    return sorted((DOCS / "de").rglob("*.md"))


def english(page: Path) -> Path:
    """Return the page that a German one translates: the README for the first."""
    path = page.relative_to(DOCS / "de")
    return DOCS.parent / "README.md" if path.name == "start.md" else DOCS / path


def translated(page: Path) -> str:
    """Return a German page with the blocks of the English one, in their order."""
    text, source = page.read_text(encoding="utf-8"), english(page)
    blocks = BLOCK.findall(source.read_text(encoding="utf-8"))
    if (found := len(BLOCK.findall(text))) != len(blocks):
        sys.exit(f"blocks of {page}: got {found}, want {len(blocks)} as in {source}. Translate anew.")
    return BLOCK.sub(lambda _: blocks.pop(0), text)
