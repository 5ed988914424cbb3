"""A logarithm that meets its ceiling stays there."""

import numpy as np
import pytest

from sizebook.calibrating.fitting import Prior, fit


@pytest.mark.parametrize("steps", [11, 12])
def test_a_share_that_runs_would_have_above_its_ceiling_ends_at_it(steps: int) -> None:
    """Ten runs a third faster than 0.75 of a peak gives, at most 0.9 of it: by hand log(0.9). A second value beside it
    is free. Before, one step went beyond the ceiling and the next, where nothing moved, back to the start."""
    ceilings = np.array([np.log(0.9), np.inf])

    def residuals(logs: np.ndarray) -> np.ndarray:
        share, other = np.minimum(logs, ceilings)
        return np.concatenate([np.full(10, -share + np.log(0.75) + np.log(4 / 3)), np.full(10, other - np.log(2))])

    start = np.array([np.log(0.75), 0.0])
    found = fit(residuals, Prior(start, np.full(2, 0.08), ceilings), np.ones(20), start, steps)
    assert found[0] == pytest.approx(np.log(0.9))
    assert found[1] == pytest.approx(np.log(2), abs=0.02)
