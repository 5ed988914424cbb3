"""The sheets of `fine_tuning.xlsx` with a column a way: what functions say of each, and what follows in money."""

from dataclasses import dataclass

from fine_tuning_charts import WORDS, Drawn, drawn
from fine_tuning_inputs import DRIVERS, LOOKED_UP, NATIVE, OF_A_PLAN
from fine_tuning_months import begin_months, finish_months

from sizebook.plans.training.rows import OUTPUTS
from sizebook.training.tuning import TUNINGS
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import Kept, unless_waiting
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.catalog_lookups import power_lines, price_lines, unlisted_statement
from sizebook.workbooks.cost_ranges import joint
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.references import text
from sizebook.workbooks.scenario_inputs import drivers_in_use
from sizebook.workbooks.shared_lines import chosen_model_line, gpu_name_line
from sizebook.workbooks.staged_tables import StagedRows, stage_rows, watch_lines
from sizebook.workbooks.text_formulas import number_text

_WIDTHS = (33, *[17] * len(TUNINGS), 11, 31)
# What the table of runs is asked: a step of data at each way; the whole run too where the plan is compared with.
# At a price and a power of 1: they are the workbook's own, and an accelerator without listed ones can be asked about.
_ONE_STEP = {"tokens": "={batch}*{seq}", "programme_factor": "=1", "price_usd_per_gpu_hour": "=1", "watts": "=1"}
_WHOLE = {"tokens": "={n_examples}*{epochs}*{example_tokens_in}", "programme_factor": "=1"}
_RANK = '=IF("WAY"="full","",IF({lora_rank}="","",{lora_rank}))'


@dataclass(frozen=True)
class Runs:
    """Results of the table of runs, a row a way."""

    rows: StagedRows

    def each(self, name: str) -> tuple[str, ...]:
        """Return the cells of one result, a way each."""
        return tuple(self.rows.cell(2 + at, 1 + OUTPUTS.index(name)) for at in range(len(TUNINGS)))


def ways(book: Book) -> tuple[Runs, Runs]:
    """Add the sheet of what functions are asked and say of each way; return it, and the plan to compare with."""
    page = new_sheet(book, "Ways", "A column a way: whether it fits and how long a step takes.", TUNINGS, _WIDTHS)
    page.heads("Figure", cases=WORDS)
    page.section("For all")
    chosen_model_line(page)
    page.line(
        "example_tokens_in",
        "Tokens of an example",
        '=IF({example_tokens}="",{seq},{example_tokens})',
        "tokens",
        "As given, else a whole sequence",
    )
    page.line(
        "padding",
        "Padding of a step",
        '=IF({packed}="no",MAX(0,1-{example_tokens_in}/{seq}),0)',
        "ratio",
        "None where examples are packed",
        styles.PERCENT,
    )
    page.line("way", "Way", TUNINGS, "", "What is trained: FINE_TUNING_MEMORY", styles.GENERAL)
    page.line("way_name", "Way in words", WORDS, "", "As a reader writes it", styles.GENERAL)
    gpu_name_line(page)
    tables = new_sheet(book, "Asked", "What TRAINING_TABLE is asked, a row a way.", ("",) * (len(_HEADS) - 2))
    tables.sheet.sheet_state = "hidden"
    asked = _table(tables, "Of the steps", {**dict.fromkeys(NATIVE, '=""'), **_ONE_STEP})
    watch_lines(book, "chosen", "gpu", *(leaf.name for leaf in OF_A_PLAN if leaf.name not in NATIVE), *LOOKED_UP)
    runs = _staged(book, asked, "held")
    _memory(page, runs)
    page.section("Time of a step")
    _of_runs(page, runs, "step_seconds", "Step", "seconds", styles.NUMBER)
    days = tuple(
        "=" + unless_waiting(f'IF(ISNUMBER({cell}),{cell}*{{seconds_a_day}}*(1-{{padding}}),"")')
        for cell in runs.each("train_days")
    )
    page.line(
        "step_elapsed",
        "Step with checkpoints and failures",
        days,
        "seconds",
        "TRAINING_TABLE: days of a run of one step",
        styles.NUMBER,
    )
    _of_runs(page, runs, "mfu_reached", "MFU", "ratio", styles.PERCENT)
    for end in ("low", "high"):
        _of_runs(page, runs, f"error_{end}", f"Measured over predicted, less 1, {end}", "ratio", styles.PERCENT)
    _of_runs(page, runs, "run_family", "Band of", "", styles.GENERAL)
    drivers_in_use(page, DRIVERS)
    page.finish()
    return runs, _staged(book, _table(tables, "Of the plan, to compare the workbook with", _WHOLE), "compared")


def _memory(page: LineSheet, runs: Runs) -> None:
    book = page.book
    page.section("Memory of a GPU")
    usable, label = (book.call("GPU_SPEC", field=text(name)) for name in ("usable_memory_bytes", "memory_bytes"))
    page.line(
        "usable",
        "There is",
        f"=IFERROR({usable},{label}*{{usable_share}})",
        "bytes",
        "GPU_SPEC: what the driver leaves",
    )
    _of_runs(page, runs, "memory_bytes", "Needed", "bytes", styles.WHOLE)
    fits = tuple("=" + unless_waiting(f'IF(ISERROR({cell}),"no",IF({cell},"yes","no"))') for cell in runs.each("fits"))
    page.line("fits", "Fits", fits, "", "TRAINING_TABLE", styles.GENERAL)
    for name, label_of in (("recipe", "What is done to fit"), ("reason", "Why not")):
        page.line(name, label_of, tuple(f"={cell}" for cell in runs.each(name)), "", "TRAINING_TABLE", styles.GENERAL)
        page.wrap(page.row - 1, 100)
    trained = tuple(
        "=PARAMS_MODEL({chosen})"
        if way == "full"
        else f"=ADAPTER_PARAMS({{chosen}},{text(way)},{{lora_rank}},{{lora_on}})"
        for way in TUNINGS
    )
    page.line("trained", "Trained parameters", trained, "parameters", "PARAMS_MODEL, or ADAPTER_PARAMS")


def _of_runs(page: LineSheet, runs: Runs, name: str, label: str, unit: str, shown: str) -> None:
    values = tuple("=" + unless_waiting(f'IF(ISERROR({cell}),"",{cell})') for cell in runs.each(name))
    page.line(name, label, values, unit, "TRAINING_TABLE", shown)


_HEADS = ("model", "gpu", "tokens", "tuning", "programme_factor", *(leaf.name for leaf in OF_A_PLAN))


def _table(page: LineSheet, title: str, given: dict[str, str]) -> str:
    """Add a table of runs, a row a way; return the reference to it."""
    page.section(title)
    rows = []
    for way in TUNINGS:
        own = {"model": "={chosen}", "gpu": "={gpu}", "tuning": way, "lora_rank": _RANK.replace("WAY", way)} | given
        rows.append([own.get(head, f'=IF({{{head}}}="","",{{{head}}})') for head in _HEADS])
    first, last = page.table(_HEADS, rows, [styles.GENERAL] * len(_HEADS))
    right = page.sheet.cell(first, 1 + len(_HEADS)).column_letter
    return f"{page.sheet.title}!$B${first - 1}:${right}${last}"


def _staged(book: Book, table: str, kept: Kept) -> Runs:
    size = (1 + len(TUNINGS), len(OUTPUTS))
    return Runs(stage_rows(book, f"TRAINING_TABLE({table})", size, heads=OUTPUTS, kept=kept))


def money(book: Book) -> Drawn:
    """Add the sheets of time, money and energy, by way and by month: ordinary formulas; return the rows of charts."""
    page = new_sheet(
        book, "Money", "Time, money and energy of each way, in the scenario of the cover.", TUNINGS, _WIDTHS
    )
    page.heads("Quantity", cases=WORDS)
    _prices(page)
    _time(page)
    across = begin_months(book)
    _costs(page)
    _energy(page)
    _range(page)
    _messages(page)
    rows = drawn(page)
    page.finish()
    finish_months(across)
    return rows


def _known(formula: str) -> str:
    return f'=IF(ISTEXT({{step_elapsed}}),"",{formula})'


def _prices(page: LineSheet) -> None:
    page.section("Prices and power")
    price_lines(page)
    power_lines(page)
    unlisted_statement(page)


def _time(page: LineSheet) -> None:
    page.section("Time")
    line = page.line
    line("examples_now", "Examples", "={n_examples}*{use_examples}", "examples", "Inputs x the scenario's")
    line(
        "tokens",
        "Tokens trained on",
        "={examples_now}*{epochs}*{example_tokens_in}",
        "tokens",
        "Examples x passes x tokens",
    )
    line(
        "steps", "Steps", "={tokens}/({batch}*{seq}*(1-{padding}))", "steps", "Tokens / those of a step", styles.NUMBER
    )
    elapsed = "{steps}*{step_elapsed}/{use_speed}/{seconds_an_hour}"
    line(
        "hours",
        "Hours of a run",
        _known(f"{elapsed}+{{start_hours}}"),
        "hours",
        "Steps x time of a step + start",
        styles.NUMBER,
    )
    line("days", "Days of a run", _known("{hours}/{hours_a_day}"), "days", "Hours / 24", styles.RATE)
    line("gpu_hours", "GPU-hours of a run", _known("{hours}*{gpus}"), "GPU-hours", "Hours x GPUs", styles.NUMBER)
    line("runs_now", "Runs paid for", "={runs}*{use_runs}", "runs", "Inputs x the scenario's", styles.NUMBER)
    line(
        "all_hours",
        "GPU-hours of all runs",
        _known("{gpu_hours}*{runs_now}*(1+{evaluation_share})"),
        "GPU-hours",
        "x runs, with evaluation",
        styles.NUMBER,
    )
    page.section("Months of the way chosen")
    line("at", "Number of the way chosen", "=MATCH({tuning},{way.all},0)", "", "Inputs")
    hours = "INDEX({all_hours.all},{at.full})"
    line(
        "months_taken",
        "Months, one run after another",
        f"=IF(ISTEXT({hours}),1,MAX(1,ROUNDUP({hours}/{{gpus}}/{{hours_a_month}}-{{rounding}},0)))",
        "months",
        "GPU-hours / GPUs / hours of a month",
    )
    line(
        "months_now",
        "Months of the plan",
        '=IF({months}="",MIN({longest_plan},{months_taken}),{months})',
        "months",
        "Inputs, else as many as the runs take, at most 60",
    )


def _costs(page: LineSheet) -> None:
    page.section("Money")
    line = page.line
    line(
        "run_usd",
        "Training",
        _known("{gpu_hours}*{runs_now}*{price_now}*{gpu_rate.total}"),
        MONEY,
        "GPU-hours x runs x price, at the mean level and rate of Months",
        styles.NUMBER,
    )
    line(
        "evaluation_usd",
        "Evaluation",
        _known("{run_usd}*{evaluation_share}"),
        MONEY,
        "Share of training",
        styles.NUMBER,
    )
    examples = "{examples_now}*{usd_per_example}*{currency_rate.1}"
    line("data_usd", "Examples", _known(examples), MONEY, "Examples x price x first rate", styles.NUMBER)
    others = _known("{other_usd}*{share_rate.total}")
    line("beside_usd", "Other costs", others, MONEY, "Inputs x mean rate", styles.NUMBER)
    page.total(
        "usd",
        "Cost",
        _known("{run_usd}+{evaluation_usd}+{data_usd}+{beside_usd}"),
        MONEY,
        "Sum of the parts",
        styles.NUMBER,
    )
    line(
        "usd_per_example_seen",
        "Cost of an example",
        _known("{usd}/{examples_now}"),
        f"{MONEY}/example",
        "Cost / examples",
        styles.RATE,
    )
    line(
        "usd_per_mtok",
        "Cost of a million tokens",
        _known("{usd}/{tokens}*{million}"),
        f"{MONEY}/Mtok",
        "Cost / tokens",
        styles.RATE,
    )


def _energy(page: LineSheet) -> None:
    page.section("Energy and carbon")
    page.line(
        "energy_kwh",
        "Energy",
        _known("{all_hours}*{power}*(1+{host_share})*{pue}/{thousand}"),
        "kWh",
        "GPU-hours x power x (1 + host) x PUE",
        styles.NUMBER,
    )
    page.line(
        "co2e_kg",
        "Carbon, location-based",
        _known("{energy_kwh}*{grams}/{thousand}"),
        "kgCO2e",
        "Energy x grams",
        styles.NUMBER,
    )


def _range(page: LineSheet) -> None:
    page.section("If steps are as fast, or as slow, as 1 in 10 measurements, and providers as cheap, or as dear")
    for end, words in (("low", "fast"), ("high", "slow")):
        longer = f"({{hours}}-{{start_hours}})*(1+{{error_{end}}})+{{start_hours}}"
        page.line(
            f"hours_{end}",
            f"Hours of a run, {words}",
            _known(longer),
            "hours",
            "Steps x band, start apart",
            styles.NUMBER,
        )
        both = joint(end, f"{{hours_{end}}}/{{hours}}", f"IF({{price_low}}<{{price_high}},{{price_{end}}}/{{price}},1)")
        spread = f"{{data_usd}}+{{beside_usd}}+({{run_usd}}+{{evaluation_usd}})*{both}"
        page.line(f"usd_{end}", f"Cost, {end}", _known(spread), MONEY, "At those hours and prices", styles.NUMBER)


def _messages(page: LineSheet) -> None:
    page.section("The way chosen, and the titles of the charts")
    line = page.line
    line("n_fit", "Ways that fit", '=SUMPRODUCT(--({fits.all}="yes"))', "", "Ways")
    line("fitting_usd", "Cost where it fits", '=IF({fits}="yes",{usd},"")', MONEY, "Cost", styles.NUMBER)
    line(
        "cheapest",
        "The cheapest that fits",
        '=IF({n_fit}=0,"none",INDEX({way_name.all},MATCH(MIN({fitting_usd.all}),{fitting_usd.all},0)))',
        "",
        "Cost",
        styles.GENERAL,
    )
    memory = (
        '{n_fit.full}&" of "&COUNTA({way.all})&" ways fit in "&' + number_text("{usable.full}/2^30") + '&" GiB a GPU"'
    )
    page.statement("memory_message", "Memory", f"={memory}", "Ways")
    least = number_text("MIN({fitting_usd.all})")
    page.statement(
        "cost_message",
        "Cost",
        f'=IF({{n_fit.full}}=0,"No way fits",{{cheapest.full}}&" is the cheapest that fits: "&{least}&" {MONEY}")',
        "Money",
    )
