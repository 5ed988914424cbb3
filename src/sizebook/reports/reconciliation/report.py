"""The reconciliation report: the published parameter count of every catalogued model against the computed one."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from itertools import groupby

from sizebook.core.texts import THIN_SPACE, Figure, Text, plural, text
from sizebook.core.units import grouped
from sizebook.formulas.params import params_gpt
from sizebook.models import catalog
from sizebook.models.reconciliation import Comparison, Status, What, compare
from sizebook.reports.charts.chart_types import Bar, Bars
from sizebook.reports.document import (
    Column,
    Notes,
    Report,
    Row,
    Section,
    Table,
    Tile,
    figure_columns,
    headings,
    section,
)
from sizebook.reports.number_columns import MINUS, fixed
from sizebook.reports.phrases import data_dates

AGREES: tuple[Status, ...] = ("exact", "rounds to it", "cut to it")
GPT3 = "gpt-3"


def report(compared: tuple[Comparison, ...], as_of: date) -> Report:
    """Return the report of a whole reconciliation."""
    stated = [one for one in compared if one.difference is not None]
    by_status = Counter(one.status for one in stated)
    agreeing = sum(by_status[status] for status in AGREES)
    return Report(
        kind=text("Parameter reconciliation"),
        title=text("Published parameter counts, recomputed"),
        subtitle=text(
            "{n} published models, {stated} stated counts, total and active",
            n=len(catalog.model_keys()),
            stated=len(stated),
        ),
        as_of=as_of,
        sentences=_sentences(by_status),
        tiles=_tiles(stated, by_status, agreeing),
        chart=_status_chart(by_status),
        warnings=_warnings(by_status),
        sections=(_gpt3(), _all_models(compared), _active(compared), _explained(compared), _notes()),
        data_dates=data_dates("models"),
    )


def _sentences(by_status: Counter[Status]) -> tuple[str, str, str]:
    stated, agreeing = by_status.total(), sum(by_status[status] for status in AGREES)
    return (
        plural(
            agreeing,
            "{n} of {stated} stated counts follows from the dimensions of its model to the precision in which it is "
            "stated.",
            "{n} of {stated} stated counts follow from the dimensions of their model to the precision in which they "
            "are stated.",
            stated=grouped(stated),
        ),
        plural(
            by_status["exact"], "{n} of them agrees to the last parameter.", "{n} of them agree to the last parameter."
        ),
        text(
            "Of the other {others}, {explained} differ for a reason that is given, and {left} are not explained.",
            others=grouped(stated - agreeing),
            explained=grouped(by_status["explained"]),
            left=grouped(by_status["unexplained"]),
        ),
    )


STATUSES: dict[Status, Text] = {
    "exact": text("Exact"),
    "rounds to it": text("Rounds to it"),
    "cut to it": text("Cut to it"),
    "explained": text("Differs, explained"),
    "unexplained": text("Differs, unexplained"),
}

# The same as a word in a table, and what is compared.
RESULTS: dict[Status, Text] = {
    "exact": text("exact"),
    "rounds to it": text("rounds\u00a0to\u00a0it"),
    "cut to it": text("cut\u00a0to\u00a0it"),
    "explained": text("explained"),
    "unexplained": text("unexplained"),
    "not stated": text("not\u00a0stated"),
    "not published": text("not\u00a0published"),
}
COUNTS: dict[What, Text] = {"total": text("total"), "active": text("active")}


def _status_chart(by_status: Counter[Status]) -> Bars:
    """Return how many statements agree, and how."""
    bars = tuple(
        Bar(label, by_status[status], grouped(by_status[status]), marked=status == "unexplained")
        for status, label in STATUSES.items()
    )
    agreeing = sum(by_status[status] for status in AGREES)
    title = plural(
        by_status.total(),
        "{agreeing} of {n} stated count agrees with the computed one",
        "{agreeing} of {n} stated counts agree with the computed ones",
        agreeing=grouped(agreeing),
    )
    return Bars(title, text("Stated counts"), bars)


def _warnings(by_status: Counter[Status]) -> tuple[str, ...]:
    open_ones = by_status["unexplained"]
    if not open_ones:
        return ()
    return (plural(open_ones, "{n} stated count is not explained.", "{n} stated counts are not explained."),)


def _tiles(stated: list[Comparison], by_status: Counter[Status], agreeing: int) -> tuple[Tile, ...]:
    return (
        Tile(text("Stated counts"), grouped(len(stated)), text("total and active")),
        Tile(text("Agree"), grouped(agreeing), text("{by_status} to the last parameter", by_status=by_status["exact"])),
        Tile(text("Differ, explained"), grouped(by_status["explained"]), text("listed with the reason")),
        Tile(text("Differ, unexplained"), grouped(by_status["unexplained"]), text("a test keeps this at 0")),
    )


def gpt3_rows() -> list[tuple[str, ...]]:
    """Return the eight rows of GPT-3's table 2.1: as printed, then weights alone, then every parameter."""
    rows = []
    for key in catalog.model_keys(GPT3):
        dims, facts = catalog.config(key), catalog.facts(key)
        weights = params_gpt(
            dims["n_layers"],
            dims["d_model"],
            dims["n_heads"],
            d_head=dims["d_head"],
            vocab=dims["vocab"],
            n_positions=dims["n_ctx"],
        )
        shape = (str(dims[field]) for field in ("n_layers", "d_model", "n_heads", "d_head"))
        one = compare(key)
        share = fixed(100 * (one.relative or 0), 2)
        rows.append((one.name, facts["published_total"], *shape, grouped(weights), grouped(one.computed or 0), share))
    return rows


GPT3_COLUMNS = headings(
    text("Model"),
    figure_columns(
        text("Printed"),
        text("Layers"),
        "d_model",
        text("Heads"),
        "d_head",
        text("Weights alone"),
        text("All parameters"),
    ),
    figure_columns(text("Difference"), unit="%"),
)


def _gpt3() -> Section:
    return section(
        text("GPT-3, table 2.1"),
        text("The n_params column of GPT-3 follows from its other columns within 2 % in seven of eight rows"),
        Table(
            text("Brown et al. 2020 (arXiv:2005.14165), table 2.1, recomputed"),
            GPT3_COLUMNS,
            tuple(Row(cells, "failed" if cells[0] == "GPT-3 XL" else "plain") for cells in gpt3_rows()),
            note=text(
                "Weights alone: n_layers d_model (4 n_heads d_head + 8 d_model) + (50 257 + 2048) "
                "d_model, head tied to the embedding, as Aizi derived it in 2023; all parameters "
                "include biases and norms. XL: 24 heads of 128 are 3072 wide, not 2048, and give "
                "1.52 billion; 16 heads would give the printed 1.3. The 13B row prints d_model 5140, "
                "where 40 heads of 128 make 5120; either rounds to 13 billion."
            ),
        ),
    )


_COLUMNS = headings(
    text("Model"),
    figure_columns(text("Stated"), text("Computed"), text("Difference")),
    figure_columns(text("Difference"), unit="%"),
    text("Result"),
)


def _all_models(compared: Iterable[Comparison]) -> Section:
    totals = [one for one in compared if one.what == "total"]
    ordered = sorted(totals, key=lambda one: catalog.facts(one.key)["organisation"].casefold())
    rows: list[Row] = []
    for organisation, ones in groupby(ordered, key=lambda one: catalog.facts(one.key)["organisation"]):
        rows.append(Row((organisation, "", "", "", "", ""), "group"))
        rows += [_row(one) for one in ones]
    return section(
        text("All models"),
        text("Total parameters, stated and computed, by organisation"),
        Table(
            text("Total parameters"),
            _COLUMNS,
            tuple(rows),
            note=text("Blank: not published, so nothing to compare."),
        ),
        new_page=True,
    )


def _active(compared: Iterable[Comparison]) -> Section:
    rows = tuple(Row((*_row(one).cells[:5], text(one.scope or "all"))) for one in compared if one.what == "active")
    return section(
        text("Active parameters"),
        text("Active parameters of mixtures of experts, in the scope of each statement"),
        Table(text("Parameters that one token visits"), (*_COLUMNS[:5], Column(text("Scope of the statement"))), rows),
        new_page=True,
    )


def _row(one: Comparison) -> Row:
    computed = "" if one.computed is None else grouped(one.computed)
    stated = one.stated.shown if one.stated else ""
    status = RESULTS[one.status]
    if one.difference is None or one.relative is None:
        return Row((one.name, stated, computed, "", "", status))
    difference = Figure(f"{one.difference:+,}".replace(",", THIN_SPACE).replace("-", MINUS))
    cells = (one.name, stated, computed, difference, fixed(100 * one.relative, 2), status)
    return Row(cells, "failed" if one.status == "unexplained" else "plain")


def _explained(compared: Iterable[Comparison]) -> Section:
    ones = [one for one in compared if one.status in ("explained", "unexplained")]
    rows = tuple(
        Row(
            (
                one.name,
                COUNTS[one.what],
                one.stated.shown if one.stated else "",
                grouped(one.computed or 0),
                text(one.explanation),
            )
        )
        for one in ones
    )
    columns = headings(
        text("Model"), text("Count"), figure_columns(text("Stated"), text("Computed")), text("Explanation")
    )
    return section(
        text("Explanations"),
        text("Every difference beyond rounding, and its reason"),
        Table(text("Differences explained"), columns, rows),
        new_page=True,
    )


def _notes() -> Section:
    return section(
        text("Notes"),
        text("How the comparison is made"),
        Notes(
            (
                text(
                    "Computed: every trainable tensor of the architecture in data/architectures.csv, "
                    "tied tensors once. Buffers and multi-token-prediction layers stand apart."
                ),
                text(
                    "Rounds to it: the computed count lies within half a unit of the last digit of the "
                    "statement; every written digit counts. Cut to it: the statement is the computed "
                    "count with its further digits cut off, as names do (70B for 70.55 billion)."
                ),
                text("Some statements leave out embeddings or towers; they are compared in their own scope."),
                text(
                    "Closed models have no published dimensions and stay blank. Sources stand with each "
                    "row of data/models.csv."
                ),
            )
        ),
    )
