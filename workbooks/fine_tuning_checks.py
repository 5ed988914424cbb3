"""The checks of `fine_tuning.xlsx`: parts and totals, independent routes, the plan of each way."""

from fine_tuning_lines import Runs

from sizebook.training.tuning import TUNINGS
from sizebook.workbooks.catalog_lookups import KNOWN_CHECK
from sizebook.workbooks.finance import RATES_HOLD
from sizebook.workbooks.text_formulas import all_equal, all_hold, nearly_equal

Check = tuple[str, ...]  # label, formula that is TRUE when all is well, what it compares, when it cannot be made


def checks(runs: Runs, plan: Runs) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (*_OF_WAYS, *_OF_MONEY, *_with_the_plan(plan), _names(runs))


def _every(*pairs: tuple[str, str]) -> str:
    """Return the condition that figures are equal in every way that could be planned."""
    return "=" + all_hold(
        f"IF(ISNUMBER({{step_elapsed.{way}}}),{nearly_equal(one.replace('@', way), other.replace('@', way))},TRUE)"
        for way in TUNINGS
        for one, other in pairs
    )


# Of months outside the plan the rate is 0, so the highest serves them.
_OF_WAYS: tuple[Check, ...] = (
    ("Every way is planned", "=COUNT({step_elapsed.all})=COUNTA({way.all})", "Ways: steps; else Why not says it"),
    ("The way chosen fits", '=INDEX({fits.all},{at.full})="yes"', "Ways"),
    (
        "What fits is what memory holds",
        '=SUMPRODUCT(--(({memory_bytes.all}<={usable.all})<>({fits.all}="yes")))=0',
        "Needed against there is",
    ),
    (
        "Adapters are those of their rank",
        "=AND({trained.lora}={trained.qlora},{trained.dora}={trained.qdora},{trained.lora}<{trained.dora},"
        "{trained.dora}<{trained.full})",
        "ADAPTER_PARAMS: quantised as not; magnitudes on top; fewer than the whole model",
    ),
    (
        "A step with failures is no shorter",
        _every(("MAX({step_elapsed.@},{step_seconds.@})", "{step_elapsed.@}")),
        "Ways",
    ),
)
_OF_MONEY: tuple[Check, ...] = (
    (
        "Tokens are those of the steps",
        _every(
            ("{steps.@}*{batch}*{seq}*(1-{padding.@})", "{tokens.@}"),
            ("{n_examples}*{use_examples.@}*{epochs}*{example_tokens_in.@}", "{tokens.@}"),
            ("{n_examples}*{use_examples.@}", "{examples_now.@}"),
        ),
        "Steps x tokens of a step less padding against examples x passes x tokens",
    ),
    ("GPU-hours are days and GPUs", _every(("{days.@}*{hours_a_day}*{gpus}", "{gpu_hours.@}")), "Money"),
    (
        "Parts add up to the cost",
        _every(
            (
                "{all_hours.@}*{price_now.@}*{gpu_rate.total}+{examples_now.@}*{usd_per_example}*{currency_rate.1}"
                "+{other_usd}*{share_rate.total}",
                "{usd.@}",
            )
        ),
        "All GPU-hours x price, examples and other costs against the sum of the parts",
    ),
    (
        "Cost an example, a token and in all agree",
        _every(
            ("{usd_per_example_seen.@}*{examples_now.@}", "{usd.@}"),
            ("{usd_per_mtok.@}*{tokens.@}/{million}", "{usd.@}"),
        ),
        "Money",
    ),
    (
        "The range holds the cost",
        "="
        + all_hold(
            f"IF(ISNUMBER({{usd.{way}}}),AND({{usd_low.{way}}}<={{usd.{way}}},{{usd.{way}}}<={{usd_high.{way}}}),TRUE)"
            for way in TUNINGS
        ),
        "Cost at both ends of the band",
    ),
    (
        "The cheapest is no dearer than any that fits",
        '=IF({n_fit.full}=0,TRUE,SUMPRODUCT(--({fits.all}="yes"),--({usd.all}<INDEX({usd.all},'
        "MATCH({cheapest.full},{way_name.all},0))))=0)",
        "Money",
    ),
    (
        "The case of the cover costs what Money says",
        "=" + nearly_equal("{cost_now}", "INDEX({usd.all},{at.full})"),
        "What-if, from drivers in one formula, against Money",
    ),
    (
        "The table at its middle is the plan",
        f"=IF(AND({{step_examples.3}}=1,{{step_price.2}}=1),{nearly_equal('{cost_two_3_2}', '{cost_now}')},TRUE)",
        "Two-way at steps of 1 against What-if; holds at other steps",
    ),
    (
        "Months add up to the way chosen",
        all_equal(
            *(
                (f"{{{month}.total}}", f"INDEX({{{way}.all}},{{at.full}})")
                for month, way in (
                    ("month_usd", "usd"),
                    ("month_hours", "all_hours"),
                    ("month_runs", "runs_now"),
                    ("month_kwh", "energy_kwh"),
                    ("month_kg", "co2e_kg"),
                )
            )
        ),
        "Cost, hours, runs, energy and carbon: Months against Money",
    ),
    (
        "Every month asked for is there",
        '=AND({on.total}={months_now.full},IF({months}="",{months_taken.full}<={longest_plan},TRUE))',
        "Months in the plan; no more than 60 where the runs say how many",
    ),
    (
        "Years add up to the whole",
        "=" + nearly_equal("SUM({month_usd_by_year.all})", "{month_usd.total}"),
        "Cost: Years against Months",
    ),
    (
        "Quarters add up to the whole",
        "=" + nearly_equal("SUM({month_usd_by_quarter.all})", "{month_usd.total}"),
        "Cost: Years against Months",
    ),
    (
        "The cost to date ends at the whole",
        "=" + nearly_equal("{usd_to_date.total}", "{month_usd.total}"),
        "Months: to date, total",
    ),
    *RATES_HOLD,
    KNOWN_CHECK,
    (
        "Price, power and grid are those of every way",
        "=AND(MAX({price_now.all})=MIN({price_now.all}),MAX({power.all})=MIN({power.all}),"
        "MAX({grams.all})=MIN({grams.all}))",
        "Money: one machine",
    ),
    (
        "A GPU-hour takes the same energy in every way",
        _every(("{energy_kwh.@}*{all_hours.full}", "{energy_kwh.full}*{all_hours.@}")),
        "Energy over GPU-hours",
    ),
    ("Energy carries its carbon", _every(("{co2e_kg.@}*{thousand}", "{energy_kwh.@}*{grams.@}")), "Money"),
)


def _with_the_plan(plan: Runs) -> tuple[Check, ...]:
    return tuple(_of_the_plan(plan, *each) for each in _PLANNED)


_ENERGY = "{gpu_hours.@}*{power.@}*(1+{host_share})*{pue}/{thousand}"
_PLANNED = (
    ("GPU-hours of a run are", "gpu_hours", "{gpu_hours.@}"),
    ("Cost of a run is", "cost_usd", "{gpu_hours.@}*{price.@}+{other_usd}"),
    ("Energy of a run is", "energy_kwh", _ENERGY),
    ("Carbon of a run is", "co2e_kg", f"{_ENERGY}*{{grams.@}}/{{thousand}}"),
    ("Days of a run are", "train_days", "{days.@}"),
)


def _of_the_plan(plan: Runs, label: str, name: str, own: str) -> Check:
    """Return the check of one figure of every way: all figures in one formula would be read by nobody."""
    cells = zip(TUNINGS, plan.each(name), strict=True)
    every = all_hold(
        f"IF(ISNUMBER({{step_elapsed.{way}}}),{nearly_equal(own.replace('@', way), cell)},TRUE)" for way, cell in cells
    )
    return (
        f"{label} the plan's",
        f'=IF({{scenario}}="base",{every},TRUE)',
        "One run of every way against TRAINING_TABLE; only in the scenario base",
        f"{plan.rows.block.missing}=1",
    )


def _names(runs: Runs) -> Check:
    return (
        "Figures are those of this workbook",
        f"={runs.rows.are_as_declared()}",
        "Names; another version may give others",
    )
