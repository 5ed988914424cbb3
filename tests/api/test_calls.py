"""Functions from Python: every one of them gives what its cell gives, for values, columns, sections and bad input."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sizebook as sb


def same(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, (list, tuple)):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    return bool(got == (pytest.approx(wanted, rel=1e-12) if isinstance(wanted, float) else wanted))


# Attention of d_model 4096: four matrices of 4096 x 4096 and four biases of 4096.
WITH_BIAS, WITHOUT = 4 * 4096 * 4096 + 4 * 4096, 4 * 4096 * 4096


def test_arguments_by_place_by_name_and_as_text() -> None:
    assert sb.params_mha(4096) == sb.params_mha("4096") == sb.params_mha(d_model=4096.0) == WITH_BIAS
    assert sb.params_mha(4096, False) == sb.params_mha(4096, bias="no") == WITHOUT


def test_sections_by_keyword_are_their_arguments() -> None:
    apart = sb.ttft_seconds("llama-3.1-8b", "h100-sxm", 2000, 400, 64, tp=2)
    asked = {"input_tokens": 2000, "output_tokens": 400, "concurrency": 64}
    assert sb.ttft_seconds("llama-3.1-8b", "h100-sxm", demand=asked, replica={"tp": 2}) == apart


def test_columns_come_back_as_what_they_were() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    layer = [4 * 8 * 8 + 4 * 8, 4 * 16 * 16 + 4 * 16]
    assert sb.params_mha([8, 16]) == sb.params_mha(range(8, 17, 8)) == layer
    assert (sb.params_mha(np.array([[8], [16]])) == np.array([layer]).T).all()
    assert sb.params_mha(polars.Series("d", [8, 16])).equals(polars.Series("d", layer))
    found = sb.params_mha(pandas.Series([8, 16], index=["a", "b"], name="d"))
    assert found.equals(pandas.Series(layer, index=["a", "b"], name="d"))
    assert sb.params_mha([8, 16], [True, False]) == [layer[0], 4 * 16 * 16]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sb.params_mha(0),
            "d_model is out of range: got 0, want at least 1 (hidden size: width of the residual stream). "
            "Correct the number.",
        ),
        (
            lambda: sb.params_mha([8, -1]),
            "row 1: d_model is out of range: got -1, want at least 1 (hidden size: width of the residual stream). "
            "Correct the number.",
        ),
        (
            lambda: sb.params_mha(8, dmodel=8),
            "unknown argument: got 'dmodel', want 'd_model', or bias. Correct it.",
        ),
        (
            lambda: sb.params_mha(8, d_model=8),
            "argument given twice: got d_model by place and by name, want it once. Remove one.",
        ),
        (
            lambda: sb.params_mha([8, 16], [True]),
            "columns do not match: got 2 of d_model, 1 of bias, want the same number. Make them equally long.",
        ),
        (
            lambda: sb.ttft_seconds("llama-3.1-8b", "h100-sxm", replica=2),
            "replica is no section: got 2, want a dict of its arguments. Write replica={...}.",
        ),
        (
            lambda: sb.ttft_seconds("llama-3.1-8b", "h100-sxm", tp=1, replica={"tp": 2}),
            "argument given twice: got tp again, want it once. Remove one.",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(sb.SizebookError, match=f"^{re.escape(message)}$"):
        call()


def test_unknown_name_is_an_attribute_error_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'params_mhaa'\. Did you mean 'params_mha'\?$"):
        _ = sb.params_mhaa
    with pytest.raises(AttributeError, match=r"no attribute 'PARAMS_MHA'\. Did you mean 'params_mha'\?$"):
        _ = sb.PARAMS_MHA


def test_no_function_is_called_as_a_package_is() -> None:
    packages = {each.name for each in Path(sb.__file__).parent.iterdir() if each.is_dir()}
    assert not packages & {*dir(sb)}


def test_import_alone_loads_nothing_of_the_package() -> None:
    code = "import sys, sizebook; print([name for name in sys.modules if name.startswith('sizebook.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_counts_of_a_catalog_entry_a_dict_and_its_notes() -> None:
    # 8 030 261 248 is what Meta's checkpoint of Llama 3.1 8B holds.
    assert sb.count("llama-3.1-8b").total == 8_030_261_248
    config = {"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1}
    found = sb.count({**config, "num_attention_heads": 2})
    # A Llama without one has 32 000 words: embedding and head of 8 each, attention 4 x 64, three projections of 128,
    # three norms of 8.
    assert found.total == 2 * 32_000 * 8 + 256 + 384 + 24
    assert any("vocab_size" in note for note in found.notes)


SCRIPT = """
import numpy
import sizebook as sb

one: int = sb.params_mha(4096)
many = sb.params_mha(numpy.array([512, 1024])).sum()
seconds: float = sb.ttft_seconds("llama-3.1-8b", "h100-sxm", 2000, 400, 64, replica={"tp": 2})
total: int = sb.count({"model_type": "llama"}).total
frame = sb.plan("serving.toml", gpu="h200-sxm").table("months", "polars")
try:
    sb.plan(plan="serving")
except sb.SizebookError as error:
    print(error)
sb.params_mha(d_modell=1)
"""


@pytest.mark.ci
def test_mypy_checks_a_script_of_a_user(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "script.py"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    found = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(found) == 1 and "script.py:14" in found[0] and "params_mha" in found[0], done.stdout
