"""Numbers as people paste them, and those that nobody can tell without knowing the country."""

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import InputError
from sizebook.functions import load
from tests.refused import message_of
from tests.row_lists import listed

AMBIGUOUS = (
    "parameters is ambiguous: got '{}', want digits without a comma, which stands before decimals in one country and "
    "between thousands in another. Write it with a point, or declare the sign of decimals: SIZEBOOK_DECIMAL in the "
    "environment, a point or a comma."
)


def parameters(text: str) -> int:
    """Return a number of parameters as a function takes it: at one byte each, their bytes."""
    load()
    found: int = call("MODEL_BYTES", text, "int8")
    return found


@pytest.mark.parametrize(*listed("core", "test_undeclared"))
def test_undeclared(monkeypatch: pytest.MonkeyPatch, text: str, value: int) -> None:
    monkeypatch.delenv("SIZEBOOK_DECIMAL", raising=False)
    assert parameters(text) == value


@pytest.mark.parametrize("text", ["4,096", "1,4T", "1.234,5 M", "1,234,567"])
def test_a_comma_is_refused_until_declared(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.delenv("SIZEBOOK_DECIMAL", raising=False)
    assert message_of(InputError, parameters, text) == AMBIGUOUS.format(text)


@pytest.mark.parametrize("text", ["4.096", " 100.000 ", "-1.000"])
def test_a_whole_number_with_a_point_before_three_digits_is_refused_until_declared(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.delenv("SIZEBOOK_DECIMAL", raising=False)
    assert message_of(InputError, parameters, text) == (
        f"parameters is ambiguous: got '{text}', want digits without a point, which stands between thousands in one "
        "country and before decimals in another. Write it without, or declare the sign of decimals: SIZEBOOK_DECIMAL "
        "in the environment, a point or a comma."
    )


def test_a_point_stands_before_decimals_where_a_number_may_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share, a price, a model of 1.543B: English and every program write them so."""
    monkeypatch.delenv("SIZEBOOK_DECIMAL", raising=False)
    assert parameters("1.543B") == 1_543_000_000
    assert call("TRAIN_FLOPS", "1.125", 8) == 9.0
    monkeypatch.setenv("SIZEBOOK_DECIMAL", ".")
    assert parameters("100.000") == 100


@pytest.mark.parametrize(*listed("core", "test_declared"))
def test_declared(monkeypatch: pytest.MonkeyPatch, sign: str, text: str, value: int) -> None:
    monkeypatch.setenv("SIZEBOOK_DECIMAL", sign)
    assert parameters(text) == value


@pytest.mark.parametrize(
    ("sign", "text"), [(".", "1,4T"), (".", "40,96"), (",", "1.5T"), (",", "40.96"), (",", "1,4,5")]
)
def test_what_the_declared_country_does_not_write_is_no_number(
    monkeypatch: pytest.MonkeyPatch, sign: str, text: str
) -> None:
    monkeypatch.setenv("SIZEBOOK_DECIMAL", sign)
    assert message_of(InputError, parameters, text) == (
        f"parameters is not a number: got '{text}', want a whole number (number of parameters). Type digits, or a "
        "number with M, B or T for 10^6, 10^9 or 10^12."
    )


def test_another_sign_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_DECIMAL", ";")
    assert message_of(InputError, parameters, "1") == (
        "unknown sign of decimals: got ';' in SIZEBOOK_DECIMAL, want a point or a comma. Change the environment, or "
        "remove the variable."
    )
