"""Names of the files of a batch: of a scenario's name or title, safe on every system and told apart."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Any

LONGEST = 100  # characters; with numbers, endings and four bytes each still a name that every file system takes
# The batch's own files.
INDEX, COMPARISON = "index", "comparison"
FIGURES, MONTHS, INPUTS, NOTES = "figures", "months", "inputs", "notes"
# Devices of Windows, whatever their ending.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def file_stems(scenarios: Collection[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the stem of the files of each scenario: of its name, else its title, else its model, else its plan.

    Letters and digits of every script stay. Equal stems are told apart by the number of the scenario; stems that differ
    by case only are equal, as Windows and macOS take them.
    """
    taken = {INDEX, COMPARISON, FIGURES, MONTHS, INPUTS, NOTES}
    for number, keys in enumerate(scenarios, 1):
        name = safe_stem(scenario_name(keys))
        while name.casefold() in taken:
            name = f"{name}-{number}"
        taken.add(name.casefold())
        yield name


def scenario_name(keys: Mapping[str, Any]) -> str:
    """Return what a scenario is called: its name, else its title, else its model, else its plan."""
    return next((str(keys[key]) for key in ("name", "title", "model", "plan") if keys.get(key)), "scenario")


def safe_stem(text: str) -> str:
    """Return a text as the stem of a file: letters, digits, dots, hyphens and underscores, at most `LONGEST`."""
    stem = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", text)).strip("-._")[:LONGEST].rstrip("-._")
    return f"{stem}-scenario" if _DEVICES.fullmatch(stem) else stem or "scenario"
