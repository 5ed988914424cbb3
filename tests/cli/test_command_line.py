"""The command line prints bare values, explains, lists, and refuses with exit code 2."""

import json
import subprocess
import sys

import pytest

from sizebook.cli.functions import cell_text
from tests.row_lists import listed


def sizebook(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sizebook", *words], capture_output=True, text=True, check=False)


def test_call_prints_the_bare_value() -> None:
    assert sizebook("call", "PARAMS_MHA", "4096").stdout == "67125248\n"
    assert sizebook("call", "params_attention", "12288", "96", "128", "bias=FALSE").stdout == "603979776\n"


def test_a_number_is_printed_in_the_digits_of_a_cell() -> None:
    # 412.72 x (1 - 0.87) is 53.653600000000004 in binary.
    assert sizebook("call", "GRID_G_PER_KWH", "gcp:us-central1", "market").stdout == "53.6536\n"
    assert [cell_text(value) for value in (1 / 3, 2**60 + 1, 2.0**60, 1e-7, -0.5)] == [
        "0.333333333333333",
        "1152921504606846977",
        "1.15292150460685e+18",
        "1e-07",
        "-0.5",
    ]


def test_call_explains() -> None:
    lines = sizebook("call", "MODEL_BYTES", "354336768", "nvfp4", "--explain").stdout.splitlines()
    assert lines[0] == "MODEL_BYTES(parameters, [dtype])"
    assert lines[3:5] == ["formula  ceil(parameters * DTYPE_BITS(dtype) / 8)", "numbers  ceil(354336768 * 4.5 / 8)"]
    assert lines[5].startswith("result   199") and lines[5].endswith("MB)")
    assert lines[6] == "source   data/dtypes.csv, one source a row"


def test_numbers_above_a_result_are_those_of_its_convention() -> None:
    lines = sizebook("call", "PARAMS_FFN", "512", "2048", "convention=dashboard", "--explain").stdout.splitlines()
    # 2 x 512 x 2048 + 512 + 512
    assert lines[4] == "numbers  (2 + 0) * 512 * 2048 + 1 * ((1 + 0) * 512 + 512)"
    assert lines[5].startswith("result   2\u202f098\u202f176")


def test_a_function_without_a_formula_explains_with_its_arguments() -> None:
    lines = sizebook("call", "GRID_G_PER_KWH", "fra", "--explain").stdout.splitlines()
    assert lines[4] == "numbers  grid = fra, basis = location"


@pytest.mark.parametrize(*listed("cli", "test_refusals_go_to_standard_error_with_exit_code_2"))
def test_refusals_go_to_standard_error_with_exit_code_2(words: list[str], message: str) -> None:
    done = sizebook(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


@pytest.mark.parametrize(*listed("cli", "test_options_without_effect_are_refused"))
def test_options_without_effect_are_refused(words: str, said: str) -> None:
    message = f"sizebook: no effect: got {said}, want what changes something. Leave it out.\n"
    assert (done := sizebook(*words.split())).stderr == message and done.returncode == 2


def test_a_count_explains_in_json_what_it_explains_in_words() -> None:
    """GPT-2 has 50,257 tokens and 1,024 positions, all 768 wide."""
    said = sizebook("count", "gpt-2-small", "--explain").stdout
    held = json.loads(sizebook("count", "gpt-2-small", "--explain", "--json").stdout)
    assert held["sums"]["embedding"] == "50257 * 768 + 1024 * 768"
    assert [
        f"  {part} = {products}" for part, products in held["sums"].items() if f"  {part} = {products}" not in said
    ] == []
    assert f"Keys read: {', '.join(held['keys_read'])}\n" in said
    assert f"Keys without effect on the count: {', '.join(held['keys_without_effect'])}\n" in said


def test_functions_as_json_holds_what_a_wizard_needs() -> None:
    functions = {f["name"]: f for f in json.loads(sizebook("functions", "--json").stdout)}
    mha = functions["PARAMS_MHA"]
    assert mha["example"] == {"arguments": {"d_model": 512}, "value": 1050624}
    assert [a["name"] for a in mha["arguments"]] == ["d_model", "bias"]
    assert mha["arguments"][1]["default"] is True
