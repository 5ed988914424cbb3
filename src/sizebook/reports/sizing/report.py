"""The model sizing report: how many parameters, where they sit, what storing them takes, how each came about."""

from datetime import date

from sizebook.core.texts import Figure, Text, text
from sizebook.core.units import NO_BREAK_SPACE, gibibytes, gigabytes, grouped, parameters, percent
from sizebook.plans.sizing.plan import AS_STORED, Sizing
from sizebook.reports.charts.chart_types import Bar, Bars
from sizebook.reports.document import (
    Notes,
    Prose,
    Report,
    Row,
    Section,
    Table,
    Tile,
    derivation,
    figure_columns,
    headings,
    section,
)
from sizebook.reports.number_columns import (
    MINUS,
    aligned,
    binary_scale,
    decimal_scale,
    fixed,
    percentages,
    scaled,
    short_scale,
)
from sizebook.reports.phrases import data_dates


def report(sizing: Sizing, as_of: date, title: str = "") -> Report:
    """Return the report of one model's sizing."""
    architecture = sizing.architecture
    context = text(", context {n} tokens", n=grouped(architecture.n_ctx)) if architecture.n_ctx else ""
    return Report(
        kind=text("Model sizing report"),
        title=title or sizing.model,
        subtitle=(
            text(
                "{model}: {layers} layers, hidden size {width}, vocabulary {vocab}{context}",
                model=sizing.model if title else text("{type} architecture", type=architecture.model_type),
                layers=architecture.n_layers,
                width=grouped(architecture.d_model),
                vocab=grouped(architecture.vocab),
                context=context,
            )
        ),
        as_of=as_of,
        sentences=_sentences(sizing),
        tiles=_tiles(sizing),
        chart=_parts_chart(sizing),
        warnings=_warnings(sizing),
        sections=(
            _breakdown(sizing),
            _storage(sizing),
            _comparison(sizing),
            derivation((*sizing.figures, *(part.derivation for part in sizing.parts))),
            _notes(sizing),
        ),
        data_dates=data_dates("dtypes"),
    )


def _sentences(sizing: Sizing) -> tuple[str, str, str]:
    total, active = sizing.count.total, sizing.count.active
    if active == total:
        holds = text("{model} holds {n} parameters.", model=sizing.model, n=grouped(total))
    else:
        holds = text(
            "{model} holds {n} parameters, of which one token visits {active}.",
            model=sizing.model,
            n=grouped(total),
            active=parameters(active),
        )
    stored = text(
        "Stored {format}, its weights take {decimal} ({binary}).",
        format=_format(sizing),
        decimal=gigabytes(sizing.weight_bytes),
        binary=gibibytes(sizing.weight_bytes),
    )
    return holds, stored, text("{verdict}.", verdict=_verdict(sizing))


def _format(sizing: Sizing) -> str:
    """Return in which format the weights are stored, as it stands in a sentence."""
    return text("as its files have them") if sizing.dtype == AS_STORED else text("in {dtype}", dtype=sizing.dtype)


def _warnings(sizing: Sizing) -> tuple[str, ...]:
    """Return what to know before the figures are used: what the count leaves open, a count that differs."""
    difference = sizing.difference
    differs = difference is not None and abs(difference) > sizing.published.half_unit
    notes = (text("Count of the model: {note}.", note=note) for note in sizing.notes)
    return (*((text("{verdict}.", verdict=_verdict(sizing)),) if differs else ()), *notes)


def _verdict(sizing: Sizing) -> Text:
    """Say how the count compares with the published one, without the full stop."""
    difference, published = sizing.difference, sizing.published.total
    if difference is None or published is None:
        return text("No published count was given to compare with")
    if difference == 0:
        return text("The count equals the published one to the last parameter")
    if abs(difference) <= sizing.published.half_unit:
        return text("The count rounds to the published {parameters}", parameters=parameters(published))
    known = {
        "n": grouped(abs(difference)),
        "published": grouped(published),
        "share": _per_cent(abs(difference) / published),
    }
    if difference > 0:
        return text("The count is {n} more than the published {published} ({share})", **known)
    return text("The count is {n} fewer than the published {published} ({share})", **known)


def _per_cent(ratio: float) -> str:
    return Figure(f"{fixed(100 * ratio, 2)}{NO_BREAK_SPACE}%")


def _tiles(sizing: Sizing) -> tuple[Tile, ...]:
    counted = sizing.count
    largest = max(sizing.parts, key=lambda part: part.parameters)
    tiles = [Tile(text("Parameters"), parameters(counted.total), grouped(counted.total))]
    if counted.active != counted.total:
        tiles.append(
            Tile(
                text("Active per token"),
                parameters(counted.active),
                text("{percent} of all", percent=percent(counted.active / counted.total)),
            )
        )
    tiles += [
        Tile(_weights(sizing), gigabytes(sizing.weight_bytes), gibibytes(sizing.weight_bytes)),
        Tile(largest.label, percent(largest.share), text("the largest part")),
    ]
    if sizing.difference is not None:
        tiles.append(Tile(text("Against published"), *_deviation(sizing)))
    return tuple(tiles)


def _weights(sizing: Sizing) -> str:
    if sizing.dtype == AS_STORED:
        return text("Weights as stored")
    return text("Weights in {dtype}", dtype=sizing.dtype)


def _deviation(sizing: Sizing) -> tuple[str, str]:
    """Return how far the count is from the published one, and by how many parameters."""
    difference, published = sizing.difference or 0, sizing.published.total or 0
    if difference == 0:
        return text("exact"), grouped(published)
    if abs(difference) <= sizing.published.half_unit:
        return text("agrees"), text("rounds to {published}", published=parameters(published))
    share = _per_cent(abs(difference) / published)
    sign = "" if share.startswith("<") else "+" if difference > 0 else MINUS
    return Figure(f"{sign}{share}"), text("{n} parameters", n=_signed(difference))


def _signed(count: int) -> str:
    return Figure(f"+{grouped(count)}" if count > 0 else grouped(count).replace("-", MINUS))


def _parts_chart(sizing: Sizing) -> Bars:
    """Return the parts of the model from the largest."""
    parts = sorted(sizing.parts, key=lambda part: -part.parameters)
    factor, sign = short_scale(part.parameters for part in parts)
    shares = percentages([part.share for part in parts])
    largest = parts[0]
    bars = tuple(
        Bar(
            part.label,
            part.parameters / factor,
            text("{n} ({share}\u00a0%)", n=parameters(part.parameters), share=share),
            marked=part is largest,
        )
        for part, share in zip(parts, shares, strict=True)
    )
    title = text(
        "{part}: {n} of {total}",
        part=largest.label,
        n=parameters(largest.parameters),
        total=parameters(sizing.count.total),
    )
    return Bars(title, scaled(text("Parameters"), sign), bars)


def _breakdown(sizing: Sizing) -> Section:
    parts = sorted(sizing.parts, key=lambda part: -part.parameters)
    shares = percentages([part.share for part in parts])
    largest = parts[0]
    rows = [
        Row((part.label, part.part, grouped(part.parameters), share)) for part, share in zip(parts, shares, strict=True)
    ]
    total, active = sizing.count.total, sizing.count.active
    rows.append(Row((text("Total"), "", grouped(total), fixed(100, 2)), "total"))
    if active != total:
        rows.append(Row((text("Active per token"), "", grouped(active), fixed(100 * active / total, 2))))
    message = text("{label} hold {percent} of the parameters", label=largest.label, percent=percent(largest.share))
    return section(
        text("Parameters"),
        message,
        Table(
            text("Parameters by part, exact"),
            headings(
                text("Part"), text("Key"), figure_columns(text("Parameters")), figure_columns(text("Share"), unit="%")
            ),
            tuple(rows),
        ),
    )


def _storage(sizing: Sizing) -> Section:
    factor, prefix = decimal_scale(stored.n_bytes for stored in sizing.storage)
    chosen = next((s for s in sizing.storage if s.dtype == sizing.dtype), None)
    smallest = min(sizing.storage, key=lambda stored: stored.n_bytes)
    most = max(sizing.storage, key=lambda stored: stored.n_bytes)
    other = smallest if smallest is not chosen else most
    binary_factor, binary_prefix = binary_scale(stored.n_bytes for stored in sizing.storage)
    bars = tuple(
        Bar(
            s.dtype,
            s.n_bytes / factor,
            text("{gigabytes} ({gibibytes})", gigabytes=gigabytes(s.n_bytes), gibibytes=gibibytes(s.n_bytes)),
            marked=s is chosen,
        )
        for s in sizing.storage
    )
    columns = headings(
        text("Number format"),
        figure_columns(text("Bits per weight")),
        figure_columns(text("Weights"), unit=text("{prefix}B", prefix=prefix)),
        figure_columns(text("Weights"), unit=text("{binary_prefix}B", binary_prefix=binary_prefix)),
        figure_columns(text("Against {dtype}", dtype=sizing.dtype), unit="%"),
    )
    cells = zip(
        (s.dtype for s in sizing.storage),
        aligned([s.bits_per_weight for s in sizing.storage]),
        aligned([s.n_bytes for s in sizing.storage], factor=factor),
        aligned([s.n_bytes for s in sizing.storage], factor=binary_factor),
        (fixed(100 * s.n_bytes / sizing.weight_bytes, 1) for s in sizing.storage),
        strict=True,
    )
    return section(
        text("Memory"),
        text(
            "The weights take {size} {stored}, {other} in {dtype}",
            size=gigabytes(sizing.weight_bytes),
            stored=_format(sizing),
            other=gigabytes(other.n_bytes),
            dtype=other.dtype,
        ),
        Bars(
            text(
                "From {most} in {dtype} to {least} in {other}",
                most=gigabytes(most.n_bytes),
                dtype=most.dtype,
                least=gigabytes(smallest.n_bytes),
                other=smallest.dtype,
            ),
            text("Weights, {prefix}B (powers of ten)", prefix=prefix),
            bars,
        ),
        Table(
            text("Memory of the weights by number format"),
            columns,
            tuple(Row(row, "marked" if row[0] == sizing.dtype else "plain") for row in cells),
            note=text(
                "GB is 10⁹ bytes, GiB 2³⁰. Block formats include the bytes of their scales. Weights "
                "alone: a running model also holds its cache, activations and the engine."
            ),
        ),
    )


def _comparison(sizing: Sizing) -> Section:
    if sizing.published.total is None or sizing.difference is None:
        hint = text(
            "Set published_total and published_source in the scenario to have the count compared with the publisher's."
        )
        return section(text("Published count"), text("No published count was given to compare with"), Prose(hint))
    ratio = sizing.difference / sizing.published.total
    rows = (
        Row((text("Counted here"), grouped(sizing.count.total), text("tensor by tensor from the architecture"))),
        Row((text("Published"), grouped(sizing.published.total), sizing.published.source or text("no source given"))),
        Row(
            (
                text("Difference"),
                _signed(sizing.difference) if sizing.difference else "0",
                text("{share} of the published count", share=_per_cent(ratio)),
            ),
            "total",
        ),
    )
    return section(
        text("Published count"),
        _verdict(sizing),
        Table(
            text("Counted against published"),
            headings(text("Count"), figure_columns(text("Parameters")), text("Source")),
            rows,
        ),
    )


def _notes(sizing: Sizing) -> Section:
    counted = sizing.count
    items = [
        text("Counted: every trainable tensor of the architecture, tied tensors once."),
        *sizing.notes,
    ]
    if counted.buffers:
        items.append(
            text(
                "Not counted: {n} entries of buffers, stored in checkpoints but not trained.",
                n=grouped(counted.buffers),
            )
        )
    if counted.mtp:
        items.append(
            text(
                "Counted apart: {n} parameters of multi-token-prediction layers, which checkpoints "
                "hold beside the model.",
                n=grouped(counted.mtp),
            )
        )
    if counted.active != counted.total:
        items.append(
            text(
                "Active parameters are what one token visits: everything but the routed experts it "
                "is not sent to; embedding and output projection count whole."
            )
        )
    items += [
        text(
            "Memory is that of the weights, every parameter stored in the one format; quantised "
            "checkpoints keep some tensors in a wider one."
        ),
        text(
            "Counts are exact. Bits per weight of the q4_k_m and q5_k_m mixes were measured on "
            "one model; another's mix differs by a few per cent."
        ),
    ]
    return section(text("Notes"), text("What is counted, and what is not"), Notes(tuple(items)))
