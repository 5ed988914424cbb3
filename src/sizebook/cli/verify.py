"""`sizebook verify` compares a checkpoint's headers with what the architecture predicts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sizebook.models.verifying import Verification


SHOWN = 40


@click.command("verify")
@click.argument("checkpoint")
@click.option("--config", help="config.json, catalog model or repository; if left out, the checkpoint's own.")
def verify_checkpoint(checkpoint: str, config: str | None) -> None:
    """Compare a checkpoint, tensor by tensor, with what its architecture predicts.

    CHECKPOINT is a file of weights, an index, a folder with weights or a Hub repository ORG/NAME. Only headers are
    read. Exits with 1 if a tensor differs.
    """
    from sizebook.models.huggingface import architecture
    from sizebook.models.verifying import verify
    from sizebook.sources.checkpoints import open_checkpoint
    from sizebook.sources.hub import is_repository
    from sizebook.sources.model_sources import source_of

    path = Path(checkpoint)
    remote = is_repository(checkpoint)
    beside = path.parent if path.is_file() else path
    # First the checkpoint: a wrong path must not be reported as a missing config.
    stored = open_checkpoint(checkpoint).only
    source = source_of(config or (checkpoint if remote else str(beside)), from_hub=remote and config is None)
    stated = stored.checkpoint.quantization(stored.config or source.config.values)
    result = verify(architecture(source.config), stored.checkpoint.tensors, stated)
    for line in _lines(result):
        click.echo(line)
    if not result.agrees:
        click.echo(f"{len(result.differences)} tensors differ:", err=True)
        for difference in result.differences[:SHOWN]:
            click.echo(f"  {difference}", err=True)
        if len(result.differences) > SHOWN:
            click.echo(f"  and {len(result.differences) - SHOWN} more", err=True)
        sys.exit(1)


def _lines(result: Verification) -> Iterator[str]:
    from sizebook.core.units import gigabytes, grouped

    agree = "agrees" if result.agrees else "differs"
    yield f"{agree}: {grouped(result.matched)} of {grouped(result.predicted)} predicted tensors found"
    yield f"  by name and shape {grouped(result.by_name)}"
    yield f"  by shape, under another name {grouped(result.matched - result.by_name - result.refolded)}"
    yield f"  fused or split, equal in sum {grouped(result.refolded)}"
    yield f"parameters: {grouped(result.parameters_predicted)} predicted"
    by_dtype = ", ".join(f"{dtype} {gigabytes(n)}" for dtype, n in result.bytes_by_dtype.items())
    yield f"values on disk: {grouped(result.n_bytes)} bytes ({by_dtype})"
    for remark in result.remarks:
        yield f"also stored: {remark}"
