"""`sizebook count` counts the parameters of a model exactly, from its config.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from sizebook.cli.messages import print_error
from sizebook.cli.options import refuse_without_effect
from sizebook.cli.shell_completion import model_or_file
from sizebook.core.errors import UnknownKeyError

if TYPE_CHECKING:
    from sizebook.models.architecture import Architecture
    from sizebook.models.counting import Count
    from sizebook.models.layer_table import LayerRow
    from sizebook.sources.model_sources import Source

# Ways to count, and the options that each follows beside --json.
_FOLLOWED = {
    "an adapter": ("base",),
    "headers of weights": ("weights",),
    "--engine transformers": ("engine", "hub"),
    "a config": ("layers", "explain", "hub"),
}
_MOST_SPANS = 3  # runs of equal layers that a row names


@click.command("count")
@click.argument("model", shell_complete=model_or_file)
@click.option("--json", "as_json", is_flag=True, help="Print the count as JSON.")
@click.option(
    "--layers", is_flag=True, help="Show the table of layers too; equal layers share a row with their number."
)
@click.option("--explain", is_flag=True, help="Show each part as a sum of products, and the keys that were read.")
@click.option("--hub", is_flag=True, help="Read the Hub's config even for a model of the catalog.")
@click.option("--weights", is_flag=True, help="Count a Hub repository from the headers of its weights.")
@click.option("--base", help="Base model of an adapter; if left out, the one that the adapter names.")
@click.option("--engine", type=click.Choice(["sizebook", "transformers"]), default="sizebook", show_default=True)
def count_model(model: str, as_json: bool, **asked: Any) -> None:
    """Count the parameters of a model exactly: total, active and by part.

    MODEL is one of: a checkpoint of any architecture, counted from its headers (a file .safetensors, .gguf, .bin or
    .pt, an index, a folder with weights, a diffusers pipeline, ORG/NAME/FILE of the Hub); an adapter; a config.json
    or a folder with one; a model of the catalog; a Hub repository ORG/NAME. The engine transformers builds the model
    on PyTorch's meta device instead (extra 'torch').
    """
    from sizebook.models.checkpoints.file_names import adapter_at, weights_first
    from sizebook.sources.model_sources import source_of

    adapter, of_config = adapter_at(model), any(asked[name] for name in _FOLLOWED["a config"])
    asked["engine"] = asked["engine"] != "sizebook"
    if adapter is not None:
        from sizebook.cli.checkpoint_counts import count_adapter

        _refuse_others("an adapter", asked)
        count_adapter(adapter, asked["base"], as_json)
    elif asked["engine"]:
        _refuse_others("--engine transformers", asked)
        _count_on_meta(source_of(model, from_hub=asked["hub"]), as_json)
    elif not of_config and (asked["weights"] or weights_first(model)):
        from sizebook.cli.checkpoint_counts import count_weights

        _refuse_others("headers of weights", asked)
        count_weights(model, as_json)
    else:
        _refuse_others("a config", asked)
        _count_config(source_of(model, from_hub=asked["hub"]), asked, as_json)


def _refuse_others(way: str, asked: Mapping[str, Any]) -> None:
    refuse_without_effect(f"for {way}", **{name: asked[name] for name in asked if name not in _FOLLOWED[way]})


def _count_config(source: Source, shown: Mapping[str, bool], as_json: bool) -> None:
    """Print the count of a config; if a repository's model type is unknown, count its weights instead."""
    from sizebook.models.counting import count
    from sizebook.models.huggingface import architecture
    from sizebook.sources.model_sources import HUB

    try:
        described = architecture(source.config)
    except UnknownKeyError as error:
        if source.origin != HUB or shown["layers"] or shown["explain"]:
            raise
        from sizebook.cli.checkpoint_counts import count_weights

        print_error(f"sizebook: {error}\nCounted from the headers of its weights instead:")
        count_weights(source.name, as_json)
        return
    counted = count(described)
    if as_json:
        click.echo(json.dumps(_as_json(source, described, counted, shown), indent=2))
        return
    _print_count(source, counted)
    for note in described.notes:
        click.echo(f"\nNote: {note}.")
    if shown["layers"]:
        _print_layers(described, counted.total)
    if shown["explain"]:
        _print_derivation(_derivation(source, described))


def _as_json(source: Source, described: Architecture, counted: Count, shown: Mapping[str, bool]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "model": source.name,
        "total": counted.total,
        "active": counted.active,
        "active_without_embedding": counted.active_without_embedding,
        "buffers": counted.buffers,
        "mtp": counted.mtp,
        "parts": counted.parts,
        "weight_bytes": _bytes_by_format(counted.total),
    }
    if described.notes:
        found["notes"] = list(described.notes)
    if shown["layers"]:
        from sizebook.models.layer_table import layer_table

        found["layers"] = [_layer_json(row, counted.total) for row in layer_table(described)]
    return found | (_derivation(source, described) if shown["explain"] else {})


def _layer_json(row: LayerRow, total: int) -> dict[str, Any]:
    """Return a row of the table of layers, with the rows that it consists of."""
    shown: dict[str, Any] = {"kind": row.kind, "times": row.times, "parameters": row.parameters}
    shown |= {"together": row.together, "share": row.together / total if total else 0.0}
    if row.numbers:
        shown |= {"layers": row.spans, "inside": [_layer_json(each, total) for each in row.inside]}
    return shown


def _print_count(source: Source, counted: Count) -> None:
    from sizebook.core.units import gigabytes, grouped, parameters, percent

    click.echo(f"{source.name}, from {source.origin}\n")
    for part, number in counted.parts.items():
        if number:
            click.echo(f"  {part:24} {grouped(number):>22} {percent(number / counted.total):>9}")
    click.echo(f"  {'total':24} {grouped(counted.total):>22} {parameters(counted.total):>9}")
    rows = {"active": counted.active, "active without embedding": counted.active_without_embedding}
    beside = {"buffers (beside)": counted.buffers, "prediction layers (beside)": counted.mtp}
    for label, number in {**rows, **{k: v for k, v in beside.items() if v}}.items():
        click.echo(f"  {label:24} {grouped(number):>22} {parameters(number):>9}")
    held = _bytes_by_format(counted.total)
    click.echo("\nWeights: " + ", ".join(f"{dtype} {gigabytes(n_bytes)}" for dtype, n_bytes in held.items()))


def _bytes_by_format(total: int) -> dict[str, float]:
    """Return the bytes of a model's weights in the formats that most people serve."""
    from sizebook.formulas.weights import model_bytes

    return {dtype: model_bytes(total, dtype) for dtype in ("bf16", "fp8", "int4")}


def _print_layers(described: Architecture, total: int) -> None:
    from sizebook.core.units import grouped
    from sizebook.models.layer_table import layer_table

    click.echo(f"\n{'Layers':42} {'times':>6} {'parameters of each':>20} {'together':>20} {'share':>9}")
    for row in layer_table(described):
        click.echo(_layer_line(f"  {row.kind}{_numbers(row)}", row, total))
        for each in row.inside:
            click.echo(_layer_line(f"    {each.kind}", each, total))
    click.echo(f"  {'total':40} {'':6} {'':20} {grouped(total):>20}")


def _layer_line(label: str, row: LayerRow, total: int) -> str:
    from sizebook.core.units import grouped, percent

    share = percent(row.together / total) if total else ""
    return f"{label:42} {row.times:6} {grouped(row.parameters):>20} {grouped(row.together):>20} {share:>9}"


def _numbers(row: LayerRow) -> str:
    """Return the numbers of the layers of a row, of many runs the first ones; empty for what is no layer."""
    spans = [str(first) if first == last else f"{first} to {last}" for first, last in row.spans]
    more = ", ..." if len(spans) > _MOST_SPANS else ""
    plural = "s" if len(row.numbers) > 1 else ""
    return f"{plural} {', '.join(spans[:_MOST_SPANS])}{more}" if spans else ""


def _derivation(source: Source, described: Architecture) -> dict[str, Any]:
    """Return each part as a sum of products, and the keys of the config that were read and those that were not."""
    from sizebook.plans.sizing.plan import size_model

    return {
        "sums": {part.part: part.derivation.substituted for part in size_model(source.name, described).parts},
        "keys_read": sorted(source.config.read & set(source.config.values)),
        "keys_without_effect": sorted(source.config.unread()),
    }


def _print_derivation(found: Mapping[str, Any]) -> None:
    click.echo("\nEach part as a sum of tensor shapes")
    for part, products in found["sums"].items():
        click.echo(f"  {part} = {products}")
    click.echo(f"\nKeys read: {', '.join(found['keys_read'])}")
    click.echo(f"Keys without effect on the count: {', '.join(found['keys_without_effect']) or 'none'}")


def _count_on_meta(source: Source, as_json: bool) -> None:
    from sizebook.core.units import grouped
    from sizebook.sources.torch_engine import count_on_meta

    counted = count_on_meta(source.config)
    if as_json:
        shown = {"model": source.name, "total": counted.total, "buffers": counted.buffers, "class": counted.built_as}
        click.echo(json.dumps(shown, indent=2))
        return
    click.echo(f"{source.name}, built by transformers as {counted.built_as}\n")
    click.echo(f"  total   {grouped(counted.total):>22}\n  buffers {grouped(counted.buffers):>22}")
