"""Sets sizebook beside other tools on the same measured cases; the site shows the table.

    python benchmarks/peers.py                             the table, with the dated figures of figures.csv
    python benchmarks/peers.py --measure hf-mem=PYTHON     asks a peer that is installed there, and keeps the day

In the folder `peers`, cases.csv holds what was measured and where it is published, figures.csv what each peer said of a
case, stated.csv what peers state of themselves. sizebook's own figures are computed whenever the table is made.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.core.tables import table
from sizebook.core.units import number_of, percent
from sizebook.functions import load
from sizebook.models import catalog

HERE = Path(__file__).with_suffix("")
Row = dict[str, str]
QUANTITIES = {
    "parameters": "parameters",
    "cache_bytes": "memory of the cache",
    "tokens_per_s": "highest tokens a second",
    "tpot_seconds": "time per token",
    "ttft_seconds": "time to the first token",
}
FEW_CASES = 5
BATCHES = [2**power for power in range(12)]
HEAD = """# Against peers

How far off are others on the same cases, and how far off are we? Each case is a published measurement. We fitted
none of our rates to it, and as far as we know no peer did. [The script](../benchmarks/peers.py) asks every peer that is
installed; for the others it shows what they answered on the day in the table. It computes our figures anew. Errors are
means and medians over the cases that both tools answer.
"""
STATED = """
## What peers state of themselves

The column *states* has the error that a peer publishes of itself, *ours* our mean error. Where the source says *run by
us*, we found the peer's error ourselves.
"""
FEATURES = """
## What each can do

We read documentation and source on 2026-11-26. *Part* means with another tool, for some models, or by a rule of thumb.
"""
BETTER = "\n## What they do better\n"


def rows(name: str) -> list[Row]:
    """Return the rows of one of the tables beside this script."""
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def own(case: Row) -> float | None:
    """Return sizebook's figure for a case, None where it refuses."""
    try:
        return _own(case)
    except SizebookError:
        return None


def _own(case: Row) -> float:
    options = "; ".join(f"{key}={case[key]}" for key in ("tp", "ep", "weight_dtype", "kv_dtype", "engine") if case[key])
    where = case["model"], case["gpu"]
    match case["quantity"]:
        case "parameters":
            return float(call("PARAMS_MODEL", case["model"]))
        case "cache_bytes":
            return float(call("KV_CACHE_BYTES_PER_GPU", case["model"], int(case["input_tokens"])))
    lengths = int(case["input_tokens"]), int(case["output_tokens"])
    if case["quantity"] == "tokens_per_s":
        return max(float(call("TOKENS_PER_SECOND", *where, *lengths, batch, options)) for batch in BATCHES)
    return float(call(case["quantity"].upper(), *where, *lengths, int(case["concurrency"]), options))


def page() -> str:
    """Return the page of the site as Markdown."""
    load()
    features = rows("features")
    lines = [
        HEAD,
        "| quantity | peer, version, day | cases | it answers | we answer "
        "| its mean error | its median | our mean error | our median |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
        *_errors(),
        STATED,
        "| peer | quantity | cases | states | ours | on | source | read |",
        "|---|---|--:|--:|--:|---|---|---|",
        *map(_stated, (*_trained(), *rows("stated"))),
        FEATURES,
        f"| {' | '.join(features[0])} |",
        f"|---|{'---|' * (len(features[0]) - 1)}",
        *(f"| {' | '.join(row.values())} |" for row in features),
        BETTER,
        *map(_better, rows("better")),
    ]
    return "\n".join(lines) + "\n"


def _errors() -> Iterator[str]:
    """Yield a line for each quantity and each peer that was asked for it."""
    cases, said = rows("cases"), rows("figures")
    ours = {case["case"]: figure for case in cases if (figure := own(case)) is not None}
    for quantity, words in QUANTITIES.items():
        of_it = {case["case"]: float(case["measured"]) for case in cases if case["quantity"] == quantity}
        for peer in dict.fromkeys(row["peer"] for row in said):
            theirs = {row["case"]: row for row in said if row["peer"] == peer and row["case"] in of_it}
            if theirs:
                one = next(iter(theirs.values()))
                both = [case for case in theirs if case in ours]
                errors = _summary((float(theirs[case]["figure"]), of_it[case]) for case in both)
                beside = _summary((ours[case], of_it[case]) for case in both)
                answers = len(theirs), sum(case in ours for case in of_it)
                named = f"{peer} {one['version']}, {one['day']}"
                yield f"| {words} | {named} | {len(of_it)} | {answers[0]} | {answers[1]} | {errors} | {beside} |"


def _summary(pairs: Iterable[tuple[float, float]]) -> str:
    """Return mean and median of the absolute errors of figures against measurements: of few cases no median."""
    errors = [abs(figure / measured - 1) for figure, measured in pairs]
    if len(errors) < FEW_CASES:
        return f"{_share(statistics.fmean(errors))} of {number_of(len(errors), 'case')} | "
    return f"{_share(statistics.fmean(errors))} | {_share(statistics.median(errors))}"


def _share(error: float) -> str:
    return "below 0.01 %" if 0 < error < 1e-4 else percent(error, 2)


def _trained() -> Iterator[Row]:
    """Yield what tools state of step times of training, beside our error on the same runs."""
    for row in table("training_peers"):
        seen = f"{percent(float(row['seen_error']), 2)} in the fit" if row["seen_error"] else ""
        yield {
            "peer": row["peer"],
            "quantity": "step time of training",
            "cases": row["runs"],
            "stated": row["stated_error"],
            "ours": row["unseen_error"],
            "ours_on": "; ".join(filter(None, (row["on"], seen and f"left out of the fit ({seen})"))),
            "source": row["source"],
            "read": row["retrieved"],
        }


def _stated(row: Row) -> str:
    errors = [percent(float(row[name]), 2) if row[name] else "" for name in ("stated", "ours")]
    cells = row["peer"], row["quantity"], row["cases"], *errors, row["ours_on"], row["source"], row["read"]
    return f"| {' | '.join(cells)} |"


def _better(row: Row) -> str:
    return f"- **{row['peer']}** {row['version']}, {row['what']} ({row['licence']}). {row['better']}"


def measure(peer: str, python: str) -> None:
    """Ask an installed peer about every case and keep its figures, with version and day."""
    asked = json.dumps(
        [{**case, "config": dict(catalog.config(case["model"]))} for case in rows("cases")], default=list
    )
    command = [python, "-W", "ignore", str(HERE / "asked.py"), peer]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"peer not asked: got {done.stderr[-500:]!r}, want figures of {peer}. Install it for {python}.")
    answer = json.loads(done.stdout)
    day = datetime.now(UTC).date().isoformat()
    kept = [row for row in rows("figures") if row["peer"] != peer]
    kept += [
        {"case": case, "peer": peer, "version": answer["version"], "day": day, "figure": f"{figure:.6g}"}
        for case, figure in answer["figures"].items()
    ]
    with (HERE / "figures.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("case", "peer", "version", "day", "figure"), lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="append", default=[], metavar="PEER=PYTHON")
    for peer, python in (each.split("=", 1) for each in parser.parse_args().measure):
        measure(peer, python)
    print(page(), end="")


if __name__ == "__main__":
    main()
