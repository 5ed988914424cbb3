"""Describes `model_comparison.xlsx`: up to twelve models side by side, as a table to sort and filter, with charts."""

from pathlib import Path

from model_comparison_facts import FACTS, KNOWN, Fact, facts
from model_comparison_inputs import MODELS, inputs
from openpyxl.utils import get_column_letter

from sizebook.scenarios.scenario_files import read_toml
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.catalog_lookups import known_check
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.line_sheet import LineSheet, new_sheet, result_sheet
from sizebook.workbooks.text_formulas import nearly_equal

FILE, TITLE = "model_comparison.xlsx", "Model comparison"
EXAMPLE = read_toml(Path(__file__).resolve().parent / "scenarios" / "twelve-models.toml")
FUNCTIONS = ("MODEL_SPEC", "PARAMS_MODEL", "PARAMS_ACTIVE", "DTYPE_BITS", "KV_CACHE_BYTES", "GPU_SPEC", "MODEL_BYTES")
NOTES = (
    "Comparison is an Excel table: the arrows in its head sort and filter it, and the charts of Result follow, for "
    "they draw the rows that are shown. A row without a model is blank; filter blanks out where there are fewer than "
    "twelve.",
    "Facts of a model are those of the catalog, each with its source there (MODEL_SPEC(model, source)); blank where "
    "nobody published them. Parameters are counted from the dimensions, exactly.",
    "Weights: parameters x bits of the one format chosen, scales included. Cache: keys, values and state of the "
    "sequences chosen, windows and latent attention as the model has them.",
    "GPUs that hold it: memory of weights and cache over that of the accelerator, rounded up. A floor, not a plan: "
    "engine, activations and latency come on top (serving_capacity.xlsx).",
    "Cost of the training: published GPU-hours at the price chosen, whatever accelerator they were of.",
)
LETTERS = {fact.key: get_column_letter(2 + at) for at, fact in enumerate(FACTS)}


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover_sheet(
        book, "Up to twelve models side by side: size, shape, memory, training and what they cost to hold."
    )
    inputs(book)
    facts(book)
    rows = comparison(book)
    result(book, rows)
    checks_sheet(book, checks(rows))
    notes_sheet(book, FUNCTIONS, NOTES)
    front()


def comparison(book: Book) -> tuple[int, int]:
    """Add the table to sort and filter; return its rows."""
    page = new_sheet(
        book,
        "Comparison",
        "Sort and filter by the arrows of the heads; the charts of Result follow.",
        ("",) * (len(FACTS) - 2),
        (26, *(_width(fact) for fact in FACTS[1:])),
    )
    page.section("Models")
    page.sheet.row_dimensions[page.row].height = 30
    rows = page.data_table(
        "Comparison",
        [fact.title + (f", {fact.unit}" if fact.unit else "") for fact in FACTS],
        [[f"={{{fact.key}.{model}}}" for fact in FACTS] for model in MODELS],
        [fact.number_format for fact in FACTS],
    )
    page.sheet.freeze_panes = f"C{rows[0]}"
    page.sheet.print_title_cols = "B:B"
    page.finish()
    page.sheet.page_setup.fitToWidth, page.sheet.page_setup.fitToHeight = 3, 1
    return rows


_LARGE = ("total", "active", "training_tokens", "usd_a_month", "training_usd")


def _width(fact: Fact) -> int:
    return 20 if fact.key in _LARGE else 22 if fact.number_format == styles.GENERAL else 14


def result(book: Book, rows: tuple[int, int]) -> None:
    """Add the page to hand on: what stands out, and the charts of the table, in its order."""
    page = result_sheet(book, "Result", "The figures to hand on.", (18, 19, 17, 12.5, 15.5, 12), chart_rows=14)
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    _tiles(page)
    page.chart(
        Chart(
            "columns",
            "{size_message}",
            "billions of parameters",
            "#,##0,,,",
            rows,
            _series("total", "active"),
            of_sheet="Comparison",
        )
    )
    page.chart(
        Chart(
            "stacked",
            "{memory_message}",
            "GiB",
            styles.WHOLE,
            rows,
            _series("weights_gib", "cache_gib"),
            of_sheet="Comparison",
        )
    )
    page.section("What it takes to hold each")
    shown = ("shown", "total", "active", "memory_gib", "gpus_least", "usd_a_month")
    page.table(
        ["Model", "Parameters", "Active", "Memory, GiB", "GPUs that hold it", "USD a month"],
        [[f"=Comparison!${LETTERS[key]}${row}" for key in shown] for row in range(rows[0], rows[1] + 1)],
        [styles.GENERAL, styles.WHOLE, styles.WHOLE, styles.WHOLE, styles.WHOLE, styles.WHOLE],
    )
    page.finish()


def _tiles(page: LineSheet) -> None:
    page.tiles(
        [
            ("Models", "={n_models}", styles.WHOLE, "side by side"),
            ("Largest, billions", "=MAX({total.all})/{billion}", styles.NUMBER, "={largest.1}"),
            ("Most memory, GiB", "=MAX({memory_gib.all})", styles.WHOLE, "={heaviest.1}"),
            ("Least memory, GiB", "=MIN({memory_gib.all})", styles.WHOLE, "={lightest.1}"),
            ("USD a GPU-hour", "={price.1}", styles.RATE, "={gpu_name.1}"),
        ]
    )


def _series(*names: str) -> tuple[str, ...]:
    return tuple(LETTERS[name] for name in names)


def checks(rows: tuple[int, int]) -> tuple[tuple[str, ...], ...]:
    """Return the checks of the workbook."""
    held = ",".join(
        nearly_equal(f"SUM(Comparison!${LETTERS[key]}${rows[0]}:${LETTERS[key]}${rows[1]})", f"SUM({{{key}.all}})")
        for key in ("total", "active", "memory_gib", "usd_a_month", "training_usd")
    )
    return (
        (
            "A model stands once",
            '=SUMPRODUCT(--({chosen.all}<>""),--(COUNTIF({chosen.all},{chosen.all})>1))=0',
            "Models of Inputs",
        ),
        ("Every model is counted", "=COUNT({total.all})={n_models.1}", "Parameters against models of Inputs"),
        ("Active parameters are at most the total", "=MIN({ordered.all})=1", "PARAMS_ACTIVE against PARAMS_MODEL"),
        (
            "Bytes follow from bits",
            "=ABS(SUM({weight_bytes.all})-SUM({weight_bytes_again.all}))<={n_models.1}",
            "Parameters x bits / 8 against MODEL_BYTES, which rounds up",
        ),
        (
            "Weights and cache add up to the memory",
            "=ABS(SUM({weight_bytes.all})+SUM({cache_bytes.all})-SUM({memory_gib.all})*2^30)"
            "<={rounding}*SUM({weight_bytes.all})",
            "Bytes against GiB",
        ),
        (
            "The cache is that of its sequences",
            f"={nearly_equal('SUM({cache_of_one.all})*{sequences}', 'SUM({cache_bytes.all})')}",
            "KV_CACHE_BYTES of one sequence against all, every model",
        ),
        (
            "GPUs hold it, and one fewer do not",
            "=AND(SUM({gpus_least.all})*{gpu_gib.1}>=SUM({memory_gib.all})*(1-{rounding}),"
            "(SUM({gpus_least.all})-{n_models.1})*{gpu_gib.1}<SUM({memory_gib.all}))",
            "GPUs x memory of the accelerator against memory, all models",
        ),
        (
            "A month costs GPUs, hours and price",
            "=ABS(SUM({usd_a_month.all})-SUM({gpus_least.all})*{hours_a_month}*{price.1})"
            "<={rounding}*SUM({usd_a_month.all})",
            "All models",
        ),
        known_check(KNOWN),
        ("The table holds the facts", f"=AND({held})", "Comparison against Facts"),
    )
