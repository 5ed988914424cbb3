"""`sizebook count` of checkpoints, pipelines and adapters, from the headers of their weights."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sizebook.core.errors import InputError, SizebookError, shown

if TYPE_CHECKING:
    from sizebook.models.checkpoints.contents import CheckpointContents, Part
    from sizebook.models.checkpoints.weighing import Mix
    from sizebook.sources.checkpoints import ConfigFigures


def count_weights(name: str, as_json: bool) -> None:
    """Print the count of a checkpoint, from its headers."""
    from sizebook.sources.checkpoints import open_checkpoint

    gc.disable()  # a hundred thousand tensors hold no reference cycles, and the process ends with them
    found = open_checkpoint(name)
    if as_json:
        click.echo(json.dumps(_as_json(found), indent=2))
        return
    for line in _lines(found):
        click.echo(line)


def count_adapter(path: Path, base: str | None, as_json: bool) -> None:
    """Print how many parameters an adapter adds to its base, and how many its weights hold, if they are there."""
    from sizebook.intake.text_formats import read_json
    from sizebook.models.checkpoints.adapters import adapter_of
    from sizebook.models.checkpoints.contents import contents_at
    from sizebook.models.checkpoints.file_names import ADAPTER, is_checkpoint
    from sizebook.sources.checkpoints import base_of

    folder = path if path.is_dir() else path.parent
    config = read_json(folder / ADAPTER, "the settings of an adapter")
    own = contents_at(folder).parts[0] if is_checkpoint(folder) else None
    shown: dict[str, Any] = {"model": folder.resolve().name, "base": base or config.get("base_model_name_or_path")}
    try:
        if not isinstance(shown["base"], str) or not shown["base"]:
            raise InputError(f"no base model: got {shown['base']!r} in {ADAPTER}, want one. Name it with --base.")
        base_model = base_of(shown["base"])
        adapter = adapter_of(config, base_model, ADAPTER)
    except SizebookError as error:
        if own is None:
            raise
        shown |= {"problem": str(error)}
    else:
        shown |= {
            "method": adapter.method,
            "rank": adapter.rank,
            "adapter": adapter.parameters,
            "base_total": base_model.parameters,
            "modules": dict(adapter.by_module),
            "saved_whole": adapter.saved,
        }
    if own is not None:
        shown |= {"stored": own.weighed.parameters, "bytes": own.weighed.n_bytes}
    click.echo(json.dumps(shown, indent=2) if as_json else "\n".join(_adapter_lines(shown)))


def _adapter_lines(shown: Mapping[str, Any]) -> Iterator[str]:
    from sizebook.core.units import gigabytes, grouped, parameters, percent

    yield f"{shown['model']}, an adapter of {shown['base']}\n"
    if "adapter" in shown:
        for module, number in shown["modules"].items():
            yield f"  {module:24} {grouped(number):>22}"
        if shown["saved_whole"]:
            yield f"  {'stored whole':24} {grouped(shown['saved_whole']):>22}"
        yield f"  {shown['method'] + ', rank ' + str(shown['rank']):24} {grouped(shown['adapter']):>22} " + (
            f"{parameters(shown['adapter']):>9}"
        )
        yield f"  {'share of the base':24} {percent(shown['adapter'] / shown['base_total']):>22}"
        yield f"  {'base and adapter':24} {grouped(shown['base_total'] + shown['adapter']):>22}"
    if "stored" in shown:
        yield f"  {'in its own weights':24} {grouped(shown['stored']):>22} {gigabytes(shown['bytes']):>9}"
        if "adapter" in shown and shown["stored"] != shown["adapter"]:
            yield "\nNote: its weights and its settings disagree on the number of parameters; the weights are right."
    if "problem" in shown:
        yield f"\nNote: not counted against its base: {shown['problem']}"


def _as_json(found: CheckpointContents) -> dict[str, Any]:
    parts = [_part_json(part) for part in found.parts]
    if not found.pipeline:
        return parts[0]
    return {
        "model": found.name,
        "pipeline": found.pipeline,
        "total": found.parameters,
        "bytes": found.n_bytes,
        "parts": parts,
        "without_weights": list(found.without_weights),
    }


def _part_json(part: Part) -> dict[str, Any]:
    from sizebook.sources.checkpoints import CONTEXT, agreement, figures_from_config

    weighed = part.weighed
    shown: dict[str, Any] = {
        "model": part.name,
        **({"class": part.class_name} if part.class_name else {}),
        "kind": part.checkpoint.kind,
        "files": len(part.checkpoint.files),
        "total": weighed.parameters,
        "exact": weighed.is_exact,
        "bytes": weighed.n_bytes,
        "tensors": weighed.n_tensors,
        "stored_elements": weighed.stored,
        "formats": [_mix_json(mix) for mix in weighed.mixes],
        "scales": _mix_json(weighed.scales),
        "buffers": _mix_json(weighed.buffers),
    }
    adds, problem = figures_from_config(part)
    if adds is not None:
        shown |= {"active": adds.active, "active_by": adds.origin}
    if adds is not None and adds.total is not None:
        shown["config"] = {
            "total": adds.total,
            "mtp": adds.mtp,
            "context_tokens": CONTEXT,
            "cache_bytes": adds.cache_bytes,
            "flops_per_token": adds.flops,
            "agreement": agreement(part, adds),
        }
    return {**shown, "notes": list(_notes(part, adds, problem))}


def _mix_json(mix: Mix) -> dict[str, Any]:
    return {"format": mix.label, "tensors": mix.tensors, "parameters": mix.parameters, "bytes": mix.n_bytes}


def _notes(part: Part, adds: ConfigFigures | None, problem: str) -> Iterator[str]:
    yield from part.notes
    if adds is not None:
        yield from adds.notes
    elif problem:
        yield f"active parameters, cache and FLOPs are unknown: {problem.rstrip('.')}"


def _lines(found: CheckpointContents) -> Iterator[str]:
    from sizebook.core.units import gigabytes, grouped, parameters

    if found.pipeline:
        yield f"{found.name}, a {found.pipeline} in {len(found.parts)} parts with weights\n"
    for part in found.parts:
        yield from _part_lines(part)
    if found.pipeline:
        yield f"{'all parts':26} {grouped(found.parameters):>22} {parameters(found.parameters):>9} " + (
            f"{gigabytes(found.n_bytes):>10}"
        )
        if found.without_weights:
            yield f"\nWithout weights: {', '.join(found.without_weights)}."


def _part_lines(part: Part) -> Iterator[str]:
    from sizebook.core.units import gigabytes, grouped, parameters
    from sizebook.sources.checkpoints import CONTEXT, agreement, figures_from_config

    checkpoint, weighed = part.checkpoint, part.weighed
    files = f"{len(checkpoint.files)} file{'s' if len(checkpoint.files) > 1 else ''}"
    name = ", ".join(filter(None, [part.name, part.class_name]))
    yield f"{name}, from the headers of {files} ({_kind(part)})\n"

    def line(label: str, number: int, unit: str, n_bytes: int | None = None) -> str:
        shown = "" if n_bytes is None else f" {gigabytes(n_bytes):>10}"
        return f"  {label:24} {grouped(number) if number else '':>22} {unit:>9}{shown}"

    for mix in weighed.mixes:
        yield line(mix.label, mix.parameters, f"{mix.tensors} t.", mix.n_bytes)
    for mix in (weighed.scales, weighed.buffers):
        if mix.tensors:
            yield line(f"{mix.label} (beside)", 0, f"{mix.tensors} t.", mix.n_bytes)
    total = "total" if weighed.is_exact else "total, as stored"
    yield line(total, weighed.parameters, parameters(weighed.parameters), weighed.n_bytes)
    adds, problem = figures_from_config(part)
    if adds is not None:
        yield line("active", adds.active, parameters(adds.active))
    if adds is not None and adds.flops is not None:
        yield f"  {f'FLOPs a token at {CONTEXT}':24} {grouped(adds.flops):>22}"
    if adds is not None and adds.cache_bytes:
        yield f"  {f'cache of {CONTEXT} tokens':24} {grouped(adds.cache_bytes):>22}     bytes (bf16)"
    if adds is not None:
        yield f"\nBy {adds.origin}" + (f": {agreement(part, adds)}." if adds.total is not None else ".")
    for note in _notes(part, adds, problem):
        yield f"\nNote: {note}."
    yield ""


def _kind(part: Part) -> str:
    metadata = part.checkpoint.metadata
    told = [shown(metadata[key]).strip("'") for key in ("general.architecture", "general.name") if key in metadata]
    return ", ".join([part.checkpoint.kind, *told])
