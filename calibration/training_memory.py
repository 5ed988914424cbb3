"""Writes docs/training_memory_table.md: measured peaks beside what the plan gives, by the counter that was read.

Run `python calibration/training_memory.py` from the root, where the table of measured runs lies beside the repository.
Nothing is fitted to these rows. A framework's peak of live tensors is compared with what is allocated, its peak with
the allocator's cache with what is reserved, a whole device with everything.
"""

from collections import defaultdict
from pathlib import Path

from command import parser
from training_measured import cells, shared_rows, stated, unusable

from sizebook.plans.training.rows import work_of_row
from sizebook.training.memory import Memory

OUTPUT = Path(__file__).parents[1] / "docs" / "training_memory_table.md"
Errors = dict[str, list[tuple[float, bool]]]


def counted(kind: str, needed: Memory) -> float:
    """Return the bytes that a counter of this kind reads."""
    if "reserved" in kind:
        return needed.reserved
    live = "active" in kind or "allocated" in kind or "peak_memory_usage" in kind
    return needed.allocated if live else needed.total


def errors() -> Errors:
    """Return predicted over measured peak less 1, and whether the run is fully stated, by source."""
    found: Errors = defaultdict(list)
    for row in shared_rows():
        if unusable(row) or not row["peak_memory_gib"]:
            continue
        needed = counted(row["memory_kind"], work_of_row(cells(row)).fullest)
        found[row["family"]].append((needed / 2**30 / float(row["peak_memory_gib"]) - 1, stated(row)))
    return found


def _line(name: str, every: list[tuple[float, bool]]) -> str:
    cells_of = [f"{len(every)} | {_mean([off for off, _ in every])}"]
    full = [off for off, whole in every if whole]
    cells_of.append(f"{len(full)} | {_mean(full)}" if full else "0 | |")
    return f"| {name} | {' | '.join(cells_of)} |"


def _mean(offs: list[float]) -> str:
    return f"{sum(map(abs, offs)) / len(offs):.1%} | {sum(offs) / len(offs):+.1%}"


def main() -> None:
    """Write and print the table."""
    parser(__doc__).parse_args()
    found = errors()
    lines = [
        "| source | runs | mean error | mean difference | fully stated | mean error | mean difference |",
        "|---|--:|--:|--:|--:|--:|--:|",
        *(_line(name, every) for name, every in sorted(found.items())),
        _line("**all**", [each for every in found.values() for each in every]),
    ]
    OUTPUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
