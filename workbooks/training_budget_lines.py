"""The lines of the calculation sheet of `training_budget.xlsx`: one step derived again by single functions."""

from sizebook.core.sections import leaves
from sizebook.models.flops import CONVENTIONS
from sizebook.plans.training.case import NAMES
from sizebook.training.memory import COMPONENTS, Memory
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY
from sizebook.workbooks.finance import MEAN_RATE
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.references import text
from sizebook.workbooks.text_formulas import count_with_unit, money_text, number_text

FLOPS = "0.00E+00"


def calculation(page: LineSheet) -> None:
    """Add the calculation to the plan that it starts from."""
    page.part("Calculation", "One step derived again by single functions, and the time of the run from its FLOPs.")
    page.heads("Quantity")
    _work(page)
    _memory(page)
    _time(page)
    _conventions(page)
    _whole_run(page)
    _messages(page)
    page.finish()


def _work(page: LineSheet) -> None:
    book = page.book
    page.section("Work")
    page.line("parameters", "Parameters", f"={book.call('PARAMS_MODEL')}", "parameters", "PARAMS_MODEL, exact")
    # Flash attention keeps no scores, so that recomputing them alone is no recomputation.
    page.line(
        "recomputed",
        "Recomputed in the backward pass",
        '=IF(AND({plan_recomputation}="selective",{flash_attention}<>"no"),"none",{plan_recomputation})',
        "",
        "Plan; scores alone are not, with flash attention",
        styles.GENERAL,
    )
    whole = book.call("FLOPS_PER_TOKEN", recompute="{recomputed}")
    adapters = book.call("FLOPS_PER_TOKEN_LORA", lora_rank="MAX(1,{plan_lora_rank})")
    page.line(
        "per_token",
        "FLOPs per token",
        f'=IF({{plan_lora_rank}}=0,{whole},IF({{flops_convention}}="hardware",{{plan_flops_per_token}},{adapters}))',
        "FLOP/token",
        "FLOPS_PER_TOKEN, of adapters FLOPS_PER_TOKEN_LORA; with recomputation of theirs: Plan",
    )
    page.line(
        "total_flops",
        "FLOPs of the run",
        "={tokens_now}/(1-{plan_padding_share})*{per_token}",
        "FLOP",
        "Tokens, padding included, x FLOPs per token",
        FLOPS,
    )
    degrees = "MAX(1,{tp})*MAX(1,{pp})*MAX(1,{cp})"
    page.line("product", "GPUs of the layout", f"={degrees}*{{plan_dp}}", "GPUs", "tp x pp x cp x dp")
    page.line(
        "micro_batches",
        "Micro-batches a step",
        "={batch}/({plan_dp}*MAX(1,{micro_batch}))",
        "",
        "batch / (dp x micro_batch)",
    )


def _memory(page: LineSheet) -> None:
    page.section("Memory of the fullest GPU")
    labels = {leaf.name: leaf.label for leaf in leaves(Memory)}
    for component in COMPONENTS:
        needed = page.book.call("TRAIN_MEMORY_BYTES", component=text(component), fits_on="{gpu}")
        page.line(
            f"memory_{component}", labels[component], f"={needed}", "bytes", f"TRAIN_MEMORY_BYTES(..., {component})"
        )
    page.total("memory", "Needed", "=SUM({memory_weights:memory_context})", "bytes", "Sum of the components")
    page.line("spare", "Free", "={plan_capacity}-{memory}", "bytes", "Plan: what there is, less what is needed")


def _time(page: LineSheet) -> None:
    book = page.book
    page.section("Time")
    page.line(
        "given_share",
        "MFU of your own",
        '=IF({mfu}<>"",{mfu},IF({achieved_tflops}<>"",{achieved_tflops}*{million}*{million}/{plan_peak_flop_per_s},"none"))',
        "ratio",
        "Inputs, or TFLOP/s over the dense peak",
        styles.PERCENT,
    )
    given = "{batch}*{seq}*{per_token}/({gpus}*{plan_peak_flop_per_s}*{given_share})"
    page.line(
        "step",
        "Step time, predicted",
        f"=IF(ISNUMBER({{given_share}}),{given},{book.call('STEP_SECONDS')})",
        "seconds",
        "STEP_SECONDS, or FLOPs of a step over those that the MFU of your own does",
        styles.NUMBER,
    )
    page.line(
        "rate",
        "Tokens per second and GPU",
        "={batch}*{seq}/{gpus}/{plan_step_seconds.middle}",
        "tokens/s",
        "batch x seq / GPUs / step of the plan",
        styles.NUMBER,
    )
    page.line(
        "reached",
        "MFU",
        "={rate}*{per_token}/{plan_peak_flop_per_s}",
        "ratio",
        "That rate x FLOPs per token / peak",
        styles.PERCENT,
    )
    page.line(
        "mtbf",
        "Hours between failures of the cluster",
        f"={book.call('CLUSTER_MTBF_HOURS')}",
        "hours",
        "CLUSTER_MTBF_HOURS",
        styles.NUMBER,
    )
    interval = book.call("CHECKPOINT_INTERVAL_SECONDS", mtbf_hours="{mtbf}")
    page.line(
        "interval", "A checkpoint every", f"={interval}", "seconds", "CHECKPOINT_INTERVAL_SECONDS (Daly)", styles.NUMBER
    )
    advancing = book.call("GOODPUT", mtbf_hours="{mtbf}", interval_seconds="{interval}")
    page.line("advancing", "Goodput", f"={advancing}", "ratio", "GOODPUT", styles.PERCENT)
    steady = "{total_flops}/({gpus}*{plan_peak_flop_per_s}*{reached}*{advancing})/{seconds_a_day}"
    page.line(
        "days",
        "Training days",
        f"={steady}+{{start_hours}}/{{hours_a_day}}",
        "days",
        "FLOPs / (GPUs x peak x MFU x goodput) + start",
        styles.NUMBER,
    )
    page.total("hours", "GPU-hours", "={days}*{hours_a_day}*{gpus}", "GPU-hours", "Days x GPUs", styles.NUMBER)


def _conventions(page: LineSheet) -> None:
    page.section("FLOPs per token of training the whole model, under every convention")
    for name, meaning in CONVENTIONS.items():
        found = page.book.call("FLOPS_PER_TOKEN", flops_convention=text(name), recompute="{recomputed}")
        page.line(f"flops_{'six_nd' if name == '6nd' else name}", name, f"={found}", "FLOP/token", meaning)


def _whole_run(page: LineSheet) -> None:
    """Add each case's cost in the currency and as a text, once: in the title of its chart nobody could read them."""
    page.section("Cost of the whole run")
    for case in NAMES:
        amount = f"={{plan_programme_cost_usd.{case}}}*{MEAN_RATE}"
        page.line(f"whole_{case}", f"Cost, {case}", amount, MONEY, "Cases x mean rate of Months", styles.NUMBER)
    for case in NAMES:
        said = f"={money_text(f'{{whole_{case}}}')}"
        page.line(f"whole_{case}_text", f"Cost, {case}, as text", said, "", "As above", styles.GENERAL)


def _messages(page: LineSheet) -> None:
    page.section("Titles of the charts")
    page.statement(
        "memory_message",
        "Memory",
        f'={number_text("{plan_total}/2^30")}&" of "&{number_text("{plan_capacity}/2^30")}&" GiB are '
        'used on the fullest GPU"',
        "Plan",
    )
    low, middle, high = (f"{{whole_{case}_text}}" for case in NAMES)
    page.statement(
        "cost_message",
        "Cost by cause",
        f'="The whole run costs "&IF({low}={high},{middle}&" at the MFU given",{low}&" to "&{high})',
        "As above",
    )
    page.statement(
        "months_message",
        "Cost by month",
        f'={money_text("{month_usd.total}")}&" over "&{count_with_unit("{months}", "month")}',
        "Months",
    )
