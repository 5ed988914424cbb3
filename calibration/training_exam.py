"""Writes docs/training_exam_table.md: published runs that no fit has seen beside what the plan says of them.

Run `python calibration/training_exam.py` from the root of the repository; `--check` writes nothing and fails where the
table is not what the plan gives today. calibration/training_exam.csv holds runs of model families on generations in
frameworks that calibration/training.py learns nothing from, each with its source; they stay out of the fit. What a row
leaves blank its source does not say. Flags are those of the shared table. `mended` says what of the model was mended
on sight of a row, its time or its memory: such a row is blind no more, and one of time leaves the page.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from command import parser
from training_measured import STACKS, read_csv

from sizebook.plans.training.rows import work_of_row

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "docs" / "training_exam_table.md"
READ = (
    "gpu", "gpus", "seq", "batch", "micro_batch", "tp", "pp", "cp", "ep", "interleave", "zero_stage", "fsdp",
    "recompute", "recompute_modules", "offload", "optimizer", "lora_rank", "lora_on", "frozen_bits", "nic_gbit_per_s",
    "flash_attention", "sequence_parallel",
)  # fmt: skip


@dataclass(frozen=True)
class Examined:
    """One run: its group, predicted over measured seconds less 1, whether the band holds it, whether it fits, and what
    was mended on sight of it."""

    group: str
    error: float
    in_band: bool
    fits: bool
    mended: str


def described(folder: Path) -> dict[str, str]:
    """Write a config.json of every model of calibration/training_models.csv and return where each lies."""
    found = {}
    for row in read_csv(HERE / "training_models.csv"):
        config = {
            "model_type": "gpt2",
            "n_embd": int(row["d_model"]),
            "n_layer": int(row["n_layers"]),
            "n_head": int(row["n_heads"]),
            "n_inner": int(row["d_ff"]),
            "vocab_size": int(row["vocab"]),
            "n_positions": 4096,
        }
        path = folder / f"{row['model']}.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        found[row["model"]] = str(path)
    return found


def examined(row: Mapping[str, str], configs: Mapping[str, str]) -> Examined:
    """Return what the plan says of a run."""
    given = {name: row[name] for name in READ if row[name]}
    model = configs.get(row["model"], row["model"])
    stack = STACKS.get(row["stack"], row["stack"])
    work = work_of_row({**given, "model": model, "compute_dtype": row["dtype"], "stack": stack})
    predicted, measured = work.step.total, float(row["step_seconds"])
    in_band = work.band.low <= measured / predicted <= work.band.high
    return Examined(row["group"], predicted / measured - 1, in_band, work.fits, row["mended"])


def exam() -> list[Examined]:
    """Return what the plan says of every run of the table."""
    with TemporaryDirectory() as folder:
        configs = described(Path(folder))
        return [examined(row, configs) for row in read_csv(HERE / "training_exam.csv")]


def page(found: Sequence[Examined]) -> str:
    """Return the table: a row a group, and all of them; what its time was mended on sight of is counted, not shown."""
    every, found = found, [each for each in found if each.mended != "time"]
    groups: dict[str, list[Examined]] = defaultdict(list)
    for each in found:
        groups[each.group].append(each)
    lines = [
        "| group | runs | mean error | bias | in band | fit |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [_line(name, groups[name]) for name in sorted(groups)]
    off, inside = ({name: mean(_of(each, kind)) for name, each in groups.items()} for kind in ("off", "inside"))
    lines += [
        _line("**all**", found),
        "",
        f"Mean of the {len(groups)} groups: {mean(off.values()):.1%} off, {mean(inside.values()):.0%} in band. "
        f"Of {len(every)} runs that were read {sum(not each.mended for each in every)} are blind: the time of "
        f"{len(every) - len(found)} was mended on sight of them, which left the table, and the memory of "
        f"{sum(each.mended == 'memory' for each in every)}.",
    ]
    return "\n".join(lines) + "\n"


def _of(found: Sequence[Examined], kind: str) -> list[float]:
    return [abs(each.error) if kind == "off" else float(each.in_band) for each in found]


def _line(name: str, found: Sequence[Examined]) -> str:
    bias, fits = mean(each.error for each in found), sum(each.fits for each in found)
    off, inside = mean(_of(found, "off")), mean(_of(found, "inside"))
    return f"| {name} | {len(found)} | {off:.1%} | {bias:+.1%} | {inside:.0%} | {fits} |"


def main() -> None:
    """Write and print the table, or check the one that is there."""
    asked = parser(__doc__)
    asked.add_argument(
        "--check",
        action="store_true",
        help="write nothing; fail where the table is out of date",
    )
    check_only, found = asked.parse_args().check, page(exam())
    if not check_only:
        OUTPUT.write_text(found, encoding="utf-8")
        print(found, end="")
    elif found != OUTPUT.read_text(encoding="utf-8"):
        sys.exit(f"out of date: docs/{OUTPUT.name}. Run 'python calibration/training_exam.py'.")


if __name__ == "__main__":
    main()
