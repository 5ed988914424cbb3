"""`sizebook fill` from scenario file to workbook, and what it says when it refuses."""

from pathlib import Path

from openpyxl import load_workbook

from sizebook.core.errors import InputError
from sizebook.sources.bundled import bundled
from tests.commands import run


def scenario(folder: Path, text: str) -> Path:
    path = folder / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_keys_are_input_names(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'model = "llama-3.1-8b"\ndtype = "fp8"\nas_of = 2026-11-21\n')
    out = tmp_path / "out.xlsx"
    done = run("fill", bundled("workbooks") / "model_sizing.xlsx", path, "-o", out)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{out}: 3 inputs, ")
    assert load_workbook(out, data_only=True)["Result"]["B5"].value == 8_030_261_248


def test_scenario_of_a_plan_fills_its_workbook(tmp_path: Path) -> None:
    path = scenario(
        tmp_path,
        'plan = "training"\nmodel = "meta-llama/Llama-3.1-8B"\ngpu = "h100-sxm"\ngpus = 64\n'
        'tokens = 1e12\nbatch = 256\nmfu = 0.4\nprice_usd_per_gpu_hour = 2.5\ngrid = "France"\n',
    )
    out = tmp_path / "out.xlsx"
    done = run("fill", bundled("workbooks") / "training_budget.xlsx", path, "-o", out)
    assert (done.exit_code, done.stderr) == (0, "")
    cover = load_workbook(out, data_only=True)["Cover"]
    rows = cover.iter_rows(min_row=3, min_col=2, max_col=3, values_only=True)
    assert next(value for label, value in rows if label == "Checks") == "OK"


def test_bare_name_is_a_workbook_of_the_package(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'model = "llama-3.1-8b"\n')
    done = run("fill", "model_sizing.xlsx", path, "-o", tmp_path / "out.xlsx")
    assert (done.exit_code, done.stderr) == (0, "")
    done = run("fill", "model_sizing", path, "-o", tmp_path / "out.xlsx")  # was: want '' as the template
    assert (done.exit_code, done.stderr) == (0, "")
    for name in ("model_sizng", "model_sizng.xlsx"):
        done = run("fill", name, path, "-o", tmp_path / "out.xlsx")
        assert str(done.exception) == (
            "unknown workbook: got 'model_sizng.xlsx', want 'model_sizing.xlsx', or one of model_comparison.xlsx, "
            "fine_tuning.xlsx, fleet_plan.xlsx and 3 others. 'sizebook fill --help' lists them."
        )
    done = run("fill", "serving", path, "-o", tmp_path / "out.xlsx")  # was: want '' as the template
    assert str(done.exception).startswith("unknown workbook: got 'serving.xlsx', want one of fine_tuning.xlsx, ")
    done = run("fill", "mine.xlsx", path, "-o", tmp_path / "out.xlsx")
    assert isinstance(done.exception, InputError) and str(done.exception) == (
        "cannot read: got No such file or directory for mine.xlsx, want a workbook. Check the path."
    )


def test_a_scenario_of_another_workbook_is_one_problem(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'plan = "serving"\nmodel = "llama-3.1-8b"\ngpu = "h100-sxm"\ntp = 2\n')
    done = run("fill", "model_sizing.xlsx", path, "-o", tmp_path / "out.xlsx")
    assert isinstance(done.exception, InputError) and str(done.exception) == (
        "another workbook: got plan = 'serving' for model_sizing.xlsx, want serving_capacity.xlsx. Fill that one."
    )


def test_a_scenario_with_tables_names_its_plan(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'model = "llama-3.1-8b"\ngpu = "h100-sxm"\n[traffic]\nrequests_per_day = 1\n')
    done = run("fill", "serving_capacity.xlsx", path, "-o", tmp_path / "out.xlsx")
    assert str(done.exception) == (
        "scenario.toml: no plan: got gpu, traffic without one, want plan = 'serving'. Add that line; a scenario that "
        "names none is sizing."
    )


def test_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'dtyp = "fp8"\n')
    done = run("fill", bundled("workbooks") / "model_sizing.xlsx", path, "-o", tmp_path / "out.xlsx")
    assert done.stdout == ""
    assert str(done.exception) == (
        "model_sizing.xlsx: unknown input: got 'dtyp', want 'dtype', or one of 6 others. 'sizebook "
        "template check' lists them.\n"
        "model_sizing.xlsx: missing input: got no 'model', want a value for Inputs!C7. Add it to the scenario."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["scenario.toml"]


def test_cell_in_error_is_named_and_exits_with_1(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'model = "config.json"\nconfig_path = "/nowhere/config.json"\n')
    done = run("fill", bundled("workbooks") / "model_sizing.xlsx", path, "-o", tmp_path / "out.xlsx")
    assert done.exit_code == 1
    assert done.stderr.startswith("sizebook: Calls!B")
    assert "/nowhere/config.json" in done.stderr
    assert (tmp_path / "out.xlsx").exists()
