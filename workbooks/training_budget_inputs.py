"""The inputs of `training_budget.xlsx`."""

from __future__ import annotations

from training_budget_lines import ROUNDED, SHARE

from sizebook.formulas.hardware import accelerators
from sizebook.formulas.training_memory import optimizer_keys
from sizebook.models.flops import CONVENTIONS
from sizebook.plans.layout import RECOMPUTE
from sizebook.plans.training_memory import stack_keys
from sizebook.plans.training_time import FORMATS
from sizebook.workbooks import look
from sizebook.workbooks.building import CASES, Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.shared_lines import model_input, price_inputs, this_copy


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = book.page(
        "Inputs",
        "Change the pale yellow cells only. Solid border: must be set. Dashed: may stay as it is.",
        CASES,
        widths=(40, 20, 20, 20, 16, 53),  # trillions of tokens, digit by digit
    )
    page.heads("Input", origin="What to enter")
    _run_inputs(page)
    _layout_inputs(page)
    _time_inputs(page)
    _money_inputs(page)
    this_copy(page, "Training budget")


def _run_inputs(page: Page) -> None:
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


def _layout_inputs(page: Page) -> None:
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


def _time_inputs(page: Page) -> None:
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


def _money_inputs(page: Page) -> None:
    page.section("Money")
    price_inputs(page)
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
