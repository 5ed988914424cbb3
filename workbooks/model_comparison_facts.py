"""The facts of `model_comparison.xlsx`, a row a fact and a column a model: what functions give, and what follows."""

from dataclasses import dataclass

from model_comparison_inputs import MODELS

from sizebook.dashboard.model_columns import COLUMNS, Column
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.catalog_lookups import looked_up, unlisted_statement
from sizebook.workbooks.data_validations import sentence
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.references import text
from sizebook.workbooks.shared_lines import CONFIG
from sizebook.workbooks.staged_tables import watch_lines
from sizebook.workbooks.text_formulas import number_text

_FORMATS = {"count": styles.WHOLE, "number": styles.NUMBER, "text": styles.GENERAL, "date": styles.GENERAL}
# What the table leaves out of the dashboard's columns: comparisons with what was published, which no single call gives;
# the cache of a token, in place of which stands that of the sequences asked for.
LEFT_OUT = {"family", "difference", "status", "cache_per_token", "shared_experts"}
KNOWN = {"price": "usd_per_gpu_hour"}  # what may be not listed, and the input that gives it


@dataclass(frozen=True)
class Fact:
    """A row of the facts and a column of the table; its formula names other rows in braces."""

    key: str
    title: str
    meaning: str
    formula: str
    unit: str = ""
    number_format: str = styles.WHOLE


def _published(column: Column) -> Fact:
    """Return a column of the dashboard: its call, or where it divides one by another, that as a formula."""
    name, *rest = column.call
    if column.over:
        above, below = f"{{{rest[0]}}}", f"{{{column.over}}}"
        formula = f'=IF(OR(ISTEXT({above}),ISTEXT({below})),"",{above}/{below})'
    else:
        call = f"{name}({','.join(['{chosen}', *(text(str(word)) for word in rest)])})"
        formula = f'=IF({{chosen}}="","",IFERROR({call},""))'
    return Fact(column.name, column.title, column.meaning, formula, column.unit, _FORMATS[column.kind])


def _asked(formula: str) -> str:
    return f'=IF({{chosen}}="","",{formula})'


def _memory() -> tuple[Fact, ...]:
    """Return what a model takes of memory, and what it costs to hold: ordinary formulas."""
    gib, usd = styles.NUMBER, styles.WHOLE
    return (
        _native("weights_gib", "Weights", "{weight_bytes}/2^30", "GiB", gib, "parameters x bits of the format chosen"),
        _native("cache_gib", "Cache", "N({cache_bytes})/2^30", "GiB", gib, "of the sequences chosen"),
        _native("memory_gib", "Memory", "{weights_gib}+{cache_gib}", "GiB", gib, "weights and cache"),
        _native(
            "gpus_least",
            "GPUs that hold it",
            "ROUNDUP({memory_gib}/{gpu_gib}-{rounding},0)",
            "GPUs",
            usd,
            "memory over that of the accelerator, rounded up",
        ),
        _native(
            "usd_a_month",
            "Held for a month",
            "{gpus_least}*{hours_a_month}*{price}",
            "USD",
            usd,
            "those GPUs x hours x price",
        ),
        Fact(
            "training_usd",
            "Training at that price",
            "published GPU-hours x price",
            '=IF(ISTEXT({gpu_hours}),"",{gpu_hours}*{price})',
            "USD",
        ),
    )


def _native(key: str, title: str, formula: str, *shown: str) -> Fact:
    unit, number_format, meaning = shown
    return Fact(key, title, meaning, _asked(formula), unit, number_format)


SHOWN = Fact(
    "shown", "Model", "key of the catalog, or the path of a file", '={chosen}&""', number_format=styles.GENERAL
)
# Columns of the table: facts of the catalog, what follows from them, and what was published of the training last.
_OF_TRAINING = ("hardware", "gpu_hours", "gpu_watts", "energy_mwh", "tco2e")
_KNOWN = tuple(_published(column) for column in COLUMNS if column.name not in LEFT_OUT)
PUBLISHED = tuple(fact for fact in _KNOWN if fact.key not in _OF_TRAINING)
TRAINED = tuple(fact for fact in _KNOWN if fact.key in _OF_TRAINING)
*MEMORY, TRAINING_USD = _memory()
FACTS = (SHOWN, *PUBLISHED, *MEMORY, *TRAINED, TRAINING_USD)


def facts(book: Book) -> None:
    """Add the sheet of facts."""
    page = new_sheet(
        book,
        "Facts",
        "A row a fact, a column a model: what functions give, and what formulas make of it.",
        MODELS,
        (34, *[20] * len(MODELS), 12, 60),
    )
    page.heads("Fact", origin="What it is")
    _asked_of_all(page)
    page.section("Models")
    chosen = tuple(f'=IF({{model_{n}}}="{CONFIG}",{{config_path_{n}}}&"",{{model_{n}}}&"")' for n in MODELS)
    page.line("chosen", "Model", chosen, "", "Inputs: the key, or the path", styles.GENERAL)
    watch_lines(book, "chosen", "dtype", "context_tokens", "sequences", "kv_dtype", "gpu")
    for title, rows in (("Published and counted", (SHOWN, *PUBLISHED)), ("Training", TRAINED)):
        page.section(title)
        for fact in rows:
            _line(page, fact)
    page.section("Memory and money")
    cache = book.call("KV_CACHE_BYTES", model="{chosen}")
    page.line("weight_bytes", "Weights", _asked("{total}*{bits}/{byte_bits}"), "bytes", "Parameters x bits / 8")
    page.line(
        "cache_bytes", "Cache", _asked(f'IFERROR({cache},"none kept")'), "bytes", "KV_CACHE_BYTES, where one is kept"
    )
    for fact in (*MEMORY, TRAINING_USD):
        _line(page, fact)
    page.section("To compare with")
    again = book.call("MODEL_BYTES", parameters="{total}")
    page.line("weight_bytes_again", "Weights", _asked(again), "bytes", "MODEL_BYTES")
    one = book.call("KV_CACHE_BYTES", model="{chosen}", sequences=1)
    page.line("cache_of_one", "Cache of one sequence", _asked(f'IFERROR({one},"none kept")'), "bytes", "KV_CACHE_BYTES")
    page.line(
        "ordered",
        "Active at most the total",
        _asked('IF({active}="",1,IF({active}<={total},1,0))'),
        "",
        "1 where it is",
    )
    _messages(page)
    page.finish()


def _line(page: LineSheet, fact: Fact) -> None:
    page.line(fact.key, fact.title, fact.formula, fact.unit, sentence(fact.meaning), fact.number_format)


def _asked_of_all(page: LineSheet) -> None:
    """Add what holds for every model: bits of the format, memory and price of the accelerator."""
    book = page.book
    page.section("For all")
    usable, label = (book.call("GPU_SPEC", field=text(name)) for name in ("usable_memory_bytes", "memory_bytes"))
    quoted = book.call("PRICE_USD_PER_GPU_HOUR")
    for key, title, formula, unit, origin, shown in (
        (
            "bits",
            "Bits of a weight, scales included",
            f"={book.call('DTYPE_BITS')}",
            "bits",
            "DTYPE_BITS",
            styles.NUMBER,
        ),
        (
            "gpu_gib",
            "Memory of the accelerator",
            f"=IFERROR({usable},{label})/2^30",
            "GiB",
            "GPU_SPEC: what the driver leaves, else the label",
            styles.NUMBER,
        ),
        (
            "price",
            "GPU-hour",
            f'=IF({{usd_per_gpu_hour}}="",{looked_up(quoted)},{{usd_per_gpu_hour}})',
            "USD/GPU-hour",
            "As given, else the catalog's median on demand",
            styles.RATE,
        ),
        (
            "gpu_name",
            "Accelerator",
            f"={book.call('GPU_SPEC', field=text('name'))}",
            "",
            "GPU_SPEC: its maker's name",
            styles.GENERAL,
        ),
    ):
        page.line(key, title, formula, unit, origin, shown)
    unlisted_statement(page, KNOWN)


def _messages(page: LineSheet) -> None:
    """Add the titles of the charts, and the models that stand out."""
    page.section("Titles of the charts")
    page.line("n_models", "Models", '=SUMPRODUCT(--({chosen.all}<>""))', "", "Models above")
    for key, label, best, of in (
        ("largest", "Most parameters", "MAX", "total"),
        ("heaviest", "Most memory", "MAX", "memory_gib"),
        ("lightest", "Least memory", "MIN", "memory_gib"),
    ):
        formula = f"=INDEX({{chosen.all}},MATCH({best}({{{of}.all}}),{{{of}.all}},0))"
        page.line(key, label, formula, "", "Models above", styles.GENERAL)
    page.statement(
        "size_message",
        "Size",
        f'={{largest.1}}&" is the largest: "&{number_text("MAX({total.all})/{billion}")}&" billion parameters"',
        "Models above",
    )
    page.statement(
        "memory_message",
        "Memory",
        f'="From "&{number_text("MIN({memory_gib.all})")}&" GiB ("&{{lightest.1}}&") to "&'
        f'{number_text("MAX({memory_gib.all})")}&" GiB ("&{{heaviest.1}}&")"',
        "Models above",
    )
