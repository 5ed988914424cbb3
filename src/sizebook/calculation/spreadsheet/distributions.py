"""Continuous distributions: gamma, chi-squared, beta, F and Student's, and the intervals and tests made of them.

Where nobody knows what Excel shows (its documentation allows the arguments, and the density there is infinite, or other
sources contradict), the call is not calculated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, truth, whole
from sizebook.calculation.spreadsheet.incomplete import (
    beta_inverse,
    beta_tails,
    binomial_mass,
    gamma_inverse,
    gamma_tails,
    poisson_mass,
    shares,
)

_MOST_FREEDOM = 1e10  # whether it is still allowed differs between documents
_UNKNOWN = "#N/IMPL!"


def _positive(*given: float) -> None:
    if min(given) <= 0:
        fail("#NUM!")


def _freedom(value: Any) -> int:
    """Return degrees of freedom, cut off to whole ones."""
    found = whole(value)
    if found < 1:
        fail("#NUM!")
    return found if found < _MOST_FREEDOM else fail(_UNKNOWN)


def _probability(value: Any) -> float:
    found = number(value)
    return found if 0 <= found <= 1 else fail("#NUM!")


def _above_zero(value: Any) -> float:
    found = number(value)
    return found if found >= 0 else fail("#NUM!")


# Gamma and chi-squared.


def _gamma_density(x: float, shape: float, scale: float) -> float:
    if shape >= 1:
        return poisson_mass(shape - 1, x / scale) / scale
    return poisson_mass(shape, x / scale) * shape / x if x > 0 else fail(_UNKNOWN)


def _gamma(value: Any, alpha: Any, beta: Any, cumulative: Any) -> float:
    x, shape, scale = _above_zero(value), number(alpha), number(beta)
    _positive(shape, scale)
    return gamma_tails(shape, x / scale)[0] if truth(cumulative) else _gamma_density(x, shape, scale)


def _gamma_inverse(probability: Any, alpha: Any, beta: Any) -> float:
    lower, shape, scale = _probability(probability), number(alpha), number(beta)
    _positive(shape, scale)
    return _gamma_place(shape, lower, 1 - lower) * scale


def _gamma_place(shape: float, lower: float, upper: float) -> float:
    """Return where the tails are these; the upper end is infinite, which Excel shows as #NUM!."""
    if upper == 0:
        fail("#NUM!")
    return 0.0 if lower == 0 else gamma_inverse(shape, lower, upper)


def _chi_squared(value: Any, freedom: Any, cumulative: Any) -> float:
    x, shape = _above_zero(value), _freedom(freedom) / 2
    if truth(cumulative):
        return gamma_tails(shape, x / 2)[0]
    if x == 0 and shape == 1:
        fail(_UNKNOWN)  # 1/2, for which LibreOffice shows 0
    return _gamma_density(x, shape, 2.0)


def _chi_squared_above(value: Any, freedom: Any) -> float:
    x = _above_zero(value)
    return gamma_tails(_freedom(freedom) / 2, x / 2)[1]


def _chi_squared_inverse(probability: Any, freedom: Any) -> float:
    lower = _probability(probability)
    return 2 * _gamma_place(_freedom(freedom) / 2, lower, 1 - lower)


def _chi_squared_inverse_above(probability: Any, freedom: Any) -> float:
    upper = _probability(probability)
    return 2 * _gamma_place(_freedom(freedom) / 2, 1 - upper, upper)


# Beta.


def _between(low: Any, high: Any) -> tuple[float, float]:
    """Return the ends; a blank in place of the upper one may be 0 or left out."""
    if high is None:
        fail(_UNKNOWN)
    return number(low), number(high)


def _beta(value: Any, alpha: Any, beta: Any, cumulative: Any, low: Any = 0, high: Any = 1) -> float:
    given, a, b = number(value), number(alpha), number(beta)
    least, most = _between(low, high)
    _positive(a, b)
    if not least <= given <= most or least == most:
        fail("#NUM!")
    wide = most - least
    x, rest = (given - least) / wide, (most - given) / wide
    if truth(cumulative):
        return beta_tails(a, b, (x, rest))[0]
    return _beta_density(a, b, x, rest) / wide


def _beta_density(a: float, b: float, x: float, rest: float) -> float:
    if (x == 0 and a < 1) or (rest == 0 and b < 1):
        fail(_UNKNOWN)
    if a >= 1 and b >= 1:
        return binomial_mass(a - 1, a + b - 2, (x, rest)) * (a + b - 1)
    if b >= 1:
        return binomial_mass(a, a + b - 1, (x, rest)) * a / x
    if a >= 1:
        return binomial_mass(b, a + b - 1, (rest, x)) * b / rest
    return binomial_mass(a, a + b, (x, rest)) * (a * b / (a + b)) / x / rest


def _beta_old(value: Any, alpha: Any, beta: Any, low: Any = 0, high: Any = 1) -> float:
    return _beta(value, alpha, beta, True, low, high)


def _beta_inverse(probability: Any, alpha: Any, beta: Any, low: Any = 0, high: Any = 1) -> float:
    lower, a, b = _probability(probability), number(alpha), number(beta)
    least, most = _between(low, high)
    _positive(a, b, lower)  # of 0 it is #NUM! by its documentation
    if lower == 1 or least >= most:
        fail(_UNKNOWN)  # documents contradict
    x, rest = shares(beta_inverse(a, b, (lower, 1 - lower)))
    return least + (most - least) * x if x < rest else most - (most - least) * rest


# F, of which x d1 / (x d1 + d2) is a beta.


def _ratio(x: float, above: int, below: int) -> tuple[float, float]:
    part = x * above + below
    return x * above / part, below / part


def _f(value: Any, above: Any, below: Any, cumulative: Any) -> float:
    x, m, n = _above_zero(value), _freedom(above), _freedom(below)
    share, rest = _ratio(x, m, n)
    if truth(cumulative):
        return beta_tails(m / 2, n / 2, (share, rest))[0]
    if x == 0:
        return fail(_UNKNOWN) if m == 1 else float(m == 2)
    return binomial_mass(m / 2, (m + n) / 2, (share, rest)) * (m * n / (m + n) / 2) / x


def _f_above(value: Any, above: Any, below: Any) -> float:
    x, m, n = _above_zero(value), _freedom(above), _freedom(below)
    return beta_tails(m / 2, n / 2, _ratio(x, m, n))[1]


def _f_place(lower: float, upper: float, above: Any, below: Any) -> float:
    m, n = _freedom(above), _freedom(below)
    if upper == 0:
        fail("#NUM!")
    return 0.0 if lower == 0 else math.exp(beta_inverse(m / 2, n / 2, (lower, upper))) * n / m


def _f_inverse(probability: Any, above: Any, below: Any) -> float:
    lower = _probability(probability)
    return _f_place(lower, 1 - lower, above, below)


def _f_inverse_above(probability: Any, above: Any, below: Any) -> float:
    upper = _probability(probability)
    return _f_place(1 - upper, upper, above, below)


# Student's t, of which n / (n + t^2) is a beta.


def _t_both(x: float, n: int) -> tuple[float, float]:
    """Return what lies beyond x on both sides, and what lies between."""
    return beta_tails(n / 2, 0.5, (1 / (1 + x / n * x), x / (n + x * x) * x))


def _t(value: Any, freedom: Any, cumulative: Any) -> float:
    x, n = number(value), _freedom(freedom)
    if truth(cumulative):
        return _t_below(x, n)
    return _t_top(n) * math.exp(-(n + 1) / 2 * math.log1p(x / n * x))


def _t_top(n: int) -> float:
    """Return the density at 0."""
    if n < 100:
        return math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(math.pi * n)
    inverse = 1 / n  # by the series of the ratio of gamma functions
    series = 1 - inverse / 4 + inverse**2 / 32 + 5 * inverse**3 / 128 - 21 * inverse**4 / 2048 - 399 * inverse**5 / 8192
    return series / math.sqrt(2 * math.pi)


def _t_below(x: float, n: int) -> float:
    beyond, between = _t_both(x, n)
    if x <= 0:
        return beyond / 2
    return 0.5 + between / 2


def _t_beyond(value: Any, freedom: Any) -> float:
    x = _above_zero(value)
    return _t_both(x, _freedom(freedom))[0]


def _t_above(value: Any, freedom: Any) -> float:
    return _t_below(-number(value), _freedom(freedom))


def _t_old(value: Any, freedom: Any, tails: Any) -> float:
    sides = whole(tails)
    if sides not in (1, 2):
        fail("#NUM!")
    return _t_beyond(value, freedom) * sides / 2


def _t_place(beyond: float, between: float, n: int) -> float:
    """Return t where so much lies beyond it on both sides."""
    if beyond == 0:
        fail("#NUM!")
    return 0.0 if between == 0 else math.sqrt(n * math.exp(-beta_inverse(n / 2, 0.5, (beyond, between))))


def _t_inverse(probability: Any, freedom: Any) -> float:
    lower, n = _probability(probability), _freedom(freedom)
    if lower <= 0.5:
        return 0.0 - _t_place(2 * lower, 1 - 2 * lower, n)
    return _t_place(2 * (1 - lower), 2 * lower - 1, n)


def _t_inverse_both(probability: Any, freedom: Any) -> float:
    beyond = _probability(probability)
    return _t_place(beyond, 1 - beyond, _freedom(freedom))


# Intervals and the test of a mean.


def _confidence(place: Callable[[float, int], float]) -> Callable[..., float]:
    """Return half an interval of confidence: so many deviations of the mean of a sample."""

    def called(alpha: Any, deviation: Any, size: Any) -> float:
        beyond, spread, n = number(alpha), number(deviation), whole(size)
        if not 0 < beyond < 1 or spread <= 0 or n < 1:
            fail("#NUM!")
        return place(beyond, n) * spread / math.sqrt(n)

    return called


def _normal_place(beyond: float, _: int) -> float:
    return -NormalDist().inv_cdf(beyond / 2)


def _student_place(beyond: float, n: int) -> float:
    return _t_place(beyond, 1 - beyond, n - 1) if n > 1 else fail("#DIV/0!")


def _fisher_inverse(value: Any) -> float:
    y = number(value)
    return math.tanh(y) if abs(y) < 350 else fail(_UNKNOWN)  # Excel's formula has e^2y, which is too large then


def _gamma_function(value: Any) -> float:
    x = number(value)
    if x == 0 or (x < 0 and x == math.floor(x)):
        fail("#NUM!")
    return math.gamma(x) if x > -170 and abs(x) > 1e-300 else fail(_UNKNOWN)


def _log_gamma(value: Any) -> float:
    x = number(value)
    return math.lgamma(x) if x > 0 else fail("#NUM!")


_NORMAL, _STUDENT = each(_confidence(_normal_place)), each(_confidence(_student_place))
FUNCTIONS = {
    "GAMMA": each(_gamma_function),
    **dict.fromkeys(("GAMMALN", "GAMMALN.PRECISE"), each(_log_gamma)),
    "FISHERINV": each(_fisher_inverse),
    **dict.fromkeys(("GAMMA.DIST", "GAMMADIST"), each(_gamma)),
    **dict.fromkeys(("GAMMA.INV", "GAMMAINV"), each(_gamma_inverse)),
    "CHISQ.DIST": each(_chi_squared),
    **dict.fromkeys(("CHISQ.DIST.RT", "CHIDIST"), each(_chi_squared_above)),
    "CHISQ.INV": each(_chi_squared_inverse),
    **dict.fromkeys(("CHISQ.INV.RT", "CHIINV"), each(_chi_squared_inverse_above)),
    "BETA.DIST": each(_beta),
    "BETADIST": each(_beta_old),
    **dict.fromkeys(("BETA.INV", "BETAINV"), each(_beta_inverse)),
    "F.DIST": each(_f),
    **dict.fromkeys(("F.DIST.RT", "FDIST"), each(_f_above)),
    "F.INV": each(_f_inverse),
    **dict.fromkeys(("F.INV.RT", "FINV"), each(_f_inverse_above)),
    "T.DIST": each(_t),
    "T.DIST.2T": each(_t_beyond),
    "T.DIST.RT": each(_t_above),
    "TDIST": each(_t_old),
    "T.INV": each(_t_inverse),
    **dict.fromkeys(("T.INV.2T", "TINV"), each(_t_inverse_both)),
    **dict.fromkeys(("CONFIDENCE", "CONFIDENCE.NORM"), _NORMAL),
    "CONFIDENCE.T": _STUDENT,
}
