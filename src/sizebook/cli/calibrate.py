"""`sizebook calibrate` fits rates to your own measured runs and reports how well they predict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sizebook.cli.options import FILE
from sizebook.core.errors import InputError
from sizebook.core.texts import range_text
from sizebook.core.units import percent, significant
from sizebook.intake.files import repeated

if TYPE_CHECKING:
    from sizebook.calibrating.calibration import SetupCalibration


@click.command("calibrate")
@click.argument("tables", nargs=-1, required=True, type=FILE, metavar="RUNS...")
@click.option("-o", "--output", type=FILE, required=True, help="Rates to write.")
@click.option("--set", "stated", multiple=True, metavar="COLUMN=VALUE", help="A column that all the runs share.")
def calibrate_rates(tables: tuple[Path, ...], output: Path, stated: tuple[str, ...]) -> None:
    """Fit rates to measured runs, for the option --rates and the key rates_file of scenarios.

    RUNS are tables (CSV, Parquet or xlsx) with the columns of 'sizebook sweep' and the measurements: for training
    measured_step_seconds or measured_tokens_per_s_per_gpu; for serving any of measured_tpot_seconds,
    measured_ttft_seconds and measured_tokens_per_second. Runs of the same 'group' are left out together to judge the
    rates; without that column, runs of the same model.

    RUNS may also be what vllm bench serve, sglang.bench_serving, AIPerf or GuideLLM wrote (JSON or JSON Lines), or the
    log of a training run by torchtitan, Megatron or NeMo (.log, .out, .txt). What these do not say, state with --set
    gpu=h100-sxm --set weight_dtype=fp8 --set tp=2.

    Prints the mean error before and after, on runs that the fit had not seen. If a row is bad, its line is named and
    nothing is written. Setups that the shipped rates predict as well keep the shipped rates.
    """
    from sizebook.calibrating import serving, training
    from sizebook.calibrating.calibration import calibrate, write_rates
    from sizebook.calibrating.runs import RunTable, check_apart, plan_of, read
    from sizebook.cli.messages import print_notes
    from sizebook.cli.sweep import print_unread
    from sizebook.sweeps.training import inputs_of
    from sizebook.tables.own_rates import SERVING, TRAINING, own_rates

    check_apart(tables, output)
    readers = {TRAINING: training, SERVING: serving}
    runs = []
    columns_of_all = [_stated(each) for each in stated]
    if twice := repeated(name for name, _ in columns_of_all):
        raise InputError(f"stated twice: got --set {twice[0]} again, want each column once. Remove one.")
    for table in (RunTable(path, dict(columns_of_all)) for path in tables):
        columns = table.columns
        known, inputs = readers[plan_of(columns, table.name)].READ, inputs_of(columns)
        print_unread([name for name in columns if inputs.get(name, name) not in known], known)
        runs += read(table, {plan: each.reader for plan, each in readers.items()})
    found, few = calibrate(runs)
    print_notes(f"too few runs: {each}" for each in few)
    for each in found:
        click.echo("\n".join(as_text(each)))
    if not any(each.kept for each in found):
        raise InputError(
            "own rates are no better: got runs that the shipped rates predict as well, want an error that falls. "
            "Nothing was written: plan with the shipped rates."
        )
    write_rates(found, tables, output)
    click.echo(f"Rates: {output.resolve()}, sha256 {own_rates(str(output)).digest}")


def _stated(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not (name and sign and value):
        raise InputError(f"no setting: got --set {word}, want COLUMN=VALUE, such as gpu=h100-sxm. Correct it.")
    return name.strip(), value.strip()


def as_text(each: SetupCalibration) -> list[str]:
    """Return the result for one setup as lines."""
    lines = [f"{each.setup.words}: {each.fitted.runs} runs of {each.groups} group{'s' if each.groups > 1 else ''}"]
    left_out = "each group left out" if each.by == "group" else "single runs left out: other models may lie further off"
    for figure, before in each.shipped.items():
        lines.append(
            f"  {figure:<11} mean error {percent(before)} with shipped rates, {percent(each.own[figure])} with own "
            f"({left_out})"
        )
    factors = ", ".join(f"{name} {significant(value, 3)}" for name, value in each.fitted.factors.items())
    lines.append(f"  {'factors':<11} {factors} on the seconds of the shipped rates")
    for (kind, figure), spread in each.fitted.spreads.items():
        measured = range_text(significant(spread.low, 3), significant(spread.high, 3))
        lines.append(f"  {'band':<11} {figure} of {kind} models: measured {measured} of predicted (p10 to p90)")
    if not each.fitted.spreads:
        lines.append(f"  {'band':<11} too few runs for a band of their own: the band of the shipped rates applies")
    if not each.kept:
        lines.append(f"  {'not kept':<11} the shipped rates predict these runs as well and stay in use")
    return lines
