"""The lines of the calculation sheet of `training_budget.xlsx`: the plan's middle case by single functions."""

from __future__ import annotations

from sizebook.core.registry import leaves
from sizebook.models.flops import CONVENTIONS
from sizebook.training.memory import COMPONENTS, Memory
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.page import Page, new_page
from sizebook.workbooks.references import text
from sizebook.workbooks.wording import usd, worded

FLOPS = "0.00E+00"


def calculation(book: Book) -> None:
    """Add the sheet of the calculation."""
    page = new_page(
        book, "Calculation", "The middle case of the plan, derived by single functions. Every line is live."
    )
    page.heads("Quantity")
    _work(page)
    _memory(page)
    _time(page)
    _money(page)
    _carbon(page)
    _conventions(page)
    _messages(page)
    page.finish()


def _work(page: Page) -> None:
    book = page.book
    page.section("Work")
    page.line("parameters", "Parameters", f"={book.call('PARAMS_MODEL')}", "parameters", "PARAMS_MODEL, exact")
    # Flash attention keeps no scores, so that recomputing them alone is no recomputation.
    page.line(
        "recomputed", "Recomputed in the backward pass",
        '=IF(AND({plan_recomputation}="selective",{flash_attention}<>"no"),"none",{plan_recomputation})', "",
        "Plan; scores alone are not, with flash attention", look.GENERAL,
    )  # fmt: skip
    whole = book.call("FLOPS_PER_TOKEN", recompute="{recomputed}")
    adapters = book.call("FLOPS_PER_TOKEN_LORA", lora_rank="MAX(1,{plan_lora_rank})")
    page.line(
        "per_token", "FLOPs per token",
        f'=IF({{plan_lora_rank}}=0,{whole},IF({{flops_convention}}="hardware",{{plan_flops_per_token}},{adapters}))',
        "FLOP/token", "FLOPS_PER_TOKEN, of adapters FLOPS_PER_TOKEN_LORA; with recomputation of theirs: Plan",
    )  # fmt: skip
    total = book.call("TRAIN_FLOPS", flops_per_token="{per_token}", tokens="{tokens}/(1-{plan_padding_share})")
    page.line("total_flops", "FLOPs of the run", f"={total}", "FLOP", "TRAIN_FLOPS, padding included", FLOPS)
    degrees = "MAX(1,{tp})*MAX(1,{pp})*MAX(1,{cp})"
    page.line("product", "GPUs of the layout", f"={degrees}*{{plan_dp}}", "GPUs", "tp x pp x cp x dp")
    page.line(
        "micro_batches", "Micro-batches a step", "={batch}/({plan_dp}*MAX(1,{micro_batch}))", "",
        "batch / (dp x micro_batch)",
    )  # fmt: skip


def _memory(page: Page) -> None:
    page.section("Memory of the fullest GPU")
    labels = {leaf.name: leaf.label for leaf in leaves(Memory)}
    for component in COMPONENTS:
        needed = page.book.call("TRAIN_MEMORY_BYTES", component=text(component), fits_on="{gpu}")
        page.line(
            f"memory_{component}", labels[component], f"={needed}", "bytes", f"TRAIN_MEMORY_BYTES(..., {component})"
        )
    page.total("memory", "Needed", "=SUM({memory_weights:memory_context})", "bytes", "Sum of the components")
    page.line("spare", "Free", "={plan_capacity}-{memory}", "bytes", "Plan: what there is, less what is needed")


def _time(page: Page) -> None:
    book = page.book
    page.section("Time")
    page.line(
        "given_share", "MFU of your own",
        '=IF({mfu}<>"",{mfu},IF({achieved_tflops}<>"",{achieved_tflops}*10^12/{plan_peak_flop_per_s},"none"))', "ratio",
        "Inputs, or TFLOP/s over the dense peak", look.PERCENT,
    )  # fmt: skip
    given = "{batch}*{seq}*{per_token}/({gpus}*{plan_peak_flop_per_s}*{given_share})"
    page.line(
        "step", "Step time", f"=IF(ISNUMBER({{given_share}}),{given},{book.call('STEP_SECONDS')})", "seconds",
        "STEP_SECONDS, or FLOPs of a step over those that the MFU of your own does", look.NUMBER,
    )  # fmt: skip
    page.line(
        "rate", "Tokens per second and GPU", "={batch}*{seq}/{gpus}/{plan_step_seconds.middle}", "tokens/s",
        "batch x seq / GPUs / step of the plan", look.NUMBER,
    )  # fmt: skip
    reached = book.call(
        "MFU", tokens_per_s_per_gpu="{rate}", flops_per_token="{per_token}", peak_flop_per_s="{plan_peak_flop_per_s}"
    )
    page.line("reached", "MFU", f"={reached}", "ratio", "MFU of that rate", look.PERCENT)
    page.line(
        "mtbf", "Hours between failures of the cluster", f"={book.call('CLUSTER_MTBF_HOURS')}", "hours",
        "CLUSTER_MTBF_HOURS", look.NUMBER,
    )  # fmt: skip
    interval = book.call("CHECKPOINT_INTERVAL_SECONDS", mtbf_hours="{mtbf}")
    page.line(
        "interval", "A checkpoint every", f"={interval}", "seconds", "CHECKPOINT_INTERVAL_SECONDS (Daly)", look.NUMBER
    )
    advancing = book.call("GOODPUT", mtbf_hours="{mtbf}", interval_seconds="{interval}")
    page.line("advancing", "Goodput", f"={advancing}", "ratio", "GOODPUT", look.PERCENT)
    _whole_run(page)


def _whole_run(page: Page) -> None:
    book = page.book
    days = book.call(
        "TRAIN_DAYS", n_flops="{total_flops}", peak_flop_per_s="{plan_peak_flop_per_s}", utilization="{reached}",
        goodput="{advancing}",
    )  # fmt: skip
    page.line("days", "Training days", f"={days}+{{start_hours}}/24", "days", "TRAIN_DAYS + start", look.NUMBER)
    hours = book.call("GPU_HOURS", seconds="{days}*86400")
    page.total("hours", "GPU-hours", f"={hours}", "GPU-hours", "GPU_HOURS", look.NUMBER)


def _money(page: Page) -> None:
    book = page.book
    page.section("Money")
    page.line(
        "price", "GPU-hour", "={plan_price_usd_per_gpu_hour}", "USD/GPU-hour", "Plan: as given, else looked up",
        look.RATE,
    )  # fmt: skip
    start, steps = "{gpus}*{start_hours}", "({hours}-{gpus}*{start_hours})"
    for key, label, hours, origin in (
        ("cost_work", "Productive steps", f"{steps}*{{advancing}}", "GPU-hours that advance the run x price"),
        ("cost_lost", "Checkpoints and failures", f"{steps}*(1-{{advancing}})", "GPU-hours that do not x price"),
        ("cost_start", "Start-up", start, "GPUs x hours x price"),
    ):
        page.line(key, label, f"={hours}*{{price}}", "USD", origin, look.NUMBER)
    page.line("cost_other", "Other costs", "={other_usd}", "USD", "Inputs", look.NUMBER)
    cost = book.call("TRAIN_COST_USD", gpu_hours="{hours}", price_usd_per_gpu_hour="{price}")
    page.total("cost", "Cost of the run", f"={cost}", "USD", "TRAIN_COST_USD", look.NUMBER)
    page.line(
        "whole_hours", "GPU-hours of the whole run", f"={steps}*{{plan_programme_factor}}+{start}", "GPU-hours",
        "GPU-hours x the factor on Plan, start-up once", look.NUMBER,
    )  # fmt: skip
    page.line("whole_days", "Days of the whole run", "={whole_hours}/{gpus}/24", "days", "GPU-hours / GPUs", look.RATE)
    whole = book.call("TRAIN_COST_USD", gpu_hours="{whole_hours}", price_usd_per_gpu_hour="{price}")
    page.line("whole_cost", "Cost of the whole run", f"={whole}", "USD", "TRAIN_COST_USD", look.NUMBER)
    page.line("cost_mtok", "Cost of a million tokens", "={cost}/{tokens}*10^6", "USD", "Cost / tokens", look.RATE)


def _carbon(page: Page) -> None:
    book = page.book
    page.section("Energy and carbon")
    energy = book.call("TRAIN_ENERGY_KWH", gpu_hours="{hours}", watts="{plan_watts}")
    page.total("energy", "Energy", f"={energy}", "kWh", "TRAIN_ENERGY_KWH", look.NUMBER)
    located = book.call("TRAIN_CO2E_KG", energy_kwh="{energy}", grams_per_kwh="{plan_grams_per_kwh}")
    page.total("co2e", "CO2e, location-based", f"={located}", "kg", "TRAIN_CO2E_KG", look.NUMBER)
    contracted = book.call(
        "MARKET_CO2E_KG", energy_kwh="{energy}", residual_grams_per_kwh="{plan_residual_grams_per_kwh}"
    )
    page.line(
        "co2e_market", "CO2e, market-based", f'=IF({{covered_share}}="","not stated",{contracted})', "kg",
        "MARKET_CO2E_KG, apart from the above; needs the energy under contracts", look.NUMBER,
    )  # fmt: skip
    made = book.call("EMBODIED_CO2E_KG", gpu_hours="{hours}")
    page.line(
        "co2e_embodied", "CO2e of making the hardware", f"={made}", "kg",
        "EMBODIED_CO2E_KG: share of its life, besides the above", look.NUMBER,
    )  # fmt: skip


def _conventions(page: Page) -> None:
    page.section("FLOPs per token of training the whole model, under every convention")
    for name, meaning in CONVENTIONS.items():
        found = page.book.call("FLOPS_PER_TOKEN", flops_convention=text(name), recompute="{recomputed}")
        page.line(f"flops_{'six_nd' if name == '6nd' else name}", name, f"={found}", "FLOP/token", meaning)


def _messages(page: Page) -> None:
    page.section("Titles of the charts")
    page.statement(
        "memory_message", "Memory",
        f'={worded("{plan_total}/2^30")}&" of "&{worded("{plan_capacity}/2^30")}&" GiB are used on the fullest GPU"',
        "Plan",
    )  # fmt: skip
    low, middle, high = (usd(f"{{plan_cost_usd.{case}}}") for case in ("low", "middle", "high"))
    page.statement(
        "cost_message", "Cost",
        f'="The run costs "&IF(ISNUMBER({{given_share}}),{middle}&" at the MFU given",{low}&" to "&{high})', "Cases",
    )  # fmt: skip
