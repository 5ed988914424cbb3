"""Incomplete gamma and beta functions with both tails, and their inverses, from which distributions are made.

Densities are formed from deviances (C. Loader, "Fast and accurate computation of binomial probabilities", 2000), so
that large shapes lose no digits; tails by the series and continued fractions of NIST's Digital Library of Mathematical
Functions (8.7.1, 8.9.2, 8.17.22).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sizebook.calculation.spreadsheet.coercing import fail

_TINY = 1e-300
_PRECISE = 1e-16
_MOST_SHAPE = 1e7  # a tail takes some ten times the square root of the shape in steps
_MOST_STEPS = 200_000
_FARTHEST = 700.0  # e to its power is still a number
_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)
Tails = tuple[float, float]


def _stirling_error(n: float) -> float:
    """Return ln n! less Stirling's ``(n + 1/2) ln n - n + ln sqrt(2 pi)``."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - _HALF_LOG_2_PI
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n


def _deviance(x: float, mean: float) -> float:
    """Return ``x ln(x / mean) + mean - x`` without cancellation where both are near each other."""
    if abs(x - mean) < 0.1 * (x + mean):
        ratio = (x - mean) / (x + mean)
        found, term, place = (x - mean) * ratio, 2 * x * ratio, 3
        while True:
            term *= ratio * ratio
            more = found + term / place
            if more == found:
                return found
            found, place = more, place + 2
    return x * math.log(x / mean) + mean - x


def poisson_mass(x: float, mean: float) -> float:
    """Return ``mean^x e^-mean / x!``, for x that need not be whole."""
    if mean == 0:
        return float(x == 0)
    if x == 0:
        return math.exp(-mean)
    if x < 1e-5 * mean or x < 1e-3:
        return math.exp(x * math.log(mean) - mean - math.lgamma(x + 1))
    return math.exp(-_stirling_error(x) - _deviance(x, mean)) / math.sqrt(2 * math.pi * x)


def binomial_mass(x: float, n: float, chances: Tails) -> float:
    """Return ``n! / (x! (n-x)!) p^x q^(n-x)`` of p and q = 1 - p, for x and n that need not be whole."""
    p, q = chances
    if p == 0 or q == 0:
        return float(x == (0 if p == 0 else n))
    if x == 0:
        return math.exp(n * (math.log(q) if p > 0.1 else math.log1p(-p)))
    if x == n:
        return math.exp(n * (math.log(p) if q > 0.1 else math.log1p(-q)))
    if min(x, n - x) < 1e-3:
        logs = math.lgamma(n + 1) - math.lgamma(x + 1) - math.lgamma(n - x + 1)
        return math.exp(logs + x * math.log(p) + (n - x) * math.log(q))
    errors = _stirling_error(n) - _stirling_error(x) - _stirling_error(n - x)
    power = errors - _deviance(x, n * p) - _deviance(n - x, n * q)
    return math.exp(power) * math.sqrt(n / (2 * math.pi * x * (n - x)))


def gamma_tails(shape: float, x: float) -> Tails:
    """Return the lower and the upper regularised incomplete gamma function."""
    if shape > _MOST_SHAPE:
        fail("#N/IMPL!")
    if x <= 0:
        return 0.0, 1.0
    mass = poisson_mass(shape, x)
    if x < shape + 1:
        found = term = 1.0
        place = shape
        while abs(term) > found * _PRECISE:
            place += 1
            term *= x / place
            found += term
        lower = min(1.0, mass * found)
        return lower, 1.0 - lower

    def part(step: int) -> Tails:
        return -step * (step - shape), x + 2 * step + 1 - shape

    upper = min(1.0, mass * shape / _fraction(x + 1 - shape, part))
    return 1.0 - upper, upper


def beta_tails(a: float, b: float, at: Tails) -> Tails:
    """Return the regularised incomplete beta function and its complement at x; 1 - x is given beside it."""
    x, rest = at
    if max(a, b) > _MOST_SHAPE:
        fail("#N/IMPL!")
    if x <= 0 or rest <= 0:
        return (0.0, 1.0) if x <= 0 else (1.0, 0.0)
    if x > (a + 1) / (a + b + 2):
        upper, lower = _beta_lower(b, a, (rest, x))
        return lower, upper
    return _beta_lower(a, b, (x, rest))


def _beta_lower(a: float, b: float, at: Tails) -> Tails:
    x, rest = at

    def part(step: int) -> Tails:
        m = step // 2
        if step % 2:
            return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0

    # x^a (1-x)^b / (a B(a, b)), of which the mass is short by b / (a + b)
    front = binomial_mass(a, a + b, (x, rest)) * (b / (a + b))
    lower = min(1.0, front / _fraction(1.0, part))
    return lower, 1.0 - lower


def _fraction(first: float, part: Callable[[int], Tails]) -> float:
    """Return ``first + a1 / (b1 + a2 / (b2 + ...))`` by Lentz's method."""
    found = first or _TINY
    above, below = found, 0.0
    for step in range(1, _MOST_STEPS):
        a, b = part(step)
        below = 1 / ((b + a * below) or _TINY)
        above = (b + a / above) or _TINY
        found *= above * below
        if abs(above * below - 1) <= _PRECISE * 2:
            return found
    return fail("#N/IMPL!")


def gamma_inverse(shape: float, lower: float, upper: float) -> float:
    """Return where the tails of the gamma function are these; both are given, so that none is lost next to 1."""
    start = math.log(shape)

    def at(log_x: float) -> tuple[Tails, float]:
        x = math.exp(log_x)
        return gamma_tails(shape, x), poisson_mass(shape, x) * shape

    if lower < 0.5:  # next to 0 the tail is x^shape / shape!
        start = min(start, (math.log(lower) + math.lgamma(shape + 1)) / shape)
    return math.exp(_root(at, start, lower, upper))


def beta_inverse(a: float, b: float, tails: Tails) -> float:
    """Return ``ln(x / (1 - x))`` where the incomplete beta function and its complement are these."""

    lower, upper = tails

    def at(logit: float) -> tuple[Tails, float]:
        x, rest = shares(logit)
        return beta_tails(a, b, (x, rest)), binomial_mass(a, a + b, (x, rest)) * (a * b / (a + b))

    start = math.log(a / b)
    logs = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    if lower < 0.5:  # next to 0 the tail is x^a / (a B(a, b)), next to 1 likewise
        start = min(start, (math.log(lower) + math.log(a) + logs) / a)
    else:
        start = max(start, -(math.log(upper) + math.log(b) + logs) / b)
    return _root(at, start, lower, upper)


def shares(logit: float) -> Tails:
    """Return x and 1 - x, each to its last digit, of ``ln(x / (1 - x))``."""
    if logit < 0:
        odds = math.exp(max(logit, -740.0))
        return odds / (1 + odds), 1 / (1 + odds)
    odds = math.exp(max(-logit, -740.0))
    return 1 / (1 + odds), odds / (1 + odds)


def _root(at: Callable[[float], tuple[Tails, float]], start: float, lower: float, upper: float) -> float:
    """Return the place where the tails are these, by Newton's steps in the logarithm of the smaller one.

    ``at`` gives the tails at a place and how fast the lower one grows there.
    """
    is_lower = lower <= upper
    target = math.log(lower if is_lower else upper)
    low, high = -_FARTHEST, _FARTHEST
    place = min(max(start, low), high)
    for _ in range(200):
        (below, above), speed = at(place)
        tail = below if is_lower else above
        off = -math.inf if tail <= 0 else math.log(tail) - target
        if (off > 0) == is_lower:
            high = place
        else:
            low = place
        slope = speed / tail * (1 if is_lower else -1) if tail > 0 else 0.0
        step = place - off / slope if slope and math.isfinite(off) else math.nan
        following = step if low < step < high else (low + high) / 2
        if off == 0:
            return place
        if abs(following - place) <= _PRECISE * max(1.0, abs(place)):
            break
        place = following
    return place if abs(place) < _FARTHEST - 1 else fail("#N/IMPL!")
