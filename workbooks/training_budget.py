"""Describes `training_budget.xlsx`: memory, time, money, energy and carbon of one training run in three cases."""

from __future__ import annotations

from training_budget_inputs import inputs
from training_budget_lines import ROUNDED, SHARE, calculation

from sizebook.workbooks import look
from sizebook.workbooks.building import CASES, Book
from sizebook.workbooks.pages import checks_page, cover, notes_page

FILE, TITLE = "training_budget.xlsx", "Training budget"
EXAMPLE = {
    "model": "llama-3.1-70b",
    "gpu": "h100-sxm",
    "gpus": 1024,
    "tokens": 15e12,
    "batch": 1024,
    "seq": 8192,
    "tp": 8,
    "pp": 4,
    "interleave": 4,
    "price_usd": 2.5,
    "grams_per_kwh": 369.473,
}
SIGNIFICANT = "[>=1000]#,##0;[>=10]#,##0.0;0.000"
FUNCTIONS = (
    "PARAMS_MODEL",
    "FLOPS_PER_TOKEN",
    "TRAIN_FLOPS",
    "GPU_SPEC",
    "TRAIN_MEMORY_BYTES",
    "STEP_SECONDS",
    "TRAIN_ERROR",
    "MFU",
    "CLUSTER_MTBF_HOURS",
    "CHECKPOINT_INTERVAL_SECONDS",
    "GOODPUT",
    "GPU_HOURS",
    "TRAIN_COST_USD",
    "TRAIN_ENERGY_KWH",
    "TRAIN_CO2E_KG",
    "MARKET_CO2E_KG",
    "EMBODIED_CO2E_KG",
)
NOTES = (
    "Cases: base is the predicted step time, low and high are the 10th and 90th percentile of measured over predicted "
    "step time on published runs that the fit had not seen. An MFU of your own replaces the prediction in its case.",
    "Memory: the fullest GPU, with flash attention and sequence parallelism. The allowance for CUDA and "
    "communication is "
    "part of it; what other processes hold on the GPU is not.",
    "FLOPs per token: the convention named on Inputs; the Conventions table shows what the others give.",
    "Energy: GPU power at work x (1 + host share) x PUE. Carbon is location-based; the market-based figure stands "
    "apart.",
    "Left out: failed experiments, evaluation runs, data preparation and staff, unless typed under other costs.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover(book, "What one training run needs: memory a GPU, days, dollars, MWh and tonnes, in three cases.")
    inputs(book)
    calculation(book)
    result(book)
    checks_page(book, CHECKS, CASES)
    notes_page(book, FUNCTIONS, NOTES)
    front()


def result(book: Book) -> None:
    page = book.page("Result", "The figures to hand on.", cases=("", ""), widths=(34, 28, 28, 28, 28), portrait=True)
    page.tiles(
        [
            ('="Days on "&TEXT({gpus},"#,##0")&" "&{gpu}', "={days}", ROUNDED, _between("days", "0.0")),
            ("Cost in USD", "={cost}", look.WHOLE, _between("cost", "#,##0")),
            ("Memory a GPU in GiB", "={memory}", ROUNDED, '="of "&TEXT({capacity},"0.0")&" GiB"'),
            ("Energy in MWh", "={energy}", look.WHOLE, _between("energy", "#,##0")),
            ("CO2e in tonnes", "={co2e}", look.WHOLE, _between("co2e", "#,##0")),
        ]
    )
    page.section("Three cases")
    page.table(
        ["Figure", "Low", "Base", "High", "Unit"],
        [[label, *(f"={{{key}.{case}}}" for case in CASES), unit] for key, label, unit in HEADLINES],
        [look.GENERAL, SIGNIFICANT, SIGNIFICANT, SIGNIFICANT, look.GENERAL],
    )
    page.section("Memory of the fullest GPU")
    parts = [[label, total, f"=({total[1:]})/{{memory}}"] for label, total in MEMORY_PARTS]
    rows = page.table(
        ["Component", "GiB", "Share"],
        [*parts, ["Needed", "={memory}", "=1"]],
        [look.GENERAL, look.DECIMAL, SHARE],
        total=True,
    )
    page.chart("bars", "{memory_message.low}", "GiB", ROUNDED, (rows[0], rows[1] - 1), "C")
    page.section("Cost by cause")
    causes = [(key, label) for key, label in COST_PARTS]
    rows = page.table(
        ["Cause", "Low, USD", "Base, USD", "High, USD"],
        [[label, *(f"={{{key}.{case}}}" for case in CASES)] for key, label in [*causes, ("cost", "Cost of the run")]],
        [look.GENERAL, look.WHOLE, look.WHOLE, look.WHOLE],
        total=True,
    )
    page.chart("columns", "{cost_message.low}", "USD", look.WHOLE, (rows[0], rows[1] - 1), "CDE")
    page.finish()


def _between(key: str, shown: str) -> str:
    return f'=TEXT({{{key}.low}},"{shown}")&" to "&TEXT({{{key}.high}},"{shown}")'


HEADLINES = (
    ("step", "Step", "seconds"),
    ("rate", "Tokens a second on a GPU", "tokens/s"),
    ("reached", "MFU", "ratio"),
    ("goodput", "Goodput", "ratio"),
    ("days", "Run", "days"),
    ("hours", "GPU-hours", "GPU-hours"),
    ("cost", "Cost", "USD"),
    ("energy", "Energy", "MWh"),
    ("co2e", "CO2e, location-based", "t"),
    ("co2e_market", "CO2e, market-based", "t"),
    ("co2e_embodied", "CO2e of making the hardware", "t"),
)
MEMORY_PARTS = (
    ("Weights", "={memory_weights}"),
    ("Gradients", "={memory_gradients}"),
    ("Optimizer states", "={memory_optimizer_states}+{memory_master_weights}"),
    ("Activations", "={memory_activations}"),
    ("Logits and loss", "={memory_loss}"),
    ("Buffers and context", "={memory_buffers}+{memory_fragmentation}+{memory_context}"),
)
COST_PARTS = (
    ("cost_work", "Productive steps"),
    ("cost_lost", "Checkpoints and failures"),
    ("cost_start", "Queueing and ramp-up"),
    ("cost_other", "Other costs"),
)
CHECKS = (
    ("It fits", "={spare}>=0", "Memory there is less memory needed"),
    ("GPUs are the product of the layout", "={dp}=INT({dp})", "GPUs / (tp pp cp) is whole"),
    ("The batch divides", "={micro_batches}=INT({micro_batches})", "batch / (dp micro_batch) is whole"),
    ("MFU is a share", "=AND({reached}>0,{reached}<1)", "0 < MFU < 1"),
    (
        "The causes add up to the cost",
        "=ABS({cost_work}+{cost_lost}+{cost_start}+{cost_other}-{cost})<=0.000001*{cost}",
        "Sum of the causes and TRAIN_COST_USD",
    ),
    (
        "Time follows from FLOPs",
        "=ABS({total_flops}/({gpus}*{peak}*{reached}*{goodput})+{start_hours}*3600-{seconds})<=0.000001*{seconds}",
        "FLOPs / (GPUs x peak x MFU x goodput) + start",
    ),
)
