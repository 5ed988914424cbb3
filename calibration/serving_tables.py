"""Writes what `serving.py` fitted: the numbers, the bands, the tables, the text and the chart of
docs/serving_accuracy.md."""

import csv
import datetime
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from serving_chart import scatter
from serving_fit import DATA, LAYOUT, LEVELS, RATES, Rows, scheduled
from serving_folds import PAIR, Folds, fitted_bands, unseen_bands
from serving_page import groups, page

from sizebook.serving.band import BUSY, CONTEXT, FITTED, KERNELS, LOADED, NOTHING, UNSEEN, Band
from sizebook.serving.quantities import ENGINES

DOCS = DATA.parents[2] / "docs"
HERE = "calibration/serving.py"
TABLE = "measured by InferenceMAX and NVIDIA Dynamo runs, silicon_sample.csv of aiconfigurator (Apache-2.0)"
SOURCE = f"{HERE}; {TABLE}"
PUBLISHED = f"{SOURCE}; published servers, calibration/servers_*.csv"
HOST_MARGIN = 2.0  # how far above the busiest measured server the ceiling of one server is assumed


def write_all(theta: Any, rows: Rows, folds: Folds, problems: Counter[str], served: tuple[float, float]) -> None:
    """Write every table and the chart, and print the accuracy."""
    today = datetime.date.today().isoformat()
    write_rates(DATA / "calibration_serving.csv", theta, rows, served, today)
    write_bands(DATA / "calibration_serving_error.csv", rows, folds, today)
    (DOCS / "serving_accuracy_table.md").write_text(groups(rows, folds, problems), encoding="utf-8")
    rates = {engine: scheduled(theta, engine) for engine in ENGINES}
    text = page(rows, folds, problems, tuple(HOST_MARGIN * most for most in served), rates)
    (DOCS / "serving_accuracy.md").write_text(text, encoding="utf-8")
    fold = folds.named(PAIR)
    chart = scatter(rows.tpot, fold.ran[1], [name.split()[2] for name in rows.group])
    (DOCS / "serving_accuracy.svg").write_text(chart, encoding="utf-8")
    print(text)


def write_rates(path: Path, theta: Any, rows: Rows, served: tuple[float, float], today: str) -> None:
    """Write one row a number and one a factor, with the rows that it was fitted on."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", "level", "key", "value", "rows", "meaning", "source", "retrieved"])
        for name, level, at, n in LAYOUT.places:
            if level == "all":
                writer.writerow([name, level, "", _text(theta[at]), len(rows.tpot), RATES[name].meaning, SOURCE, today])
                continue
            for k in range(n):
                count = int(rows.levels[level][:, k].sum())
                said = f"factor on it, {LEVELS[level][k]}"
                writer.writerow([name, level, LEVELS[level][k], _text(theta[at + k]), count, said, SOURCE, today])
        for name, most in zip(("host_requests_per_second", "host_tokens_per_second"), served, strict=True):
            unit = "requests" if "requests" in name else "output tokens"
            said = (
                f"assumed: {HOST_MARGIN:g} times the most {unit} a second that one measured server reached ({most:.0f})"
            )
            writer.writerow([name, "all", "", f"{most * HOST_MARGIN:.0f}", len(rows.tpot), said, SOURCE, today])


def _text(log: float) -> str:
    return f"{float(np.exp(log)):.6g}"


def write_bands(path: Path, rows: Rows, folds: Folds, today: str) -> None:
    """Write quantiles of measured over predicted: of each combination in the fit, and of what it had not seen.

    They are of estimates by the table's own columns, as a planner rarely knows more of a server.
    """
    named = (*rows.combination.tolist(), *folds.renamed.units.tolist())
    models = dict(zip(named, [name.split()[0] for name in rows.group] * 2, strict=True))
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        names = (
            "figure basis architecture bits drafts model gpu engine p10 p50 p90 rows groups meaning source retrieved"
        )
        writer.writerow(names.split())
        for figure, bands in unseen_bands(rows, folds).items():
            for basis, band in bands.items():
                writer.writerow([figure, basis, *[""] * 6, *_quantiles(band), _MEANING[basis], PUBLISHED, today])
        for figure, bands in fitted_bands(rows, folds).items():
            for combination, band in bands.items():
                architecture, bits, drafts, *machine = combination.split()
                words = [architecture, bits, drafts, models[combination], *machine]
                writer.writerow([figure, FITTED, *words, *_quantiles(band), _MEANING[FITTED], SOURCE, today])


_MEANING = {
    FITTED: "measured over predicted where this combination was in the fit, beside that of unseen ones",
    UNSEEN: "measured over predicted, each group by fits without its architecture, and without its engine x GPU",
    BUSY: "the same of more than 32 requests on a rank",
    CONTEXT: "the same of long contexts, by fits to short ones",
    LOADED: "the same of large loads, by fits to small ones",
    KERNELS: "the same, by fits without any server of its GPU",
    NOTHING: "the same, without the GPU's kernels either, and of published servers of other makers",
}


def _quantiles(band: Band) -> list[str]:
    return [f"{band.low:.4f}", f"{band.middle:.4f}", f"{band.high:.4f}", str(band.rows), str(band.groups)]
