"""Equations of pages are the registry's formulas, and what the site draws of them is read here token by token."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from shown_equations import as_html, refreshed_equations  # noqa: E402

METHODS = ("carbon", "counting", "money", "serving", "training")


def drawn(line: str) -> str:
    """Return what stands within <math>."""
    return re.findall("<math[^>]*>(.*)</math>", as_html(line, ""))[0]


def test_a_function_brings_its_own_formula_with_its_options_settled() -> None:
    assert refreshed_equations("PARAMS_FFN = anything\n") == (
        "PARAMS_FFN = (2 + gated) * d_model * d_ff + bias * ((1 + gated) * d_ff + d_model)\n"
    )
    assert refreshed_equations("GPU_HOURS") == "GPU_HOURS = gpus * seconds / 3600\n"


def test_a_line_of_the_pages_own_stays_but_must_parse() -> None:
    assert refreshed_equations("a = (b * c)\n") == "a = b * c\n"
    with pytest.raises(Exception, match="formula"):
        refreshed_equations("a = b *\n")


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("a = n_layers", "<msub><mi>n</mi><mtext>layers</mtext></msub>"),
        ("a = gpu_hours", "<mtext>gpu hours</mtext>"),
        ("a = b / c / 2", "<mfrac><mi>b</mi><mrow><mi>c</mi><mo>&#215;</mo><mn>2</mn></mrow></mfrac>"),
        (
            "a = (b + c) * 2",
            "<mrow><mrow><mo>(</mo><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow><mo>)</mo></mrow>"
            "<mo>&#215;</mo><mn>2</mn></mrow>",
        ),
        (
            "a = b - (c - 1)",
            "<mrow><mi>b</mi><mo>&#8722;</mo><mrow><mo>(</mo><mrow><mi>c</mi><mo>&#8722;</mo><mn>1</mn></mrow>"
            "<mo>)</mo></mrow></mrow>",
        ),
        ("a = b^2", "<msup><mi>b</mi><mn>2</mn></msup>"),
        ("a = 1e6", "<mrow><msup><mn>10</mn><mn>6</mn></msup></mrow>"),
        ("a = sqrt(b)", "<msqrt><mi>b</mi></msqrt>"),
        ("a = ceil(b)", "<mrow><mo>&#8968;</mo><mi>b</mi><mo>&#8969;</mo></mrow>"),
    ],
)
def test_how_a_formula_is_set(line: str, want: str) -> None:
    assert drawn(line) == want


@pytest.mark.parametrize("name", METHODS)
def test_a_methods_page_is_one_page_with_equations(name: str) -> None:
    text = (ROOT / "docs" / "methods" / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall("(?ms)^```equation\n(.*?)^```$", text)
    assert len(blocks) >= 2 and [block for block in blocks if refreshed_equations(block) != block] == []
    assert len(text.split()) <= 700
