"""Reads YAML 1.2 from outside: plain data only, in time and memory that grow with the size of the file alone.

Tags are refused, as they name what to construct; an anchor may be used again as long as what all its uses stand for
stays within the limits of a JSON file. A key that stands twice is refused, as it is in TOML and JSON.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.intake.files import read_text
from sizebook.intake.limits import limits, raised
from sizebook.intake.text_formats import refuse_long_numbers, too_deep

_WANTED = "key: value lines"


def yaml_value(path: Path) -> Any:
    """Return what a YAML file holds: tables, lists, texts, numbers, flags and days. Errors: `InputError`."""
    text = read_text(path, "a scenario file", "yaml_bytes")
    need("sweep", instead="write the scenario as TOML")  # only a scenario in YAML needs it
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    refuse_long_numbers(text, path.name)
    try:
        walked = _Walk(path.name)
        for event in YAML(typ="safe", pure=True).parse(text):
            walked.take(event)
        return YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError) as error:
        said = " ".join(str(error).split())
        raise InputError(f"not YAML: got {said} in {path.name}, want {_WANTED}. Correct that line.") from error


@dataclass
class _Walk:
    """Follows the events of a YAML file and refuses what it may not hold; ``sizes`` are nodes, uses of anchors in."""

    where: str
    open_nodes: list[tuple[str | None, int]] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    total: int = 0

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        if getattr(event, "tag", None) is not None:
            line = event.start_mark.line + 1
            raise InputError(f"tag in YAML: got {event.tag} in line {line} of {self.where}, want none. Remove it.")
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._grow(1)
            self.open_nodes.append((event.anchor, self.total))
            if len(self.open_nodes) > limits().depth:
                raise too_deep(self.where)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            anchor, before = self.open_nodes.pop()
            if anchor is not None:
                self.sizes[str(anchor)] = self.total - before + 1
        elif kind == "ScalarEvent":
            self._grow(1)
            if event.anchor is not None:
                self.sizes[str(event.anchor)] = 1
        elif kind == "AliasEvent":
            if str(event.anchor) not in self.sizes:  # unknown, or of a node that is not closed: a circle
                raise InputError(
                    f"not YAML: got *{event.anchor} before what it stands for in {self.where}, want it after. "
                    "Correct that line."
                )
            self._grow(self.sizes[str(event.anchor)])

    def _grow(self, n: int) -> None:
        self.total += n
        if self.total > (most := limits().keys):
            raise InputError(
                f"too many keys: got more than {most} in {self.where}, anchors followed, want at most that. "
                f"{raised('keys')}"
            )
