"""Equations of pages are the registry's formulas, and what the site draws of them is read here token by token."""

import re
from pathlib import Path

import pytest
from shown_equations import as_html, refreshed_equations

from tests.row_lists import listed

ROOT = Path(__file__).resolve().parents[2]


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


@pytest.mark.parametrize(*listed("docs", "test_how_a_formula_is_set"))
def test_how_a_formula_is_set(line: str, want: str) -> None:
    assert drawn(line) == want


@pytest.mark.parametrize("name", METHODS)
def test_a_methods_page_is_one_page_with_equations(name: str) -> None:
    text = (ROOT / "docs" / "methods" / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall("(?ms)^```equation\n(.*?)^```$", text)
    assert len(blocks) >= 2 and [block for block in blocks if refreshed_equations(block) != block] == []
    assert len(text.split()) <= 700
