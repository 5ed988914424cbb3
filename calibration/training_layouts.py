"""Writes docs/training_layouts_table.md: layouts that practitioners ran beside the fastest that the search finds.

Run `python calibration/training_layouts.py` from the root of the repository; `--check` writes nothing and fails where
the table is not what the search finds today. The published layout is timed as it was run, with whatever of its recipe
is stated; the search is free but for recomputation, sequence parallelism and what its software could not do. Sources:
calibration/training_runs.csv (one run of each model and accelerator) and the reports named in LAYOUTS.
"""

import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from command import parser
from training_measured import Run, bundled

from sizebook.core.errors import SizebookError
from sizebook.plans.training.rows import work_of_row
from sizebook.plans.training.search import MICRO_BATCHES, interleaves, search
from sizebook.plans.training.work import Work, work_of
from sizebook.training.bands import kind_of
from sizebook.training.layout import check
from sizebook.training.recipe import Recipe

OUTPUT = Path(__file__).parents[1] / "docs" / "training_layouts_table.md"
# What a published layout may be slower than the best that is found.
ALLOWED = {"dense": 1.1, "experts": 1.2, "hybrid": 1.2}
# Sources that state neither micro-batch nor the chunks of their interleaved stages (arXiv:2104.04473, section 5.1).
FED_UNSTATED = frozenset({"narayanan"})
# Sources whose software shards data-parallel ranks and does little else, so that their layouts are no choice, and JAX's
# compiler, whose exchange the search does not know.
NO_CHOICE = frozenset({"llm-foundry", "maxtext", "xtuner"})
# Megatron of 2021 and 2022: gradients and states in fp32, the loss in kernels of its own.
PLAIN = Recipe(gradient_dtype="fp32", optimizer_dtype="fp32", fused_loss=False)
LAYOUTS: tuple[tuple[str, dict[str, object]], ...] = (
    (
        "BLOOM report (arXiv:2211.05100), section 3.1.2",
        {"model": "bloom-176b", "gpu": "a100-sxm-80gb", "gpus": 384, "batch": 2048, "seq": 2048, "tp": 4, "pp": 12,
         "micro_batch": 2, "stack": "deepspeed", "nic_gbit_per_s": 50},
    ),
    (
        "Llama 3 report (arXiv:2407.21783), table 4",
        {"model": "llama-3.1-405b", "gpu": "h100-sxm", "gpus": 16384, "batch": 2048, "seq": 8192, "tp": 8, "pp": 16,
         "interleave": 8},
    ),
    (
        "DeepSeek-V3 report (arXiv:2412.19437), section 3.1",
        {"model": "deepseek-v3", "gpu": "h800-sxm", "gpus": 2048, "batch": 15360, "seq": 4096, "pp": 16, "ep": 64,
         "compute_dtype": "fp8"},
    ),
)  # fmt: skip


# What a layout loses by a term of the step: what is behind it.
LOST = {
    "matmul": "more layers on its longest stage",
    "traffic": "norms, dropouts and weights read once more by every rank and micro-batch",
    "recompute": "the same again in what is recomputed",
    "overhead": "launches, which small micro-batches do not hide",
    "tensor_parallel": "exchange of tensor parallelism",
    "expert_parallel": "exchange with experts",
    "context_parallel": "exchange of keys and values",
    "pipeline": "sends between stages",
    "bubble": "waiting for other stages",
    "data_parallel": "exchange of weights and gradients",
    "optimizer": "the optimizer step",
}
# Terms that make less of the difference than this are not named.
NAMED = 0.1


@dataclass(frozen=True)
class Compared:
    """One published layout beside the fastest found; ``why`` says by which terms of the step the published one loses,
    and what both need of the memory."""

    what: str
    kind: str
    published: str
    best: str
    ratio: float
    why: str

    @property
    def outside(self) -> bool:
        """Return whether the published layout is slower than is allowed."""
        return self.ratio > ALLOWED[self.kind]


def compared(what: str, work: Work, *, fed_freely: bool = False) -> Compared:
    """Return a run's layout beside the fastest of a search that is told what it recomputes, what its software could not
    do where it sharded nothing, and nothing else; ``fed_freely`` takes the best micro-batch and chunks on both sides
    where a source states none."""
    old = work.setup.method.recipe
    free = replace(
        PLAIN if work.layout.zero_stage == 0 else Recipe(),
        stack=old.stack, flash_attention=old.flash_attention, dropout=old.dropout,
    )  # fmt: skip
    held: dict[str, object] = {
        "recompute": work.layout.recompute, "sequence_parallel": work.layout.sequence_parallel,
    }  # fmt: skip
    if work.layout.zero_stage == 0:
        held["zero_stage"] = 0
    setup = replace(work.setup, method=replace(work.setup.method, recipe=free))
    found = search(setup, held, top=1).best[0]
    if fed_freely:
        work = best_fed(work)
    kind = kind_of(work.profile, work.setup.method)
    ratio = work.step.total / found.step_seconds
    return Compared(what, kind, work.layout.name, found.layout.name, ratio, _why(work, work_of(setup, found.layout)))


def _why(slow: Work, fast: Work) -> str:
    """Return the terms of the step that make the difference, largest first, and the memory that each layout needs."""
    whole = slow.step.total - fast.step.total
    gaps = {name: getattr(slow.step, name) - getattr(fast.step, name) for name in LOST}
    # Where the published layout is the faster one there is nothing to explain.
    lost = sorted((name for name, gap in gaps.items() if gap > NAMED * whole > 0), key=lambda name: -gaps[name])
    terms = "; ".join(f"{gaps[name]:.2g} s {LOST[name]}" for name in lost)
    needed = " and ".join(f"{work.fullest.total / 2**30:.0f}" for work in (slow, fast))
    return f"{slow.step.total:.3g} s against {fast.step.total:.3g}: {terms}. They need {needed} GiB"


def best_fed(work: Work) -> Work:
    """Return a run with the micro-batch, and in a pipeline the chunks, that are fastest of those that fit."""
    tried = [work]
    for micro_batch, chunks in product(MICRO_BATCHES, interleaves(work.profile.n_layers, work.layout.pp)):
        layout = replace(work.layout, micro_batch=micro_batch, interleave=chunks)
        with suppress(SizebookError):
            check(layout, work.setup.architecture, gpus=work.setup.gpus, batches=work.setup.batches)
            tried.append(work_of(work.setup, layout))
    return min((each for each in tried if each.fits), key=lambda each: each.step.total)


def rows() -> list[Compared]:
    """Return every comparison; runs of the table once for each group."""
    found = [
        compared(f"{row['model']} on {row['gpus']} {row['gpu']}, {source}", work_of_row(row)) for source, row in LAYOUTS
    ]
    seen: set[tuple[object, ...]] = set()
    for run in bundled():
        setup = run.work.setup
        key = (run.group, setup.architecture.d_model, setup.architecture.n_layers, setup.gpu.key)
        if setup.gpus < 8 or key in seen or run.source in NO_CHOICE:
            continue
        seen.add(key)
        try:
            found.append(compared(_what(run), run.work, fed_freely=run.source in FED_UNSTATED))
        except SizebookError as error:
            print(f"refused: {_what(run)}: {error}")
    return found


def _what(run: Run) -> str:
    setup = run.work.setup
    shape = f"{setup.architecture.n_layers} layers of {setup.architecture.d_model}"
    return f"{run.group.split()[0]}, {shape}, on {setup.gpus} {setup.gpu.key}, {run.source}"


def page() -> str:
    """Return the table and how many layouts of each kind lie near enough."""
    found = rows()
    lines = ["| run | published layout | fastest found | published over fastest |", "|---|---|---|--:|"]
    lines += [f"| {each.what} | {each.published} | {each.best} | {each.ratio:.2f} |" for each in found]
    lines += ["", "Those further off, and what the published layout spends more time on:", ""]
    lines += [f"- {each.what}, {each.published}: {each.why}." for each in found if each.outside]
    for kind, most in ALLOWED.items():
        of_kind = [each.ratio for each in found if each.kind == kind]
        if of_kind:
            within = sum(ratio <= most for ratio in of_kind)
            lines += [
                "",
                f"{kind}: {within} of {len(of_kind)} published layouts lie within {most - 1:.0%} of the fastest found.",
            ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write and print the table, or check the one that is there."""
    asked = parser(__doc__)
    asked.add_argument("--check", action="store_true", help="write nothing; fail where the table is out of date")
    check_only, found = asked.parse_args().check, page()
    if not check_only:
        OUTPUT.write_text(found, encoding="utf-8")
        print(found, end="")
    elif found != OUTPUT.read_text(encoding="utf-8"):
        sys.exit(f"out of date: docs/{OUTPUT.name}. Run 'python calibration/training_layouts.py'.")


if __name__ == "__main__":
    main()
