"""Describes `training_budget.xlsx`: memory, time, money, energy and carbon of one training run in three cases."""

from __future__ import annotations

from training_budget_lines import ROUNDED, SHARE, calculation

from sizebook.formulas.hardware import accelerators
from sizebook.formulas.prices import TERMS
from sizebook.formulas.training_memory import optimizer_keys
from sizebook.models.flops import CONVENTIONS
from sizebook.plans.layout import RECOMPUTE
from sizebook.plans.training_memory import stack_keys
from sizebook.plans.training_time import FORMATS
from sizebook.workbooks import look
from sizebook.workbooks.building import CASES, Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.pages import checks_page, cover, model_input, notes_page

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


def inputs(book: Book) -> None:
    page = book.page(
        "Inputs", "Change the pale yellow cells only. Solid border: must be set. Dashed: may stay as it is.", CASES
    )
    page.heads("Input", origin="What to enter")
    run_inputs(page)
    layout_inputs(page)
    time_inputs(page)
    money_inputs(page)
    page.section("This copy")
    page.input("title", "Title", "Training budget", "", "Stands on the cover.", look.TEXT)
    page.input("as_of", "Date", None, "", "The day for which the figures are given. Blank: not stated.", look.DATE)
    page.finish()


def run_inputs(page: Page) -> None:
    book = page.book
    page.section("Run")
    model_input(page)
    page.input(
        "gpu",
        "Accelerator",
        "h100-sxm",
        "",
        "Choose from the list; form factor included.",
        required=True,
        choices=book.choices("Accelerators", tuple(accelerators())),
    )
    page.input(
        "gpus", "Accelerators of the run", 1024, "GPUs", "tp x pp x cp must divide it.", look.WHOLE, required=True
    )
    page.input(
        "tokens",
        "Tokens to train on",
        15e12,
        "tokens",
        "May differ between cases.",
        look.WHOLE,
        required=True,
        per_case=True,
    )
    page.input("seq", "Tokens in a sequence", 4096, "tokens", "Context length of training.", look.WHOLE)
    page.input(
        "batch",
        "Sequences in a step",
        1024,
        "sequences",
        "Over all GPUs; a multiple of dp x micro-batch.",
        look.WHOLE,
        required=True,
    )
    page.input(
        "dtype",
        "Format that matrices multiply in",
        "bf16",
        "",
        "Choose from the list.",
        choices=book.choices("Formats", FORMATS),
    )
    page.input(
        "convention",
        "FLOPs convention",
        "matmul",
        "",
        "Choose from the list; see Notes.",
        choices=book.choices("Conventions", tuple(CONVENTIONS)),
    )


def layout_inputs(page: Page) -> None:
    book = page.book
    page.section("Layout")
    for name, label, meaning in (
        ("tp", "Tensor parallel", "Inside one node; divides the heads."),
        ("pp", "Pipeline stages", "At most the number of layers."),
        ("cp", "Context parallel", "Splits the sequence."),
        ("ep", "Expert parallel", "Divides the experts."),
        ("interleave", "Chunks a stage (interleaving)", "1: plain 1F1B."),
        ("zero_stage", "ZeRO stage", "0 none, 1 optimizer, 2 gradients too, 3 weights too (FSDP)."),
        ("micro_batch", "Sequences in a micro-batch", "On one GPU."),
    ):
        page.input(name, label, 1, "", meaning, look.WHOLE)
    page.input(
        "recompute",
        "Recomputation",
        "none",
        "",
        "Choose from the list.",
        choices=book.choices("Recomputation", RECOMPUTE),
    )
    page.input(
        "optimizer",
        "Optimizer",
        "adamw",
        "",
        "Choose from the list.",
        choices=book.choices("Optimizers", optimizer_keys()),
    )
    page.input(
        "stack",
        "Training framework",
        "megatron",
        "",
        "Choose from the list.",
        choices=book.choices("Frameworks", stack_keys()),
    )


def time_inputs(page: Page) -> None:
    page.section("Time")
    page.input(
        "given_mfu", "MFU of your own", None, "ratio", "Blank: predicted, with the band below.", SHARE, per_case=True
    )
    page.input(
        "band",
        "Step time over predicted",
        1,
        "ratio",
        "TRAIN_ERROR: published runs the fit had not seen.",
        "0.00",
        per_case=("=TRAIN_ERROR(10)", "=TRAIN_ERROR(90)"),
    )
    page.input(
        "gpu_mtbf_hours",
        "Hours between failures of a GPU",
        50000,
        "hours",
        "Llama 3: 419 in 54 days on 16 384.",
        look.WHOLE,
    )
    page.input(
        "checkpoint_seconds",
        "A checkpoint stops the run for",
        30,
        "seconds",
        "Asynchronous: the stall only.",
        look.WHOLE,
    )
    page.input("restart_seconds", "A restart takes", 600, "seconds", "From failure to training again.", look.WHOLE)
    page.input("start_hours", "Queueing and ramp-up", 0, "hours", "Paid once.", ROUNDED)
    page.input(
        "given_step_seconds", "Step time of your own", None, "seconds", "Blank: predicted from the layout.", "0.000"
    )
    page.input(
        "given_memory_bytes", "Memory a GPU of your own", None, "bytes", "Blank: computed from the layout.", look.WHOLE
    )
    page.input(
        "given_flops_per_token",
        "FLOPs per token of your own",
        None,
        "FLOP/token",
        "Blank: counted; give it for adapters.",
        look.WHOLE,
    )


def money_inputs(page: Page) -> None:
    book = page.book
    page.section("Money")
    page.input(
        "price_usd",
        "Price of a GPU-hour",
        None,
        "USD",
        "Blank: median of data/prices.csv.",
        look.DECIMAL,
        per_case=True,
    )
    page.input(
        "term", "Term of that median", "on_demand", "", "Choose from the list.", choices=book.choices("Terms", TERMS)
    )
    page.input(
        "price_basis", "What the price is based on", None, "", "Provider, term and date, for the reader.", look.TEXT
    )
    page.input("other_usd", "Other costs", 0, "USD", "Storage, traffic, staff.", look.WHOLE, per_case=True)
    page.section("Energy and carbon")
    page.input("watts", "Power of a GPU at work", None, "watts", "Blank: its TDP.", look.WHOLE)
    page.input("pue", "PUE", 1.2, "ratio", "Facility power over IT power.", "0.00", per_case=True)
    page.input(
        "host_share", "Host and network over GPU power", 0.3, "ratio", "0.30 measured at the wall of 8 x B200.", SHARE
    )
    page.input("grid", "Region of the grid", "usa", "", "Country code or aws:, gcp:, azure: region.", look.TEXT)
    page.input("grams_per_kwh", "Grams of CO2e per kWh", None, "g/kWh", "Blank: that region's.", ROUNDED, per_case=True)
    page.input("covered_share", "Energy under contracts", 0, "ratio", "For the market-based figure.", SHARE)


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
