"""Hints of refusals: which known word is meant by one that is none, the likeliest first, never more than five.

Every refusal of a word takes its hint from here, so that a mistake is answered alike in a cell, a file and a command.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import repeat, takewhile
from operator import eq

from sizebook.core.errors import UnknownKeyError, shown

MOST = 5  # names that a message lists
_LONGEST_WORD = 100  # longer than any name
_SHORTEST_PART = 3  # letters that tell something of a name which begins with them
_SLIPS_LATE = 2  # slips that even a short word may hold behind its first letters
_STILL_ALIKE = 0.5  # share of the letters that differ
_REMEMBERED = 1 << 14  # a word is compared with each part of some thousand names
# How a word is like a name, the likeliest first.
_SAME, _SLIP, _BEGINS, _PARTS, _SLIPS, _OTHER_NUMBER = range(6)


def likely_words(word: str, known: Iterable[str]) -> list[str]:
    """Return at most five of the known words that may be meant, the likeliest first, alone if one stands out.

    People write the same thing in another word (users), swap or drop letters (h100-smx), stop early (int4) or leave a
    part out (llama-70b). One with the same numbers comes before others: who writes 70b means no 7b. Slips come late in
    a word: currency is no concurrency.
    """
    if len(word) > _LONGEST_WORD:
        return []
    names = {name.casefold(): name for name in known}
    given = word.strip().casefold()
    if meant := [names[other] for other in other_words(given) if other in names]:
        return meant[:MOST]
    ranks = {name: rank for name in names if (rank := _rank(given, name))}
    best = min(ranks.values(), default=None)
    return [names[name] for name in sorted(ranks, key=len) if ranks[name] == best][:MOST]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for a near miss among the known words, otherwise nothing."""
    meant = likely_words(word, known)
    return f" Did you mean {_either(meant)}?" if meant else ""


def want_one_of(word: str, known: Iterable[str], *, lists: str = "docs/functions.md", also: str = "") -> str:
    """Return what follows "want" where one of some names belongs: the likely ones, a few others, who lists the rest."""
    names = list(dict.fromkeys(known))
    meant = likely_words(word, names)
    left = [name for name in names if name not in meant]
    if meant and len(names) > MOST:
        unlike = {name: _distance(word.casefold(), name.casefold()) / max(len(word), len(name)) for name in left}
        left = sorted((name for name in left if unlike[name] <= _STILL_ALIKE), key=unlike.__getitem__)
    left = left[: MOST - len(meant)]
    more = len(names) - len(meant) - len(left)
    others = filter(None, (", ".join(left), f"{more} other{'s' * (more > 1)}" if more else ""))
    rest = f"{'one of ' * (len(left) + more > 1)}{' and '.join(others)}"
    text = ", or ".join(filter(None, (_either(meant), rest)))
    fix = f"{lists} lists them." if more else "Correct it." if meant or len(names) == 1 else "Choose one of them."
    return f"{text}{also}. {fix}"


def unknown_key(
    what: str, got: str, known: Iterable[str], where: str = "", *, lists: str = "docs/functions.md", also: str = ""
) -> UnknownKeyError:
    """Return the error for a key that is not in a table: with the names that it may mean, or where they stand."""
    want = (
        f"{where}.{suggestion(got, known) or ' Correct it.'}"
        if where
        else want_one_of(got, known, lists=lists, also=also)
    )
    return UnknownKeyError(f"unknown {what}: got {shown(got)}, want {want}")


def _either(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), *quoted[-1:])))


def other_words(word: str) -> list[str]:
    """Return what a word that people use elsewhere is called here, in whatever place; nothing for most."""
    return meanings().get(_squashed(word.strip().casefold()), [])


@cache
def meanings() -> dict[str, list[str]]:
    """Return what each such word is called here, by the word without what parts it."""
    from sizebook.core.tables import table  # only a refusal reads a file

    return {_squashed(row["word"]): row["meant"].split() for row in table("other_words")}


@lru_cache(maxsize=_REMEMBERED)
def _parts(text: str) -> list[str]:
    return re.split(r"[\s\-_/:,]+", text)


@lru_cache(maxsize=_REMEMBERED)
def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


def _squashed(text: str) -> str:
    return "".join(_parts(text))


def _rank(given: str, name: str) -> tuple[int, ...] | None:
    """Return how like a name is to what was given, the least for the likeliest; None where it is not."""
    slips = _slips(given, name)
    if not _numbers(given) <= _numbers(name):
        return slips and (_OTHER_NUMBER, *slips)
    parts, has = _parts(given), _parts(name)
    missing = len(has) - len(parts)
    if "".join(parts) == "".join(has):
        return (_SAME,)
    if slips and slips[0] == 1:
        return _SLIP, *slips
    if (name.startswith(given) and len(given) >= _SHORTEST_PART) or (
        given.startswith(name) and len(name) > _SHORTEST_PART
    ):
        return (_BEGINS,)
    if missing < 0 and parts[:missing] == has:
        return _PARTS, -missing
    if missing > 0 and all(any(map(_slips, repeat(part), has)) for part in parts):
        return _PARTS, missing
    return slips and (_SLIPS, *slips)


@lru_cache(maxsize=_REMEMBERED)
def _slips(given: str, name: str) -> tuple[int, int] | None:
    """Return how many slips of the hand lie between two words and, negative, how many letters agree before them.

    None where there are too many: one may stand anywhere, and two behind three letters that agree; more take three
    letters each and come late, the more the later.
    """
    same = len([*takewhile(bool, map(eq, given, name))])
    most = _SLIPS_LATE if same >= _SHORTEST_PART else int(len(given) > 1)
    most = max(most, min(len(given) // 3, same + 1))
    if abs(len(given) - len(name)) > most or len(set(given) ^ set(name)) > 2 * most:
        return None  # without counting, as for most pairs
    slips = _distance(given, name)
    return (slips, -same) if slips <= most else None


def _distance(one: str, other: str) -> int:
    """Return how many letters are left out, put in, changed or swapped with the next.

    Hyyro 2003, A bit-vector algorithm for computing Levenshtein and Damerau edit distances: a column of the table of
    both words is two numbers, whose bits say where it grows and where it falls, so each letter takes one step.
    """
    places: Counter[str] = Counter()
    for place, letter in enumerate(one):
        places[letter] |= 1 << place
    last = 1 << max(len(one) - 1, 0)
    grows, falls, equal, before, distance = (1 << len(one)) - 1, 0, 0, 0, len(one)
    for letter in other:
        here = places[letter]
        swapped = (~equal & here) << 1 & before
        equal = (((here & grows) + grows) ^ grows) | here | falls | swapped
        right, left = falls | ~(equal | grows), equal & grows
        distance += bool(right & last) - bool(left & last)
        right, left = right << 1 | 1, left << 1
        grows, falls, before = left | ~(equal | right), right & equal, here
    return distance
