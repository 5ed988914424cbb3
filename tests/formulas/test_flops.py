"""FLOPs in closed form against the papers' own figures."""

import pytest

from sizebook.formulas.flops import flops_per_step_gpt, mfu, train_tokens_per_s
from sizebook.functions import load

load()
DAY = 86_400


def test_equation_3_of_narayanan_in_its_own_form() -> None:
    batch, seq, n_layers, d_model, vocab = 1536, 2048, 96, 12288, 51200
    factor = 1 + seq / (6 * d_model) + vocab / (16 * n_layers * d_model)
    published = 96 * batch * seq * n_layers * d_model**2 * factor
    assert flops_per_step_gpt(n_layers, d_model, vocab, batch, seq, recompute="full") == pytest.approx(
        published, rel=1e-12
    )


@pytest.mark.parametrize(
    ("gpus", "tflops", "days"),
    [(384, 153, 84), (768, 149, 43), (1536, 141, 23), (384, 144, 90), (768, 88, 74), (1536, 44, 74)],
)
def test_days_for_300_billion_tokens_of_narayanan_table_2(gpus: int, tflops: float, days: float) -> None:
    per_token = flops_per_step_gpt(96, 12288, 51200, 1, 2048, recompute="full") / 2048
    assert per_token * 300e9 / (gpus * tflops * 1e12) / DAY == pytest.approx(days, rel=0.015)


def test_the_rate_at_an_mfu_gives_that_mfu() -> None:
    assert mfu(train_tokens_per_s(5e10, 9e14, 0.37), 5e10, 9e14) == pytest.approx(0.37)
