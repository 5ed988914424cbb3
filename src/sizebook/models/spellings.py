"""Two spellings of one key: the common name that transformers accepts beside a type's own (its ``attribute_map``).

A file may use either. Where it uses both and they disagree, one of them is wrong and nothing says which: such a file is
refused. The published files of Nomic's encoders and of EXAONE 3 have names that transformers does not read.
Left out are pairs that cannot change a count, and DBRX's width and the layers of Switch Transformers, from
which their classes derive other sizes before they hear of the common name.
"""

from functools import cache, lru_cache

from sizebook.core.tables import table


@cache
def _by_type() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the pairs of each type, as ``data/key_spellings.csv`` lists the types of each pair."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for row in table("key_spellings"):
        for model_type in row["model_types"].split():
            found[model_type] = (*found.get(model_type, ()), (row["common"], row["own"]))
    return found


def spellings(model_type: object) -> tuple[tuple[str, str], ...]:
    """Return the pairs of names of a type that mean one key: the common one, its own."""
    return _by_type().get(model_type, ()) if isinstance(model_type, str) else ()


@lru_cache(maxsize=8192)  # every key of every count asks for it
def with_other_spellings(model_type: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys, behind them the other spellings of each that a type has."""
    more = [other for pair in spellings(model_type) for key, other in (pair, pair[::-1]) if key in keys]
    return tuple(dict.fromkeys((*keys, *more)))
