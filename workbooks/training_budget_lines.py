"""The lines of the calculation sheet of `training_budget.xlsx`, each a live formula in three cases."""

from __future__ import annotations

from sizebook.models.flops import CONVENTIONS
from sizebook.plans.training_memory import COMPONENTS
from sizebook.workbooks import look
from sizebook.workbooks.building import CASES, Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.shared_lines import chosen_model

ROUNDED, SHARE = "#,##0.0", look.PERCENT
LAYOUT = "{seq},{tp},{pp},{dp},{cp},{ep},{zero_stage},{micro_batch},{recompute},{interleave}"
COMPONENT_LABELS = {
    "weights": "Weights",
    "gradients": "Gradients",
    "master_weights": "Master weights",
    "optimizer_states": "Optimizer states",
    "activations": "Activations",
    "loss": "Logits and loss",
    "buffers": "Communication buffers",
    "fragmentation": "Allocator's share",
    "context": "CUDA and communication context",
}


def calculation(book: Book) -> None:
    page = book.page(
        "Calculation", "Every line is a live formula. Black: calculated here. Green: from another sheet.", CASES
    )
    page.heads("Quantity")
    work(page)
    memory(page)
    time(page)
    money(page)
    carbon(page)
    conventions(page)
    page.finish()


def work(page: Page) -> None:
    page.section("Work")
    chosen_model(page)
    page.line("parameters", "Parameters", "=PARAMS_MODEL({chosen})", "parameters", "PARAMS_MODEL(model), exact")
    page.line(
        "per_token",
        "FLOPs per token",
        '=IF({given_flops_per_token}="",FLOPS_PER_TOKEN({chosen},{seq},{convention}),{given_flops_per_token})',
        "FLOP/token",
        "FLOPS_PER_TOKEN(model, seq, convention)",
    )
    page.line(
        "total_flops", "FLOPs of the run", "=TRAIN_FLOPS({per_token},{tokens})", "FLOP", "TRAIN_FLOPS", "0.00E+00"
    )
    page.line("dp", "Data parallel", "={gpus}/({tp}*{pp}*{cp})", "", "GPUs / (tp pp cp)")
    page.line("micro_batches", "Micro-batches a step", "={batch}/({dp}*{micro_batch})", "", "batch / (dp micro_batch)")
    formats = 'IF({dtype}="mxfp8","fp8",IF({dtype}="nvfp4","fp4",{dtype}))'
    page.line(
        "peak",
        "Dense peak of a GPU",
        f'=GPU_SPEC({{gpu}},"peak_"&{formats}&"_flop_per_s")',
        "FLOP/s",
        "GPU_SPEC: data/hardware.csv",
        "0.00E+00",
    )


def memory(page: Page) -> None:
    page.section("Memory of the fullest GPU")
    for component in COMPONENTS:
        formula = f'=TRAIN_MEMORY_BYTES({{chosen}},{LAYOUT},{{optimizer}},{{stack}},"{component}",{{batch}})/2^30'
        page.line(
            f"memory_{component}",
            COMPONENT_LABELS[component],
            formula,
            "GiB",
            f"TRAIN_MEMORY_BYTES(..., {component})",
            look.DECIMAL,
        )
    page.line(
        "memory",
        "Needed",
        '=IF({given_memory_bytes}="",SUM({memory_weights:memory_context}),{given_memory_bytes}/2^30)',
        "GiB",
        "Sum of the components",
        look.DECIMAL,
        total=True,
    )
    page.line(
        "capacity",
        "There is",
        '=IFERROR(GPU_SPEC({gpu},"usable_memory_bytes"),0.99*GPU_SPEC({gpu},"memory_bytes"))/2^30',
        "GiB",
        "What the driver leaves; 99 % of the label where not measured",
        look.DECIMAL,
    )
    page.line(
        "spare",
        "Spare",
        "={capacity}-{memory}",
        "GiB",
        "Capacity less need; below zero it does not fit",
        look.DECIMAL,
    )


def time(page: Page) -> None:
    page.section("Time")
    arguments = f"{{chosen}},{{gpu}},{{batch}},{LAYOUT},{{dtype}},{{stack}}"
    page.line(
        "predicted",
        "Predicted step",
        f'=IF({{given_step_seconds}}="",STEP_SECONDS({arguments}),{{given_step_seconds}})',
        "seconds",
        "STEP_SECONDS(model, gpu, batch, layout)",
        "0.000",
    )
    page.line(
        "step",
        "Step",
        '=IF({given_mfu}="",{predicted}*{band},{batch}*{seq}*{per_token}/({gpus}*{peak}*{given_mfu}))',
        "seconds",
        "Predicted x band, or from the MFU given",
        "0.000",
    )
    page.line(
        "rate",
        "Tokens a second on a GPU",
        "={batch}*{seq}/{gpus}/{step}",
        "tokens/s",
        "batch seq / GPUs / step",
        ROUNDED,
    )
    page.line("reached", "MFU", "=MFU({rate},{per_token},{peak})", "ratio", "MFU(rate, FLOPs per token, peak)", SHARE)
    page.line(
        "mtbf",
        "Hours between failures of the cluster",
        "=CLUSTER_MTBF_HOURS({gpus},{gpu_mtbf_hours})",
        "hours",
        "CLUSTER_MTBF_HOURS",
        ROUNDED,
    )
    page.line(
        "interval",
        "A checkpoint every",
        "=CHECKPOINT_INTERVAL_SECONDS({checkpoint_seconds},{mtbf})/60",
        "minutes",
        "CHECKPOINT_INTERVAL_SECONDS (Daly)",
        ROUNDED,
    )
    page.line(
        "goodput",
        "Goodput",
        "=GOODPUT({mtbf},{checkpoint_seconds},{restart_seconds},{interval}*60)",
        "ratio",
        "GOODPUT: work / (work + checkpoints + lost work + restarts)",
        SHARE,
    )
    page.line(
        "seconds",
        "Run",
        "={tokens}/({batch}*{seq})*{step}/{goodput}+{start_hours}*3600",
        "seconds",
        "steps x step / goodput + start",
    )
    page.line("days", "Run", "={seconds}/86400", "days", "seconds / 86 400", ROUNDED, total=True)
    page.line("hours", "GPU-hours", "=GPU_HOURS({gpus},{seconds})", "GPU-hours", "GPU_HOURS(GPUs, seconds)")


def money(page: Page) -> None:
    page.section("Money")
    page.line(
        "price",
        "Price of a GPU-hour",
        '=IF({price_usd}="",PRICE_USD_PER_GPU_HOUR({gpu},"","",{term}),{price_usd})',
        "USD",
        "Given, or PRICE_USD_PER_GPU_HOUR(gpu, term)",
        look.DECIMAL,
    )
    page.line("cost_start", "Queueing and ramp-up", "={gpus}*{start_hours}*{price}", "USD", "GPUs x hours x price")
    page.line(
        "cost_work",
        "Productive steps",
        "=({hours}-{gpus}*{start_hours})*{goodput}*{price}",
        "USD",
        "GPU-hours that advance the run x price",
    )
    page.line(
        "cost_lost",
        "Checkpoints and failures",
        "=({hours}-{gpus}*{start_hours})*(1-{goodput})*{price}",
        "USD",
        "GPU-hours that do not x price",
    )
    page.line("cost_other", "Other costs", "={other_usd}", "USD", "Inputs")
    page.line(
        "cost",
        "Cost of the run",
        "=TRAIN_COST_USD({hours},{price},{other_usd})",
        "USD",
        "TRAIN_COST_USD(GPU-hours, price, other)",
        total=True,
    )
    page.line("cost_mtok", "Cost of a million tokens", "={cost}/{tokens}*10^6", "USD", "cost / tokens", "0.000")


def carbon(page: Page) -> None:
    page.section("Energy and carbon")
    page.line(
        "power",
        "Power of a GPU at work",
        '=IF({watts}="",GPU_SPEC({gpu},"tdp_watts"),{watts})',
        "watts",
        "Given, or GPU_SPEC: its TDP",
    )
    page.line(
        "energy",
        "Energy",
        "=TRAIN_ENERGY_KWH({hours},{power},{pue},{host_share})/1000",
        "MWh",
        "TRAIN_ENERGY_KWH",
        ROUNDED,
        total=True,
    )
    page.line(
        "grams",
        "Grams of CO2e per kWh",
        '=IF({grams_per_kwh}="",GRID_G_PER_KWH({grid}),{grams_per_kwh})',
        "g/kWh",
        "Given, or GRID_G_PER_KWH(grid)",
        ROUNDED,
    )
    page.line(
        "co2e",
        "CO2e, location-based",
        "=TRAIN_CO2E_KG({energy}*1000,{grams})/1000",
        "t",
        "TRAIN_CO2E_KG",
        ROUNDED,
        total=True,
    )
    page.line(
        "co2e_market",
        "CO2e, market-based",
        "=MARKET_CO2E_KG({energy}*1000,{covered_share},{grams})/1000",
        "t",
        "MARKET_CO2E_KG, apart from the above",
        ROUNDED,
    )
    page.line(
        "co2e_embodied",
        "CO2e of making the hardware",
        "=EMBODIED_CO2E_KG({hours})/1000",
        "t",
        "EMBODIED_CO2E_KG: share of its life, besides the above",
        ROUNDED,
    )


def conventions(page: Page) -> None:
    page.section("FLOPs per token under every convention")
    for name, meaning in CONVENTIONS.items():
        page.line(
            f"flops_{'six_nd' if name == '6nd' else name}",
            name,
            f'=FLOPS_PER_TOKEN({{chosen}},{{seq}},"{name}",IF({{recompute}}="full","full","none"))',
            "FLOP/token",
            meaning,
        )
    page.section("Titles of the charts")
    page.statement(
        "memory_message",
        "Title of the first chart",
        '=TEXT({memory},"0.0")&" of "&TEXT({capacity},"0.0")&" GiB are used on the fullest GPU"',
        "Needed and there is",
    )
    page.statement(
        "cost_message",
        "Title of the second chart",
        '="The run costs $"&TEXT({cost.low}/10^6,"0.0")&" M to $"&TEXT({cost.high}/10^6,"0.0")&" M"',
        "Cost of the run, low and high",
    )
