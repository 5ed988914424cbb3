"""Plans with keys changed on the command line, and one function's help."""

import json
from pathlib import Path

import pytest

from sizebook.core.errors import InputError
from tests.commands import run
from tests.row_lists import listed

ROOT = Path(__file__).resolve().parents[2]
SERVING = ROOT / "reports" / "serving-llama-3.1-70b.toml"
FLEET = ROOT / "workbooks" / "scenarios" / "six-services.toml"


def test_a_changed_key_plans_as_the_edited_file_does(tmp_path: Path) -> None:
    edited = tmp_path / "edited.toml"
    text = SERVING.read_text(encoding="utf-8")
    assert 'gpu = "h200-sxm"' in text
    edited.write_text(text.replace('gpu = "h200-sxm"', 'gpu = "b200-sxm"'), encoding="utf-8")
    changed = run("plan", "serve", str(SERVING), "--json", "--set", "gpu=b200-sxm")
    assert changed.output == run("plan", "serve", str(edited), "--json").output
    assert json.loads(changed.output)["setup"]["gpu"] == "b200-sxm"


def test_a_key_of_one_service_and_one_of_a_table_change() -> None:
    before, after = (
        json.loads(run("plan", "fleet", str(FLEET), "--json", *change).output)["services"]
        for change in ((), ("--set", "service.1.requests_per_day=1e3"))
    )
    # Chat has a thousandth of its traffic; the services that share its GPUs pay for what it leaves, others do not.
    changed = [old["name"] for old, new in zip(before, after, strict=True) if old != new]
    assert changed == ["Chat", "Search", "Summaries"]
    assert (before[0]["months"][0]["requests_per_day"], after[0]["months"][0]["requests_per_day"]) == (2e6, 1e3)


@pytest.mark.parametrize(*listed("cli", "test_refused_changes"))
def test_refused_changes(change: str, message: str) -> None:
    done = run("plan", "serve", str(SERVING), *(word for each in change.split() for word in ("--set", each)))
    assert isinstance(done.exception, InputError | Exception) and str(done.exception).startswith(message)


@pytest.mark.parametrize("words", [("call", "params_mha", "--help"), ("functions", "PARAMS_MHA")])
def test_help_of_one_function(words: tuple[str, ...]) -> None:
    shown = run(*words).output
    assert shown.startswith("## PARAMS_MHA\n\n`=PARAMS_MHA(d_model, [bias])`\n")
    assert "| `d_model` | hidden size: width of the residual stream |  | required |" in shown


def test_commands_stand_before_options() -> None:
    shown = run("--help").output
    assert 0 < shown.index("Commands:") < shown.index("  count ") < shown.index("Options:")


def test_count_says_the_bytes_of_its_weights() -> None:
    # 8 030 261 248 parameters of 2, 1 and half a byte.
    assert "\nWeights: bf16 16.1\xa0GB, fp8 8.03\xa0GB, int4 4.02\xa0GB\n" in run("count", "llama-3.1-8b").output
    held = json.loads(run("count", "llama-3.1-8b", "--json").output)["weight_bytes"]
    assert (held["bf16"], held["fp8"]) == (2 * 8_030_261_248, 8_030_261_248)


@pytest.mark.parametrize("sign", [";", "\t"])
def test_sweeps_read_the_separators_of_batches_and_fail_without_an_answer(sign: str, tmp_path: Path) -> None:
    pytest.importorskip("polars")
    heads = sign.join(("model", "gpu", "input_tokens", "output_tokens", "concurrency"))
    good, bad = (sign.join((model, "h100-sxm", "2000", "100", "8")) for model in ("llama-3.1-8b", "x"))
    table, answers = tmp_path / "table.csv", tmp_path / "answers.csv"
    table.write_text(f"{heads}\n{good}\n{bad}\n", encoding="utf-8")
    done = run("sweep", str(table), "-o", str(answers))
    assert done.exit_code == 0 and "1 of 2 rows estimated" in done.output
    table.write_text(f"{heads}\n{bad}\n", encoding="utf-8")
    assert run("sweep", str(table), "-o", str(answers)).exit_code == 1
