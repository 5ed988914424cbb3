"""Hostile input as data, each case with what must be said: ``python -m tests.attack [--whole] [PATTERN]``.

Every case of ``cases/*.toml`` ends in the stated result, or in the stated message with exit code 2 and nothing
written; within 10 seconds of a processor and 1.5 GB, with nothing left in the temporary folder. Those marked
``by_hand`` run with --whole alone.
"""

import sys
import time
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.attack.commands import command_problem
from tests.attack.requests import request_problem, service

CASES = Path(__file__).parent / "cases"
Case = dict[str, Any]


def cases(kind: str, pattern: str, whole: bool) -> list[Case]:
    """Return the cases of a kind, ``command`` or ``request``, that are to run."""
    found = [each for path in sorted(CASES.glob("*.toml")) for each in tomllib.loads(path.read_text()).get(kind, ())]
    names = [each["name"] for each in found]
    assert len(set(names)) == len(names), "two cases of one name"
    return [each for each in found if fnmatch(each["name"], pattern) and (whole or not each.get("by_hand"))]


def main(words: list[str]) -> int:
    whole = "--whole" in words
    pattern = next((f"*{word}*" for word in words if not word.startswith("-")), "*")
    began = time.monotonic()
    commands, requests = cases("command", pattern, whole), cases("request", pattern, whole)
    held = [_held(case, command_problem(case)) for case in commands]
    if requests:
        with service() as port:
            held += [_held(case, request_problem(case, port)) for case in requests]
    print(f"{len(held)} attacks in {time.monotonic() - began:.0f} s: {sum(held)} hold")  # noqa: T201
    return not all(held)


def _held(case: Case, problem: str) -> bool:
    if problem:
        print(f"FALLS SHORT {case['name']}: {problem}", flush=True)  # noqa: T201
    return not problem


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
