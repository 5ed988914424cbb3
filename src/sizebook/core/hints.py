"""Hints of refusals: which known word is meant by one that is none, the likeliest first, never more than five.

Every refusal of a word takes its hint from here, so that a mistake is answered alike in a cell, a file and a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from sizebook.core.errors import UnknownKeyError, shown

MOST = 5  # names that a message lists
_LONGEST_WORD = 100  # comparing words costs the product of their lengths
_SHORTEST_PART = 3  # letters that tell something of a name which begins with them
_SLIPS_LATE = 2  # slips that even a short word may hold behind its first letters
_STILL_ALIKE = 0.5  # share of the letters that differ
_SLIPS_LATE = 2  # slips that even a short word may hold behind its first letters
_STILL_ALIKE = 0.5  # share of the letters that differ
_NUMBER = r"\d+"
_BETWEEN = r"[\s\-_/:,]+"
# How a word is like a name, the likeliest first.
_SAME, _SLIP, _BEGINS, _PARTS, _SLIPS, _OTHER_NUMBER = range(6)


def likely(word: str, known: Iterable[str]) -> list[str]:
    """Return at most five of the known words that may be meant, the likeliest first, alone if one stands out.

    People write the same thing in another word (users), swap or drop letters (h100-smx), stop early (int4) or leave a
    part out (llama-70b). One with the same numbers comes before others: who writes 70b means no 7b. Slips come late in
    a word: currency is no concurrency.
    """
    if len(word) > _LONGEST_WORD:
        return []
    names = {name.casefold(): name for name in reversed(list(known))}
    given = word.strip().casefold()
    if meant := [names[other] for other in _other_words().get(_squashed(given), ()) if other in names]:
        return meant[:MOST]
    found = sorted((rank, place, name) for place, name in enumerate(reversed(names)) if (rank := _rank(given, name)))
    return [names[name] for rank, _, name in found if rank[:2] == found[0][0][:2]][:MOST]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for a near miss among the known words, otherwise nothing."""
    meant = likely(word, known)
    return f" Did you mean {_either(meant)}?" if meant else ""


def offered(word: str, known: Iterable[str], *, lists: str = "docs/functions.md", also: str = "") -> str:
    """Return what follows "want" where one of some names belongs: the likely ones, a few others, who lists the rest."""
    names = list(dict.fromkeys(known))
    meant = likely(word, names)
    left = [name for name in names if name not in meant]
    if meant and len(names) > MOST:
        unlike = {name: _unlike(word, name) for name in left}
        left = sorted((name for name in left if unlike[name] <= _STILL_ALIKE), key=lambda name: unlike[name])
    left = left[: MOST - len(meant)]
    more = len(names) - len(meant) - len(left)
    others = [*([", ".join(left)] if left else []), *([f"{more} other{'s' * (more > 1)}"] if more else [])]
    rest = f"{'one of ' * (len(left) + more > 1)}{' and '.join(others)}"
    text = ", or ".join(filter(None, (_either(meant), rest)))
    fix = f"{lists} lists them." if more else "Correct it." if meant or len(names) == 1 else "Choose one of them."
    return f"{text}{also}. {fix}"


def unknown_key(
    what: str, got: str, known: Iterable[str], where: str = "", *, lists: str = "docs/functions.md", also: str = ""
) -> UnknownKeyError:
    """Return the error for a key that is not in a table: with the names that it may mean, or where they stand."""
    if not where:
        return UnknownKeyError(f"unknown {what}: got {shown(got)}, want {offered(got, known, lists=lists, also=also)}")
    return UnknownKeyError(f"unknown {what}: got {shown(got)}, want {where}.{suggestion(got, known) or ' Correct it.'}")


def _either(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), *quoted[-1:])))


@cache
def _other_words() -> dict[str, list[str]]:
    from sizebook.core.tables import table  # only a refusal reads a file

    words: dict[str, list[str]] = {}
    for row in table("other_words"):
        words.setdefault(_squashed(row["word"]), []).extend(row["meant"].split())
    return {word: list(dict.fromkeys(meant)) for word, meant in words.items()}


def _squashed(word: str) -> str:
    return re.sub(_BETWEEN, "", word)


def _rank(given: str, name: str) -> tuple[int, float, int] | None:
    """Return how like a name is to what was given, the least for the likeliest; None where it is not."""
    for kind, cost in _likenesses(given, name):
        if set(re.findall(_NUMBER, given)) <= set(re.findall(_NUMBER, name)):
            return kind, cost, len(name)
        if kind in (_SLIP, _SLIPS):
            return _OTHER_NUMBER, cost, len(name)
    return None


def _likenesses(given: str, name: str) -> Iterator[tuple[int, float]]:
    if _squashed(given) == _squashed(name):
        yield _SAME, 0
    slips = _slips(given, name)
    if slips == 1:
        yield _SLIP, 1
    if (len(given) >= _SHORTEST_PART and name.startswith(given)) or (
        len(name) > _SHORTEST_PART and given.startswith(name)
    ):
        yield _BEGINS, 0
    parts, has = re.split(_BETWEEN, given), re.split(_BETWEEN, name)
    missing = len(has) - len(parts)
    if missing > 0 and all(any(_slips(part, each) is not None for each in has) for part in parts):
        yield _PARTS, missing
    elif missing < 0 and parts[: len(has)] == has:
        yield _PARTS, -missing
    if slips is not None:
        yield _SLIPS, slips


@cache
def _slips(given: str, name: str) -> int | None:
    """Return how many slips of the hand lie between two words; None where so many are none."""
    if given == name:
        return 0
    most = max(len(given) // 3, 1) if given[:2] == name[:2] else 1
    if given[:_SHORTEST_PART] == name[:_SHORTEST_PART]:
        most = max(most, _SLIPS_LATE)
    if len(given) < _SHORTEST_PART - 1 or abs(len(given) - len(name)) > most:
        return None
    slips = _distance(given, name)
    return slips if slips <= most else None


def _distance(one: str, other: str) -> int:
    """Return how many letters are left out, put in, changed or swapped with the next (Damerau 1964)."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, each in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != each))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == each:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


def _unlike(word: str, name: str) -> float:
    return _distance(word.casefold()[:_LONGEST_WORD], name.casefold()) / max(len(word), len(name), 1)
