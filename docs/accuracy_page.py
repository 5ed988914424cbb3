"""The accuracy page: one chart of all bands, what was measured where, where bands fail, and every published figure."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from range_chart import Range, range_chart

from sizebook.core.tables import by_key, table
from sizebook.core.units import percent, significant
from sizebook.serving.band import BUSY, FEW_OF_RANK, FITTED, NOTHING, Setting, error_band
from sizebook.serving.quantities import ENGINE_NAMES, ENGINES
from sizebook.serving.rates import is_measured
from sizebook.validation.published import Summary, validate
from sizebook.validation.training_runs import GroupError, chart_title, errors, over_groups, over_runs

EXACT = {  # quantities of `tests/published` that follow from the architecture, in a reader's words
    "flops_per_token": "FLOPs of a token",
    "activation_bytes": "activations in memory",
    "peak_memory": "peak memory of training",
    "train_energy": "energy of a run",
    "train_carbon": "carbon of a run",
}
TRAINED = {"dense hopper": "training, dense", "experts hopper": "training, experts", "adapters hopper": "adapters"}
SERVED = {"throughput": "serving, throughput", "tpot": "serving, time per token", "ttft": "serving, first token"}
FEW = 10  # rows or runs; fewer say nothing of a share

HEAD = """# Accuracy

How far may a number be off? It depends on what kind of number it is.

- **Counts** of parameters, FLOPs and bytes follow from the architecture. They are exact, or off by less than a percent.
- **Memory of a training run** is off by some percent, as frameworks differ.
- **Times** are estimates. Money, energy and carbon follow from times.

![Measured over predicted, by quantity](accuracy.svg)

A bar of an estimate holds eight of ten measurements that the model had not seen. A bar of a computed figure spans every
published case. Every output of sizebook prints the range of its own case.

To judge an estimate, whole groups of measurements are left out, the model is fitted to the rest, and then predicts what
was left out. Nothing is judged on what it has seen:

```text
measured rows ─┬─ one group left out ──────────────────┐
               └─ all other groups ─── fit ─── predict ┴─ error, and share inside the band
                  (once for each group)
rows of an exam ── never in a fit ──────────── predict ── the same, beside it
```

The energy of training is checked against four published runs. Nobody has published that of a server with its traffic,
so nothing measured stands behind the energy of serving.

## Where the band fails first
"""

# What the published figures are of, by the quantity that `sizebook validate` prints.
_WORDS = {
    "train_days": "Days of a training run",
    "mfu_gpt": "MFU, after the FLOPs of GPT",
    "step_seconds": "Seconds of a training step",
    "state_bytes": "Memory of weights, gradients and optimizer",
    "activation_bytes": "Memory of activations",
    "peak_memory": "Peak memory of a training run",
    "tokens_per_s_per_gpu": "Training tokens a second and GPU",
    "flops_per_token": "FLOPs of a training token",
    "flops_forward": "FLOPs of a forward pass",
    "mfu_palm": "MFU, after the FLOPs of PaLM",
    "train_energy": "Energy of a training run",
    "train_carbon": "Carbon of a training run",
    "embodied_carbon": "Carbon of making the hardware",
    "implied_mfu": "MFU that published GPU-hours imply",
    "optimal_tokens": "Training tokens of the least compute",
    "model_state_bytes": "Memory of a model's state, by ZeRO stage",
}

MATRIX = """
## What was measured

Serving, by accelerator and engine. *Measured* names the rows of running servers and their models. *Unseen* means that
servers were measured on this accelerator, but with other engines. *Kernels only* means that single operations were
measured, and no server; the range of fewer than ten rows is the same. The range is that of throughput: measured over
planned, eight of ten cases.
"""


def accuracy_page() -> str:
    """Return the page as Markdown: ranges, where they fail, what was measured, then every figure."""
    summaries = validate()
    parts = (_failures(), [MATRIX], _served(), [""], _trained(), [""], _training_section(), [""], _figures(summaries))
    lines = [HEAD, *chain.from_iterable(parts)]
    return "\n".join(lines) + "\n"


def accuracy_chart() -> str:
    """Return the chart of ranges: computed figures with every published case, estimates with eight of ten."""
    bands = by_key("calibration_training_bands", "family")
    ranges = [Range("parameters", 1, 1, 1, "computed")]
    for each in validate():
        if each.quantity in EXACT:
            ratios = sorted(result.published / result.computed for result in each.results)
            ranges.append(Range(EXACT[each.quantity], ratios[0], 1, ratios[-1], "computed"))
    for family, words in TRAINED.items():
        ranges.append(Range(words, float(bands[family]["low"]), 1, float(bands[family]["high"]), "estimated"))
    for figure, words in SERVED.items():
        band = error_band(figure, "vllm", "h100-sxm")
        ranges.append(Range(words, band.low, band.middle, band.high, "estimated"))
    return range_chart("Measured over predicted: 1 is right", ranges)


def _failures() -> list[str]:
    """Return the training groups that lie outside their band most often, and what serving misses by most."""
    groups = [rows for rows in _by_group().values() if _runs(rows) >= FEW]
    worst = sorted(groups, key=lambda rows: over_runs(rows, "in_band"))[:5]
    lines = [
        "Of training runs, eight of ten should lie within the band. Of groups of ten runs or more, these do so least",
        "often:",
        "",
        "| model, generation, framework | runs | in the band | mean error | predicted time is |",
        "|---|--:|--:|--:|---|",
    ]
    for rows in worst:
        _, unseen, _, inside = _percents(rows)
        way = "too long" if over_runs(rows, "unseen_bias") > 0 else "too short"
        lines.append(f"| {rows[0].group} | {_runs(rows)} | {inside} | {unseen} | {way} |")
    rows = [row for row in table("calibration_serving_error") if row["basis"] == FITTED and row["figure"] == "tpot"]
    rows = sorted(rows, key=lambda row: -abs(float(row["p50"]) - 1))[:5]
    lines += [
        "",
        "Of servers, the middle measurement of these lies furthest from the prediction, in time per token:",
        "",
        "| model | accelerator | engine | rows | measured over predicted |",
        "|---|---|---|--:|--:|",
    ]
    lines += [
        f"| {row['model']} | `{row['gpu']}` | {row['engine']} | {row['rows']} | {float(row['p50']):.2f} |"
        for row in rows
    ]
    ttft, busy = (
        error_band("ttft", "vllm", "h100-sxm", Setting("", "", drafts=False, crosses=False, strains=strains))
        for strains in ((), (BUSY,))
    )
    return [
        *lines,
        "",
        "The time to the first token is the least sure figure: eight of ten measurements lie between",
        f"{ttft.low:.2f} and {ttft.high:.1f} times the prediction, from {FEW_OF_RANK + 1} requests on a rank up to",
        f"{busy.high:.1f}. It depends on how requests arrive, and benchmarks seldom say.",
    ]


def _measured() -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return the models and rows of every measured server by accelerator and engine, from the table of their errors."""
    groups = (Path(__file__).parent / "serving_accuracy_table.md").read_text(encoding="utf-8")
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for model, gpu, engine, rows in re.findall(r"^\| (\S+) (\S+) (\S+) \S+ \| (\d+) \|", groups, re.MULTILINE):
        if engine in ENGINES:
            found.setdefault((gpu, engine), []).append((model, int(rows)))
    return found


def _served() -> list[str]:
    """Return which accelerators and engines servers were measured on, a line an accelerator."""
    measured = _measured()
    lines = [
        f"| accelerator | {' | '.join(ENGINE_NAMES[engine] for engine in ENGINES)} | range |",
        "|---|---|---|---|---|",
    ]
    bare = []
    for gpu in (row["key"] for row in table("hardware")):
        band = error_band("throughput", "vllm", gpu)
        if band.basis == NOTHING and not is_measured(gpu):
            bare.append(f"`{gpu}`")
            continue
        no_server = "unseen" if any(key == gpu for key, _ in measured) else "kernels only"
        cells = [_cell(measured.get((gpu, engine), []), no_server) for engine in ENGINES]
        lines.append(f"| `{gpu}` | {' | '.join(cells)} | {band.low:.2f} to {band.high:.2f} |")
    widest = error_band("throughput", "vllm", bare[0].strip("`"))
    said = f"*Nothing measured*, range {widest.low:.2f} to {widest.high:.2f}: {', '.join(bare)}."
    return [*lines, "", said]


def _cell(rows: Sequence[tuple[str, int]], no_server: str) -> str:
    if rows:
        names = {model.rpartition("/")[2] for model, _ in rows}
        return f"measured: {sum(n for _, n in rows)} rows, {len(names)} model{'s'[: len(names) > 1]}"
    return no_server


def _trained() -> list[str]:
    """Return how many training runs were measured, by generation of accelerator and framework."""
    runs: dict[tuple[str, str], int] = {}
    for row in errors():
        generation, framework = row.group.split()[-2:]
        runs[generation, framework] = runs.get((generation, framework), 0) + row.runs
    frameworks = sorted({framework for _, framework in runs})
    lines = [
        "Training, measured runs by generation and framework; a blank is *nothing measured*:",
        "",
        f"| generation | {' | '.join(frameworks)} |",
        f"|---|{'--:|' * len(frameworks)}",
    ]
    for generation in sorted({generation for generation, _ in runs}):
        cells = (str(runs.get((generation, framework), "")) for framework in frameworks)
        lines.append(f"| {generation} | {' | '.join(cells)} |")
    return lines


def _training_section() -> list[str]:
    """Return the errors of training runs by kind and by group, and other tools."""
    rows = errors()
    kinds = sorted({row.kind for row in rows})
    return [
        "## Training runs left out",
        "",
        "Seconds of a step. A group is a model family on a generation in a framework. A fit that saw nothing of it",
        "predicts it. *In the fit* is the error of the rates that ship. `calibration/training.py` writes them.",
        "",
        f"![Predicted against measured step time: {chart_title()}](training_accuracy.svg)",
        "",
        "| kind | runs | groups | in the fit | left out | mean of groups | bias | in band | by group |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(_kind(kind, [row for row in rows if row.kind == kind]) for kind in kinds),
        _kind("**all**", rows),
        "",
        "| group | runs | in the fit | left out | bias | in band |",
        "|---|--:|--:|--:|--:|--:|",
        *(_group(name, of_it) for name, of_it in sorted(_by_group().items())),
        "",
        "What other tools state of themselves, beside our error on the same runs: [against peers](peers_table.md).",
    ]


def _by_group() -> dict[str, list[GroupError]]:
    """Return the rows of each group: one a kind of run."""
    groups: dict[str, list[GroupError]] = {}
    for row in errors():
        groups.setdefault(row.group, []).append(row)
    return groups


def _kind(name: str, rows: Sequence[GroupError]) -> str:
    groups = [percent(over_groups(rows, figure)) for figure in ("unseen_error", "in_band")]
    seen, unseen, bias, inside = _percents(rows)
    cells = (_runs(rows), len({row.group for row in rows}), seen, unseen, groups[0], bias, inside, groups[1])
    return f"| {name} | {' | '.join(map(str, cells))} |"


def _group(name: str, rows: Sequence[GroupError]) -> str:
    return f"| {name} | {' | '.join([str(_runs(rows)), *_percents(rows)])} |"


def _runs(rows: Iterable[GroupError]) -> int:
    return sum(row.runs for row in rows)


def _percents(rows: Sequence[GroupError]) -> list[str]:
    return [percent(over_runs(rows, figure)) for figure in ("seen_error", "unseen_error", "unseen_bias", "in_band")]


def _figures(summaries: Sequence[Summary]) -> list[str]:
    """Return every published figure beside the computed one, and a summary first."""
    lines = [
        "## Published figures computed again",
        "",
        "`sizebook validate` prints this table. The tolerance says how near a right formula comes. The time model was",
        "fitted to the runs behind `step_seconds` and `tokens_per_s_per_gpu`, and to nothing else below.",
        "",
        "| quantity | cases | within tolerance | mean error | worst |",
        "|---|--:|--:|--:|---|",
        *map(_summary, summaries),
    ]
    for each in summaries:
        lines += [
            "",
            f"## {_WORDS[each.quantity]}",
            "",
            "| subject | published | computed | error | tolerance | source |",
        ]
        lines += ["|---|--:|--:|--:|--:|---|", *_rows(each)]
    return lines


def _summary(each: Summary) -> str:
    worst = each.worst
    shown = f"{percent(worst.error, 2)}, {worst.subject}" if worst.error else "exact"
    return (
        f"| {_WORDS[each.quantity]} | {len(each.results)} | {each.within} | {percent(each.mean_error, 2)} | {shown} |"
    )


def _rows(each: Summary) -> list[str]:
    return [
        f"| {r.subject} | {significant(r.published, 5)} {r.unit} | {significant(r.computed, 5)} | "
        f"{percent(r.error, 2)} | {percent(r.tolerance, 2)} | {r.source} |"
        for r in each.results
    ]
