"""Distributions of counts: binomial, negative binomial, Poisson and hypergeometric; factorials and choices.

A number between -1 and 0 is cut off to 0 by one reading of Excel's documentation and is negative by another, so it is
not calculated.
"""

from __future__ import annotations

import math
from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, numbers, truth
from sizebook.calculation.spreadsheet.incomplete import beta_tails, binomial_mass, gamma_tails, poisson_mass

_UNKNOWN = "#N/IMPL!"
_EXACT = 1e15  # larger counts lose their last digit
_MOST_TERMS = 10_000


def _count(value: Any) -> int:
    """Return a count, cut off to a whole number."""
    found = number(value)
    if not -1 < found < _EXACT or -1 < found < 0:
        fail("#NUM!" if found <= -1 else _UNKNOWN)
    return int(found)


def _probability(value: Any) -> float:
    found = number(value)
    return found if 0 <= found <= 1 else fail("#NUM!")


def _binomial_up_to(k: int, n: int, p: float) -> float:
    return 1.0 if k >= n else beta_tails(k + 1, n - k, (p, 1 - p))[1]


def _binomial(successes: Any, trials: Any, probability: Any, cumulative: Any) -> float:
    k, n, p = _count(successes), _count(trials), _probability(probability)
    if k > n:
        fail("#NUM!")
    return _binomial_up_to(k, n, p) if truth(cumulative) else binomial_mass(k, n, (p, 1 - p))


def _binomial_range(trials: Any, probability: Any, least: Any, most: Any = None) -> float:
    n, p, low = _count(trials), _probability(probability), _count(least)
    high = low if most is None else _count(most)
    if not low <= high <= n:
        fail("#NUM!")
    if high - low > _MOST_TERMS:
        return _binomial_up_to(high, n, p) - (_binomial_up_to(low - 1, n, p) if low else 0.0)
    return min(1.0, math.fsum(binomial_mass(k, n, (p, 1 - p)) for k in range(low, high + 1)))


def _binomial_inverse(trials: Any, probability: Any, alpha: Any) -> float:
    """Return the least count up to which so much of the distribution lies."""
    n, p, wanted = _count(trials), _probability(probability), _probability(alpha)
    if wanted in (0, 1) or p in (0, 1):
        fail(_UNKNOWN)  # documents contradict
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        found = _binomial_up_to(middle, n, p)
        if math.isclose(found, wanted, rel_tol=1e-12) and (p != 0.5 or n > 50):
            fail(_UNKNOWN)  # hangs on the last digit
        if found >= wanted or math.isclose(found, wanted, rel_tol=1e-12):
            high = middle
        else:
            low = middle + 1
    return float(low)


def _negative_binomial(failures: Any, successes: Any, probability: Any, cumulative: Any) -> float:
    f, s, p = _count(failures), _count(successes), _probability(probability)
    if s < 1:
        fail("#NUM!")
    if p in (0, 1):
        fail(_UNKNOWN)
    return beta_tails(s, f + 1, (p, 1 - p))[0] if truth(cumulative) else _failures(f, s, p)


def _failures(f: int, s: int, p: float) -> float:
    return binomial_mass(s, f + s, (p, 1 - p)) * s / (f + s)


def _negative_binomial_old(failures: Any, successes: Any, probability: Any) -> float:
    if _count(failures) + _count(successes) <= 1 <= _count(successes):
        fail(_UNKNOWN)  # an error in older documents
    return _negative_binomial(failures, successes, probability, False)


def _poisson(value: Any, mean: Any, cumulative: Any) -> float:
    k, expected = _count(value), number(mean)
    if expected < 0:
        fail("#NUM!")
    if expected == 0:
        fail(_UNKNOWN)  # LibreOffice shows an error for what is 1 at 0
    return gamma_tails(k + 1, expected)[1] if truth(cumulative) else poisson_mass(k, expected)


def _hypergeometric(drawn: Any, sample: Any, marked: Any, population: Any, cumulative: Any) -> float:
    """Return the probability of so many marked ones in a sample drawn from a population without putting back."""
    found, n, of, size = (_count(given) for given in (drawn, sample, marked, population))
    least = max(0, n - size + of)
    if not (least <= found <= min(n, of) and 0 < n <= size and 0 < of <= size):
        fail("#NUM!")
    first = least if truth(cumulative) else found
    if found - first > _MOST_TERMS:
        fail(_UNKNOWN)
    return min(1.0, math.fsum(_drawn(k, n, of, size) for k in range(first, found + 1)))


def _drawn(k: int, n: int, of: int, size: int) -> float:
    if size <= 1_000:
        return math.comb(of, k) * math.comb(size - of, n - k) / math.comb(size, n)
    p, q = n / size, (size - n) / size
    return binomial_mass(k, of, (p, q)) * (binomial_mass(n - k, size - of, (p, q)) / binomial_mass(n, size, (p, q)))


def _hypergeometric_old(drawn: Any, sample: Any, marked: Any, population: Any) -> float:
    if 0 in (_count(sample), _count(marked)):
        fail(_UNKNOWN)  # no error in older documents
    return _hypergeometric(drawn, sample, marked, population, False)


def _factorial(value: Any) -> float:
    n = _count(value)
    return float(math.factorial(n)) if n <= 170 else fail("#NUM!")


def _double_factorial(value: Any) -> float:
    n = number(value)
    if -2 < n < 0:
        fail(_UNKNOWN)  # -1!! is 1, and negative
    if n < 0 or n >= 301:
        fail("#NUM!")
    return float(math.prod(range(int(n), 0, -2)))


def _choices(of: Any, chosen: Any) -> float:
    n, k = _count(of), _count(chosen)
    if k > n:
        fail("#NUM!")
    return _choose(n, k)


def _choose(n: int, k: int) -> float:
    if min(k, n - k) <= 2_000:
        return float(math.comb(n, k))
    return fail("#NUM!")  # 2000 of 4000 are more than 1e308 already


def _repeated_choices(of: Any, chosen: Any) -> float:
    n, k = _count(of), _count(chosen)
    if k > n or n == 0:
        fail(_UNKNOWN)  # its documentation forbids what its formula has a value for
    return _choose(n + k - 1, k)


def _multinomial(*given: Any) -> float:
    counts = [_count(value) for value in numbers(*given)]
    found, left = 1, sum(counts)
    if left > 5_000:
        fail("#N/IMPL!")  # a whole number of thousands of digits
    for count in counts:
        found *= math.comb(left, count)
        left -= count
    return float(found)


FUNCTIONS = {
    "MULTINOMIAL": _multinomial,
    **dict.fromkeys(("BINOM.DIST", "BINOMDIST"), each(_binomial)),
    "BINOM.DIST.RANGE": each(_binomial_range),
    **dict.fromkeys(("BINOM.INV", "CRITBINOM"), each(_binomial_inverse)),
    "NEGBINOM.DIST": each(_negative_binomial),
    "NEGBINOMDIST": each(_negative_binomial_old),
    **dict.fromkeys(("POISSON.DIST", "POISSON"), each(_poisson)),
    "HYPGEOM.DIST": each(_hypergeometric),
    "HYPGEOMDIST": each(_hypergeometric_old),
    "FACT": each(_factorial),
    "FACTDOUBLE": each(_double_factorial),
    "COMBIN": each(_choices),
    "COMBINA": each(_repeated_choices),
}
