"""Published runs as the plan sees them: the rows of calibration/training_runs.csv and of
../shared/truth/training/training_measured.csv beside the repository, which is read there and never copied.
"""

import csv
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from sizebook.core.errors import SizebookError
from sizebook.models import catalog
from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Layer, Norm
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.rows import work_of_row
from sizebook.plans.training.work import Work, work_of
from sizebook.sweeps.published_recipes import COLUMNS, normalised
from sizebook.tables.hardware import accelerator
from sizebook.training.layout import Layout, with_data_parallel
from sizebook.training.machine import generation
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Method, Recipe
from sizebook.training.recipe_choice import LIGHTEST

HERE = Path(__file__).parent
SHARED = HERE.parent.parent / "shared" / "truth" / "training" / "training_measured.csv"
STACKS = {"maxtext": "fsdp", "pax": "fsdp", "neuronx": "megatron", "deepspeed-megatron": "deepspeed"}
# Flags of rows that no fit may learn from: why stands in the README beside the table.
UNFIT = frozenset(
    {"layout_unstated", "tokendrop", "published_inconsistent", "known_regression", "memory_only",
     "step_includes_evaluation"}
)  # fmt: skip
# Flags of rows that leave open what moves their time.
LOOSE = frozenset(
    {"batch_unstated", "recompute_unstated", "recipe_differs", "power_limited", "gpu_inferred", "dtype_unstated"}
)
# Flags of rows that leave open anything at all, or were read from one line of a log.
NOT_STATED = LOOSE | frozenset(
    {"recompute_partial", "recipe_not_found", "batch_assumed", "offload", "no_mtp", "micro_batch_assumed",
     "optimizer_in_backward", "zero_bubble", "one_log_line", "tp_in_chips", "rounded", "recompute_inferred", "eager",
     "max_seq_bound", "memory_rounded", "zero_stage_assumed", "packed", "no_flash_attention", "tokens_over_epoch",
     "bf16_states"}
)  # fmt: skip
# What a pipeline runs in a step where nothing says so, as runs of such size that do.
ASSUMED_MICRO_BATCHES = 16
FAMILIES = {
    "mpt": "mpt", "megatron": "gpt-3", "gpt": "gpt-3", "llama": "llama-3", "qwen3": "qwen3-moe", "kimi": "deepseek-v3",
    "deepseek": "deepseek-v3",
}  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One published run: the work that it is, its group, its measured seconds a step, how loosely it is stated, and
    whether nothing of it is left open."""

    group: str
    source: str
    work: Work
    seconds: float
    loose: bool = False
    stated: bool = True

    @property
    def unit(self) -> str:
        """What is left out together: a model family on a generation of accelerators, whatever the framework."""
        return self.group.rsplit(" ", 1)[0]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def described(row: dict[str, str]) -> Architecture:
    """Return a GPT of the given dimensions: plain feed-forward blocks, heads together as wide as the model unless their
    width is given, tied head."""
    d_model, n_heads, vocab = int(row["d_model"]), int(row["n_heads"]), int(row["vocab"])
    d_head = int(row["d_head"] or d_model // n_heads)
    layer = Layer(
        (
            Norm("a", d_model),
            Attention(d_model, n_heads, n_heads, d_head),
            Norm("b", d_model),
            FeedForward(d_model, int(row["d_ff"]), gated=False),
        )
    )
    tokens, head = Embedding("tokens", vocab, d_model), Head(vocab, d_model, tied=True)
    layers = (layer,) * int(row["n_layers"])
    return Architecture("gpt", d_model, vocab, None, (tokens,), layers, (Norm("n", d_model),), head)


def bundled() -> list[Run]:
    """Return every run of calibration/training_runs.csv."""
    known = {row["model"]: described(row) for row in read_csv(HERE / "training_models.csv")}
    architectures = {row["model"]: known.get(row["model"]) for row in read_csv(HERE / "training_runs.csv")}
    return [_bundled(row, architectures) for row in read_csv(HERE / "training_runs.csv")]


def _bundled(row: dict[str, str], known: dict[str, Architecture | None]) -> Run:
    n = {k: int(row[k]) for k in ("gpus", "seq", "batch", "micro_batch", "tp", "pp", "cp", "ep", "interleave")}
    architecture = known[row["model"]] or catalog.architecture(row["model"])
    known[row["model"]] = architecture
    degrees = {name: n[name] for name in ("tp", "pp", "cp", "ep", "interleave", "micro_batch")}
    published = row["group"].split()[0]
    layout = with_data_parallel(
        Layout(
            **degrees,
            zero_stage=int(row["zero_stage"]),
            sequence_parallel=published != "narayanan",
            recompute=row["recompute"] or LIGHTEST,
            fsdp=int(row["fsdp"]) if row["fsdp"] else None,
        ),
        n["gpus"],
    )
    plain = published in ("narayanan", "korthikanti")
    flash = not (plain or row["flash_attention"] == "no")
    recipe = Recipe(
        stack=row["stack"], flash_attention=flash, dropout=plain, recompute_modules=row["recompute_modules"]
    )
    limit = float(row["power_limit_watts"]) if row["power_limit_watts"] else None
    share = layout.dp * layout.micro_batch
    batch = max(1, round(n["batch"] / share)) * share
    gpu = accelerator(row["gpu"])
    setup = Setup(
        architecture=architecture,
        gpu=gpu,
        gpus=n["gpus"],
        batches=Batches(batch=batch, seq=n["seq"]),
        method=Method(compute_dtype=row["dtype"], power_limit_watts=limit, recipe=recipe),
    )
    seconds = batch * n["seq"] / n["gpus"] / float(row["tokens_per_s_per_gpu"])
    # A generation of TPUs is one of its own, as in the shared table.
    chips = gpu.generation.replace("_", "-") if gpu.maker == "Google" else generation(gpu)
    group = f"{family_of(row['model'])} {chips} {row['stack']}"
    return Run(group, published, work_of(setup, layout), seconds, stated=not row["assumed"])


def family_of(model: str) -> str:
    """Return the family of a model of the bundled table, as the shared table names families."""
    if "oss" in model or model.startswith("llama-2"):
        return "gpt-oss" if "oss" in model else "llama-2"
    first = re.split(r"[-.]\d|-", model)[0]
    return FAMILIES.get(first, first)


def batch_of(row: dict[str, str]) -> int:
    """Return the sequences of a step; where only the rate of tokens is published, which hardly depends on them, so many
    that every pipeline runs `ASSUMED_MICRO_BATCHES`."""
    if row["batch"]:
        return int(row["batch"])
    ranks = int(row["gpus"]) // (int(row["tp"] or 1) * int(row["pp"] or 1) * int(row["cp"] or 1))
    return ASSUMED_MICRO_BATCHES * int(row["micro_batch"] or 1) * ranks


def micro_batch_of(row: dict[str, str]) -> str:
    """Return the sequences of a micro-batch; where the table assumes one under a pipeline, a pipeline's batch over its
    stages, which is what torchtitan splits into unless it is told otherwise (pipeline_parallel_microbatches)."""
    stages = int(row["pp"] or 1)
    if "micro_batch_assumed" not in row["flags"] or stages == 1:
        return row["micro_batch"] or "1"
    pipelines = int(row["gpus"]) // (int(row["tp"] or 1) * stages * int(row["cp"] or 1))
    return str(max(1, int(row["batch"]) // pipelines // stages))


def cells(row: dict[str, str]) -> dict[str, str]:
    """Return what the table says of a run under the names of a training scenario; blank is not stated."""
    model = row["model"]
    adapters = row["kind"] in ("lora", "qlora")
    return {
        "batch": str(batch_of(row)),
        **{name: row[name] for name in ("gpu", "gpus", "seq", "tp", "pp", "cp", "ep", "etp", "interleave")},
        **{name: row[name] for name in ("fsdp", "hsdp")},
        **dict(zip(COLUMNS, normalised(*(row[name] for name in COLUMNS)), strict=True)),
        "model": str((SHARED.parent / model).resolve()) if model.endswith(".json") else model,
        "zero_stage": row["zero_stage"] or "1",
        "micro_batch": micro_batch_of(row),
        "compute_dtype": row["dtype"],
        "stack": STACKS.get(row["stack"], row["stack"]),
        "optimizer": row["optimizer"] or "adamw",
        "optimizer_dtype": "bf16" if "bf16_states" in row["flags"] else "",
        "power_limit_watts": row["power_limit_watts"],
        "lora_rank": row["lora_rank"] or ("16" if adapters else ""),
        "lora_on": row["lora_on"] or ("attention" if adapters else ""),
        "frozen_bits": row["frozen_bits"],
        "fused_loss": row.get("fused_loss", ""),
    }


def corrected(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return rows of the shared table as their sources have them, where the table says otherwise or leaves it out."""
    found: dict[str, dict[str, str]] = {}
    with (HERE / "training_corrections.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            found.setdefault(row["id"], {})[row["column"]] = row["value"]
    if absent := found.keys() - {row["id"] for row in rows}:
        sys.exit(f"no such rows: got corrections of {', '.join(sorted(absent))}, want rows of the table. Remove them.")
    return [row | found.get(row["id"], {}) for row in rows]


def unusable(row: dict[str, str]) -> bool:
    """Return whether a row cannot be planned: a whole run, or what its flags name."""
    flags = set(row["flags"].split(";"))
    return (
        row["kind"] == "whole_run"
        or not row["gpus"]
        or not (row["batch"] or row["tokens_per_s_per_gpu"])
        or bool(flags & (UNFIT - {"memory_only"}))
    )


def stated(row: dict[str, str]) -> bool:
    """Return whether a row leaves nothing open."""
    return not (NOT_STATED & set(row["flags"].split(";")) or row["offload"])


def shared_rows() -> list[dict[str, str]]:
    """Return the rows of the shared table; end where it is not there, for tables made without it would be others."""
    if not SHARED.exists():
        sys.exit(
            f"measured runs missing: got no {'/'.join(SHARED.parts[-4:])} beside the repository, want the table that "
            "the shipped figures were made from. Put the folder there; the tables stay as they are."
        )
    return corrected(read_csv(SHARED))


def measured() -> list[Run]:
    """Return every run of the shared table that time can be learnt from."""
    found = []
    for row in shared_rows():
        if unusable(row) or "memory_only" in row["flags"] or row["dtype"] == "int8":
            continue  # the rates of int8 stand on its runs alone
        try:
            work = work_of_row(cells(row))
        except SizebookError as error:
            print(f"left out: {row['id']}: {error}")
            continue
        tokens = batch_of(row) * float(row["seq"]) / float(row["gpus"])
        seconds = float(row["step_seconds"] or 0) or tokens / float(row["tokens_per_s_per_gpu"])
        family, chips, stack = row["group"].rsplit(" ", 2)
        loose = bool(LOOSE & set(row["flags"].split(";")))
        found.append(Run(f"{family} {chips} {stack}", row["family"], work, seconds, loose, stated(row)))
    return found


def runs() -> list[Run]:
    """Return all runs, those that are the same in everything but the release of their software as one."""
    same: dict[tuple[object, ...], list[Run]] = {}
    for run in (*bundled(), *measured()):
        w = run.work
        key = (run.group, run.source, id(w.profile), w.setup.gpu.key, w.setup.method, w.layout, w.setup.batches)
        same.setdefault(key, []).append(run)
    return [replace(many[0], seconds=_geometric([r.seconds for r in many])) for many in same.values()]


def _geometric(values: list[float]) -> float:
    product = 1.0
    for value in values:
        product *= value ** (1 / len(values))
    return product
