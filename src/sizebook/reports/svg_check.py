"""Refuses an SVG that would take without end to draw: elements that use one another double with each step."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from sizebook.core.errors import InputError

MOST_ELEMENTS = 100_000  # that are drawn, those that are used counted each time
_REFERENCE = re.compile(r"url\(\s*['\"]?#([^)'\"\s]+)")
_WANTED = "a drawing of its own elements. Simplify it, or save it as .png."


def check_svg(path: Path) -> None:
    """Errors: `InputError` for a file that is no SVG, one with entities, and one that draws too many elements."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if "<!ENTITY" in text:
        raise InputError(f"entities in an SVG: got them in '{path.name}', want {_WANTED}")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"no SVG: got {error} in '{path.name}', want {_WANTED}") from error
    if _Drawing(root).size(root) > MOST_ELEMENTS:
        raise InputError(f"SVG too large: got more than {MOST_ELEMENTS} elements in '{path.name}', want {_WANTED}")


class _Drawing:
    """How many elements are drawn for one, its own content and what it refers to followed."""

    def __init__(self, root: ElementTree.Element) -> None:
        self.by_id = {each.attrib["id"]: each for each in root.iter() if "id" in each.attrib}
        # A style sheet may say for any element what it is filled with.
        self.styles = {name for each in root.iter() if _local(each) == "style" for name in _names(each.text or "")}
        self.sizes: dict[ElementTree.Element, int] = {}

    def size(self, element: ElementTree.Element) -> int:
        """Return the elements that are drawn for one, at most one more than are allowed.

        An element within itself counts once more: what draws it does not follow a circle.
        """
        if element not in self.sizes:
            self.sizes[element] = 1
            used = [self.by_id[name] for name in {*_references(element), *self.styles} if name in self.by_id]
            self.sizes[element] = min(1 + sum(self.size(each) for each in (*element, *used)), MOST_ELEMENTS + 1)
        return self.sizes[element]


def _references(element: ElementTree.Element) -> Iterator[str]:
    for name, value in element.attrib.items():
        if name.rpartition("}")[2] == "href" and value.startswith("#"):
            yield value[1:]
        yield from _names(value)


def _names(text: str) -> list[str]:
    return _REFERENCE.findall(text)


def _local(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]
