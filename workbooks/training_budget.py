"""Describes `training_budget.xlsx`: a model, tokens and a cluster in; memory, days, money, energy and carbon out."""

from __future__ import annotations

from sizebook.formulas.grid import grid_keys
from sizebook.formulas.prices import TERMS
from sizebook.formulas.training_memory import optimizer_keys
from sizebook.models.flops import CONVENTIONS
from sizebook.plans.layout import RECOMPUTE
from sizebook.plans.training_memory import COMPONENTS, stack_keys
from sizebook.plans.training_time import FORMATS
from sizebook.tables import table
from sizebook.workbooks import look
from sizebook.workbooks.building import CASES, Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.pages import checks_page, chosen_model, cover, model_input, notes_page

FILE, TITLE = "training_budget.xlsx", "Training budget"
EXAMPLE = {
    "title": "Llama 3.1 8B on 1 T tokens, 256 H100",
    "model": "llama-3.1-8b",
    "gpu": "h100-sxm",
    "gpus": 256,
    "tokens": 1e12,
    "batch": 1024,
}
LABELS = {
    "weights": "Weights",
    "gradients": "Gradients",
    "master_weights": "Master weights",
    "optimizer_states": "Optimizer states",
    "activations": "Activations",
    "loss": "Logits and loss",
    "buffers": "Buffers",
    "fragmentation": "Fragmentation",
    "context": "CUDA context",
}
FUNCTIONS = (
    "PARAMS_MODEL",
    "PARAMS_ACTIVE",
    "FLOPS_PER_TOKEN",
    "TRAIN_FLOPS",
    "TRAIN_MEMORY_BYTES",
    "STEP_SECONDS",
    "TRAIN_ERROR",
    "CLUSTER_MTBF_HOURS",
    "CHECKPOINT_INTERVAL_SECONDS",
    "GOODPUT",
    "TRAIN_SECONDS",
    "GPU_HOURS",
    "PRICE_USD_PER_GPU_HOUR",
    "TRAIN_COST_USD",
    "TRAIN_ENERGY_KWH",
    "GRID_G_PER_KWH",
    "TRAIN_CO2E_KG",
    "EMBODIED_CO2E_KG",
    "GPU_SPEC",
)
NOTES = (
    "Low is the case of least cost, high of most. With the MFU left blank, time is predicted from the layout, and low "
    "and high are the ends of the band that published runs left around the prediction (TRAIN_ERROR).",
    "Memory is that of the fullest GPU of the layout, with flash attention and sequence parallelism.",
    "Money: GPU-hours at one price, and whatever else is given. Left out: staff, data, failed and exploratory runs.",
    "Carbon: operational emissions by the grid's average (location-based); the making of the hardware apart.",
    "The data-parallel degree is what is left of the GPUs after tensor, pipeline and context parallelism.",
    "CUDA context: with the framework's own memory. Fragmentation: what the allocator holds beyond what is in use.",
    *(f"Convention {name}: {meaning}." for name, meaning in CONVENTIONS.items()),
)
_LAYOUT = "{tp},{pp},{dp},{cp},{ep},{zero_stage},{micro_batch},{recompute},{interleave}"


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover(
        book, "What it takes to train a published model on a cluster: memory, days, money, energy and carbon."
    )
    inputs(book)
    calculation(book)
    result(book)
    checks_page(book, CHECKS, CASES)
    notes_page(book, FUNCTIONS, NOTES)
    front()


def inputs(book: Book) -> None:
    page = book.page(
        "Inputs",
        "Change the pale yellow cells only. Solid border: must be set. Low is the case of least cost, high of most.",
        CASES,
    )
    page.heads("Input", origin="What to enter")
    _model_inputs(page)
    _layout_inputs(page)
    _operation_inputs(page)
    _cost_inputs(page)
    page.section("This copy")
    page.input("title", "Title", "Training budget", "", "Stands on the cover.", look.TEXT)
    page.input("as_of", "Date", None, "", "The day for which the figures are given. Blank: not stated.", look.DATE)
    page.finish()


def _model_inputs(page: Page) -> None:
    book = page.book
    gpus = [row["key"] for row in table("hardware")]
    page.section("Model and data")
    model_input(page)
    page.input(
        "tokens",
        "Training tokens",
        1e12,
        "tokens",
        "All that the model reads.",
        look.WHOLE,
        required=True,
        per_case=True,
    )
    page.input("seq", "Sequence length", 4096, "tokens", "Tokens in one sequence.", look.WHOLE)
    page.input("batch", "Batch", 1024, "sequences", "Sequences in one optimizer step.", look.WHOLE, required=True)
    page.input(
        "convention", "Convention for FLOPs", "matmul", "", "Which FLOPs count: see Notes.",
        choices=book.choices("Conventions", list(CONVENTIONS)),
    )  # fmt: skip
    page.section("Cluster")
    page.input(
        "gpu", "GPU", "h100-sxm", "", "A key of data/hardware.csv.", required=True, choices=book.choices("GPUs", gpus)
    )
    page.input("gpus", "Number of GPUs", 256, "GPUs", "In the whole cluster.", look.WHOLE, required=True)


def _layout_inputs(page: Page) -> None:
    book = page.book
    page.section("Layout")
    for name, label, origin in (
        ("tp", "Tensor parallel", "GPUs that share every matrix."),
        ("pp", "Pipeline stages", "Groups of layers."),
        ("cp", "Context parallel", "GPUs that share a sequence."),
        ("ep", "Expert parallel", "GPUs that share the experts."),
        ("interleave", "Interleaving", "Model chunks a pipeline stage holds."),
        ("zero_stage", "ZeRO stage", "0 to 3."),
        ("micro_batch", "Micro-batch", "Sequences at a time."),
    ):
        page.input(name, label, 1, "", origin, look.WHOLE)
    for name, label, value, choices in (
        ("recompute", "Recomputation", "none", RECOMPUTE),
        ("dtype", "Format of the matrices", "bf16", FORMATS),
        ("optimizer", "Optimizer", "adamw", optimizer_keys()),
        ("stack", "Framework", "megatron", stack_keys()),
    ):
        page.input(name, label, value, "", "Choose from the list.", choices=book.choices(label, list(choices)))


def _operation_inputs(page: Page) -> None:
    page.section("Speed and interruptions", new_page=True)
    page.input(
        "mfu", "Model FLOPs utilisation", None, "ratio", "Measured or promised. Blank: predicted from the layout.",
        look.PERCENT, per_case=True,
    )  # fmt: skip
    for name, label, value, unit, origin in (
        ("gpu_mtbf_hours", "Hours between failures of one GPU", 50_000, "hours", "Llama 3: about 50,000."),
        ("checkpoint_seconds", "Checkpoint", 30, "seconds", "How long one stops the run."),
        ("restart_seconds", "Restart", 600, "seconds", "After a failure."),
        ("start_hours", "Start", 0, "hours", "Queueing and ramp-up, paid once."),
    ):
        page.input(name, label, value, unit, origin, look.WHOLE, per_case=True)


def _cost_inputs(page: Page) -> None:
    book = page.book
    providers = sorted({row["provider"] for row in table("prices")})
    page.section("Money")
    page.input(
        "price_usd_per_gpu_hour", "Price", None, "USD/GPU-hour", "Blank: the median of the catalog below.",
        look.DECIMAL, per_case=True,
    )  # fmt: skip
    page.input("provider", "Provider", None, "", "Blank: all of them.", choices=book.choices("Providers", providers))
    page.input("region", "Region", None, "", "The provider's own name. Blank: all.", look.TEXT)
    page.input("term", "Term", "on_demand", "", "Choose from the list.", choices=book.choices("Terms", list(TERMS)))
    page.input("other_usd", "Other cost", 0, "USD", "Storage, traffic, staff.", look.WHOLE, per_case=True)
    page.section("Energy and carbon")
    page.input("watts", "Power of one GPU at work", None, "watts", "Blank: its TDP.", look.WHOLE, per_case=True)
    page.input("pue", "Power usage effectiveness", 1.2, "ratio", "Whole site over IT.", look.DECIMAL, per_case=True)
    page.input(
        "host_share", "Host and network", 0.3, "of GPU power", "Power besides the GPUs.", look.PERCENT, per_case=True
    )
    page.input(
        "grid", "Grid region", "usa", "", "A country or cloud region of data/grid.csv.",
        choices=book.choices("Grids", list(grid_keys())),
    )  # fmt: skip
    page.input(
        "grams_per_kwh",
        "Carbon of the grid",
        None,
        "gCO2e/kWh",
        "Blank: that of the region.",
        look.WHOLE,
        per_case=True,
    )


def calculation(book: Book) -> None:
    page = book.page("Calculation", "Every line is a live formula, the same in every case.", CASES)
    page.heads("Quantity")
    page.section("Work")
    chosen_model(page)
    page.line("n_parameters", "Parameters", "=PARAMS_MODEL({chosen})", "parameters", "PARAMS_MODEL(model): exact")
    page.line("n_active", "Active parameters", "=PARAMS_ACTIVE({chosen})", "parameters", "PARAMS_ACTIVE(model)")
    page.line(
        "flops_per_token", "Training FLOPs per token", "=FLOPS_PER_TOKEN({chosen},{seq},{convention})", "FLOP/token",
        "FLOPS_PER_TOKEN(model, seq, convention)", "0.0000E+00",
    )  # fmt: skip
    page.line(
        "n_flops", "Training FLOPs", "=TRAIN_FLOPS({flops_per_token},{tokens})", "FLOP",
        "TRAIN_FLOPS: per token x tokens", "0.0000E+00", total=True,
    )  # fmt: skip
    page.line("dp", "Data parallel", "={gpus}/({tp}*{pp}*{cp})", "", "GPUs / (tensor x pipeline x context)")
    page.line("tokens_per_step", "Tokens in a step", "={batch}*{seq}", "tokens", "Batch x sequence length")
    page.line("steps", "Steps", "={tokens}/{tokens_per_step}", "steps", "Tokens / tokens in a step")
    _memory(page)
    _time(page)
    _money(page)
    page.finish()


def _memory(page: Page) -> None:
    page.section("Memory on the fullest GPU")
    for component in COMPONENTS:
        formula = f'=TRAIN_MEMORY_BYTES({{chosen}},{{seq}},{_LAYOUT},{{optimizer}},{{stack}},"{component}",{{batch}})'
        page.line(component, LABELS[component], formula, "bytes", f"TRAIN_MEMORY_BYTES(..., {component})")
    everything = f"{{{COMPONENTS[0]}:{COMPONENTS[-1]}}}"
    page.line("memory", "Together", f"=SUM({everything})", "bytes", "Sum of the components", total=True)
    page.line(
        "capacity", "Memory of the GPU",
        '=IFERROR(GPU_SPEC({gpu},"usable_memory_bytes"),0.99*GPU_SPEC({gpu},"memory_bytes"))', "bytes",
        "GPU_SPEC: what the driver was measured to leave, else 99 % of the label",
    )  # fmt: skip
    page.line(
        "filled", "Share in use", "={memory}/{capacity}", "of memory", "Together / memory of the GPU", look.PERCENT
    )


def _time(page: Page) -> None:
    page.section("Time", new_page=True)
    page.line(
        "peak", "Dense peak of one GPU",
        '=GPU_SPEC({gpu},"peak_"&IF({dtype}="mxfp8","fp8",IF({dtype}="nvfp4","fp4",{dtype}))&"_flop_per_s")', "FLOP/s",
        "GPU_SPEC(gpu, peak of the format)", "0.000E+00",
    )  # fmt: skip
    page.line(
        "predicted", "Predicted step",
        f"=STEP_SECONDS({{chosen}},{{gpu}},{{batch}},{{seq}},{_LAYOUT},{{dtype}},{{stack}})", "seconds",
        "STEP_SECONDS: compute, traffic, communication, bubble", look.DECIMAL,
    )  # fmt: skip
    page.line(
        "band", "Measured over predicted", ("=TRAIN_ERROR(10)", 1, "=TRAIN_ERROR(90)"), "ratio",
        "TRAIN_ERROR: 10th and 90th percentile of published runs not fitted", "0.000",
    )  # fmt: skip
    page.line(
        "utilization", "Model FLOPs utilisation",
        '=IF({mfu}="",{tokens_per_step}*{flops_per_token}/({gpus}*{peak}*{predicted}*{band}),{mfu})', "of peak",
        "As given, else from the predicted step and its band", look.PERCENT,
    )  # fmt: skip
    page.line(
        "mtbf",
        "Hours between failures of the cluster",
        "=CLUSTER_MTBF_HOURS({gpus},{gpu_mtbf_hours})",
        "hours",
        "CLUSTER_MTBF_HOURS",
        look.DECIMAL,
    )
    page.line(
        "interval", "Time between checkpoints", "=CHECKPOINT_INTERVAL_SECONDS({checkpoint_seconds},{mtbf})", "seconds",
        "CHECKPOINT_INTERVAL_SECONDS: Daly's optimum",
    )  # fmt: skip
    page.line(
        "goodput", "Goodput", "=GOODPUT({mtbf},{checkpoint_seconds},{restart_seconds},{interval})", "of time",
        "GOODPUT: share of time that makes progress", look.PERCENT,
    )  # fmt: skip
    page.line(
        "seconds", "Training time",
        "=TRAIN_SECONDS({n_flops},{gpus},{peak},{utilization},{goodput})+3600*{start_hours}", "seconds",
        "TRAIN_SECONDS: FLOPs / (GPUs x peak x utilisation x goodput), and the start",
    )  # fmt: skip
    page.line("days", "the same in days", "={seconds}/86400", "days", "86 400 seconds a day", look.DECIMAL, total=True)


def _money(page: Page) -> None:
    page.section("Money")
    page.line("gpu_hours", "GPU-hours", "=GPU_HOURS({gpus},{seconds})", "GPU-hours", "GPU_HOURS: GPUs x hours")
    page.line(
        "price", "Price", '=IF({price_usd_per_gpu_hour}="",PRICE_USD_PER_GPU_HOUR({gpu},{provider},{region},{term}),'
        "{price_usd_per_gpu_hour})",
        "USD/GPU-hour", "As given, else PRICE_USD_PER_GPU_HOUR: median of the catalog", look.DECIMAL,
    )  # fmt: skip
    page.line(
        "cost", "Cost", "=TRAIN_COST_USD({gpu_hours},{price},{other_usd})", "USD",
        "TRAIN_COST_USD: GPU-hours x price + other", total=True,
    )  # fmt: skip
    page.section("Energy and carbon")
    page.line(
        "power",
        "Power of one GPU",
        '=IF({watts}="",GPU_SPEC({gpu},"tdp_watts"),{watts})',
        "watts",
        "As given, else the TDP",
    )
    page.line(
        "energy", "Energy", "=TRAIN_ENERGY_KWH({gpu_hours},{power},{pue},{host_share})", "kWh",
        "TRAIN_ENERGY_KWH: GPU-hours x power x (1 + host share) x PUE",
    )  # fmt: skip
    page.line(
        "grams",
        "Carbon of the grid",
        '=IF({grams_per_kwh}="",GRID_G_PER_KWH({grid}),{grams_per_kwh})',
        "gCO2e/kWh",
        "As given, else GRID_G_PER_KWH(region)",
    )
    page.line(
        "co2e",
        "Operational carbon",
        "=TRAIN_CO2E_KG({energy},{grams})/1000",
        "tCO2e",
        "TRAIN_CO2E_KG",
        look.DECIMAL,
        total=True,
    )
    page.line(
        "embodied",
        "Embodied carbon, share of the hardware",
        "=EMBODIED_CO2E_KG({gpu_hours})/1000",
        "tCO2e",
        "EMBODIED_CO2E_KG",
        look.DECIMAL,
    )
    page.section("Titles of the charts")
    page.statement(
        "cost_message", "Cost",
        '="Training costs $"&TEXT({cost.base},"#,##0")&", between $"&TEXT({cost.low},"#,##0")&" and $"'
        '&TEXT({cost.high},"#,##0")',
        "The three cases",
    )  # fmt: skip
    page.statement(
        "memory_message",
        "Memory",
        '="The fullest GPU holds "&TEXT({memory}/2^30,"0.0")&" of "&TEXT({capacity}/2^30,"0.0")&" GiB"',
        "Memory and capacity, base",
    )


def result(book: Book) -> None:
    page = book.page(
        "Result",
        "The figures to hand on. Low is the case of least cost.",
        ("", ""),
        (34, 28, 28, 28, 28),
        portrait=True,
    )

    def band(key: str, shown: str) -> str:
        return f'=TEXT({{{key}.low}},"{shown}")&" to "&TEXT({{{key}.high}},"{shown}")'

    page.tiles(
        [
            ('="Days on "&TEXT({gpus},"#,##0")&" "&{gpu}', "={days}", look.DECIMAL, band("days", "#,##0.0")),
            ("GPU-hours", "={gpu_hours}", look.WHOLE, band("gpu_hours", "#,##0")),
            ("Cost in USD", "={cost}", look.WHOLE, band("cost", "#,##0")),
            (
                "Energy in MWh",
                "={energy}/1000",
                "#,##0.0",
                '=TEXT({energy.low}/1000,"#,##0.0")&" to "&TEXT({energy.high}/1000,"#,##0.0")',
            ),
            ("Carbon in tCO2e", "={co2e}", "#,##0.0", band("co2e", "#,##0.0")),
        ]
    )
    page.section("Three cases")
    lines = (
        ("Model FLOPs utilisation", "utilization", "", look.PERCENT, "of peak"),
        ("Training time", "days", "", look.DECIMAL, "days"),
        ("GPU-hours", "gpu_hours", "", look.WHOLE, "GPU-hours"),
        ("Energy", "energy", "/1000", "#,##0.0", "MWh"),
        ("Operational carbon", "co2e", "", "#,##0.0", "tCO2e"),
        ("Embodied carbon", "embodied", "", "#,##0.0", "tCO2e"),
        ("Cost", "cost", "", look.WHOLE, "USD"),
    )
    page.table(
        ["Quantity", "Low", "Base", "High", "Unit"],
        [[label, *(f"={{{key}.{case}}}{scale}" for case in CASES), unit] for label, key, scale, _, unit in lines],
        [[look.GENERAL, *[shown] * 3, look.GENERAL] for _, _, _, shown, _ in lines],
        total=True,
    )
    page.section("Cost by case")
    rows = page.table(
        ["Case", "GPU time, USD", "Other, USD", "Together, USD", "Days"],
        [
            [
                case.capitalize(),
                f"={{cost.{case}}}-{{other_usd.{case}}}",
                f"={{other_usd.{case}}}",
                f"={{cost.{case}}}",
                f"={{days.{case}}}",
            ]
            for case in CASES
        ],
        [look.GENERAL, look.WHOLE, look.WHOLE, look.WHOLE, look.DECIMAL],
    )
    page.chart("stacked", "{cost_message}", "USD", look.WHOLE, rows, "CD")
    page.section("Memory on the fullest GPU")
    components = [
        [LABELS[c], f"={{{c}}}", f"={{{c}}}/10^9", f"={{{c}}}/2^30", f"={{{c}}}/{{capacity}}"] for c in COMPONENTS
    ]
    together = ["Together", "={memory}", "={memory}/10^9", "={memory}/2^30", "={filled}"]
    rows = page.table(
        ["Component", "Bytes", "GB", "GiB", "Share of the GPU"],
        [*components, together],
        [look.GENERAL, look.WHOLE, look.DECIMAL, look.DECIMAL, look.PERCENT],
        total=True,
    )
    page.chart("bars", "{memory_message}", "GiB", "#,##0.0", (rows[0], rows[1] - 1), "E")
    page.finish()


CHECKS = (
    ("The layout takes all GPUs", "={dp}=INT({dp})", "GPUs / (tensor x pipeline x context) is whole"),
    ("It fits in memory", "={memory}<={capacity}", "Fullest GPU against its memory"),
    ("The batch divides", "=MOD({batch},{dp}*{micro_batch})=0", "Batch / (data parallel x micro-batch) is whole"),
    ("Utilisation is below the peak", "=AND({utilization}>0,{utilization}<1)", "0 < MFU < 1"),
    (
        "Low costs no more than base, high no less",
        "=AND({cost.low}<={cost.base},{cost.base}<={cost.high})",
        "Order of the cases",
    ),
    (
        "FLOPs are near 6 N D",
        "=ABS({n_flops}/FLOPS_6ND({n_active},{tokens})-1)<0.5",
        "Within a half of the rule of thumb over active parameters",
    ),
)
