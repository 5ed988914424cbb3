"""Degrees of parallelism: the largest divisor, and the refusal of a degree that does not divide."""


def largest_divisor(n: int, at_most: int) -> int:
    """Return the largest divisor of ``n`` that is no greater than ``at_most``."""
    return next((d for d in range(min(n, at_most), 0, -1) if n % d == 0), 1)


def heads_not_divided(tp: int, n_heads: int, best: int) -> str:
    """Return why attention is not divided over ranks that its heads are no multiple of, and the most that they are."""
    return (
        f"tensor parallelism does not divide the heads: got tp {tp} and n_heads {n_heads}, want tp to divide n_heads. "
        f"Use tp {best}."
    )
