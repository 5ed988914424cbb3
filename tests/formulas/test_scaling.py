"""Compute-optimal sizes against the tables of the papers."""

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.formulas.scaling import (
    LOSS_LAWS,
    POWER_LAWS,
    optimal_params,
    optimal_tokens,
    params_for_budget,
    training_loss,
)
from sizebook.functions import load
from tests.refused import message_of

load()


@pytest.mark.parametrize("approach", list(POWER_LAWS))
def test_size_and_tokens_are_each_others_inverse(approach: str) -> None:
    n_flops = 3e23
    n_parameters = optimal_params(n_flops, approach)
    assert 6 * n_parameters * optimal_tokens(n_parameters, approach) == pytest.approx(n_flops, rel=1e-6)


@pytest.mark.parametrize("approach", list(LOSS_LAWS))
def test_the_optimal_size_has_the_least_loss_at_its_compute(approach: str) -> None:
    n_flops = 1e22
    best = optimal_params(n_flops, approach)

    def at(n_parameters: float) -> float:
        return training_loss(int(n_parameters), n_flops / 6 / n_parameters, approach)

    assert at(best) < min(at(best * 0.9), at(best * 1.1))


def test_exponents_are_the_published_ones() -> None:
    # Hoffmann et al. 2022, table 2: a = 0.50, 0.49 and 0.46; Besiroglu et al. 2024: about 20 tokens a parameter.
    assert POWER_LAWS["approach-3"].exponent == pytest.approx(0.46, abs=0.01)
    assert optimal_tokens(67_000_000_000, "epoch") / 67e9 == pytest.approx(20, rel=0.1)


def test_an_empty_budget_and_an_unknown_approach_are_refused() -> None:
    assert (
        message_of(SizebookError, params_for_budget, 0, 2.5, 1e15, 0.4)
        == "nothing to spend: got a budget of 0 USD, want above 0. Raise the budget."
    )
    assert message_of(SizebookError, call, "OPTIMAL_TOKENS", 1e9, "epok") == (
        "unknown approach: got 'epok', want 'epoch', or one of 20-tokens, approach-1, approach-2, approach-3. "
        "Correct it."
    )
