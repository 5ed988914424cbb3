"""How much a file from outside may demand: declared once, raised by `--limit NAME=N` or `SIZEBOOK_LIMITS`.

A limit stands well above what honest files reach and well below what exhausts a machine. It travels in the
environment, so that processes of a batch, Excel and LibreOffice follow it too.
"""

import os
from dataclasses import dataclass, field, fields, replace
from functools import cache

from sizebook.core.errors import InputError
from sizebook.core.hints import want_one_of

VARIABLE = "SIZEBOOK_LIMITS"


def _limit(value: int, meaning: str) -> int:
    limit: int = field(default=value, metadata={"meaning": meaning})
    return limit


@dataclass(frozen=True)
class Limits:
    """The limits in force, each a whole number; bytes are bytes, not powers of 1024."""

    text_bytes: int = _limit(100_000_000, "bytes of a JSON or CSV file that is read whole, or of a checkpoint's header")
    scenario_bytes: int = _limit(5_000_000, "bytes of a TOML file")
    yaml_bytes: int = _limit(1_000_000, "bytes of a YAML file")
    scenarios: int = _limit(10_000, "scenarios of a batch: rows of its table, points of its grid")
    depth: int = _limit(
        100, "levels of lists and tables within each other in JSON, TOML or YAML, parts of a dotted key"
    )
    keys: int = _limit(2_000_000, "keys of a JSON file, nodes of a YAML file with its anchors followed")
    digits: int = _limit(309, "digits of a number, as many as the largest double has")
    pickle_bytes: int = _limit(2_500_000, "bytes of the instructions of a PyTorch checkpoint")
    tensors: int = _limit(2_000_000, "tensors of a checkpoint")
    zip_parts: int = _limit(20_000, "parts of a workbook")
    zip_bytes: int = _limit(500_000_000, "bytes of a workbook's parts, unpacked")
    zip_ratio: int = _limit(250, "unpacked bytes for each packed one, of a part above 1 MB")
    defined_names: int = _limit(50_000, "defined names of a workbook")
    calculation_seconds: int = _limit(10, "seconds of a processor to calculate a workbook")
    calculation_bytes: int = _limit(4_000_000_000, "bytes of memory to calculate a workbook with")
    request_bytes: int = _limit(20_000_000, "bytes of a request to the web service")
    request_seconds: int = _limit(
        120, "seconds for a request to the web service to arrive; of a processor for it, or a scenario of its batch"
    )
    request_memory_bytes: int = _limit(2_000_000_000, "bytes of memory for a request to the web service")
    batch_bytes: int = _limit(20_000_000_000, "bytes of the files of all batches that the web service keeps")
    table_bytes: int = _limit(50_000_000_000, "bytes of a CSV or Parquet table that is read in pieces")


def limits() -> Limits:
    """Return the limits in force: the defaults, with what `SIZEBOOK_LIMITS` raises or lowers."""
    return _stated(os.environ.get(VARIABLE, ""))


def state(setting: str) -> None:
    """Put one limit, ``NAME=N``, in force for this process and those it starts."""
    _stated(setting)
    os.environ[VARIABLE] = ",".join(filter(None, [os.environ.get(VARIABLE, ""), setting]))


def raised(name: str) -> str:
    """Return the end of a refusal: how a person who trusts the file raises the limit."""
    return f"If you trust the file, raise the limit: --limit {name}=N, or {VARIABLE}={name}=N."


def limits_in_words() -> dict[str, str]:
    """Return every limit with what it limits, for help and documentation."""
    return {each.name: f"{each.metadata['meaning']} ({each.default:,})" for each in fields(Limits)}


@cache
def _stated(text: str) -> Limits:
    """Return the limits that a text such as ``keys=5e6, depth=200`` states."""
    found: dict[str, int] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (part.strip() for part in word.partition("="))
        known = [each.name for each in fields(Limits)]
        if name not in known:
            known_limits = want_one_of(name, known, lists="'sizebook --help'")
            raise InputError(f"unknown limit: got '{word}', want NAME=N with {known_limits}")
        found[name] = _whole(word, value)
    return replace(Limits(), **found)


def _whole(word: str, text: str) -> int:
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        number = 0.0
    if not 1 <= number < 1e18:
        raise InputError(f"bad limit: got '{word}', want a whole number of 1 or more, such as 2e9. Correct it.")
    return int(number)
