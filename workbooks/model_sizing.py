"""Describes `model_sizing.xlsx`: the exact parameters of one published model and the bytes that store them."""

from collections.abc import Sequence

from model_sizing_result import checks, result, stored_in

from sizebook.core.quantities import dtype_keys
from sizebook.core.sections import leaves
from sizebook.core.tables import by_key
from sizebook.models.architecture import PARTS
from sizebook.plans.sizing.plan import DTYPES_COMPARED, PART_LABELS
from sizebook.scenarios.scenario_files import ModelScenario, SizingScenario
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.declared_inputs import declare_all
from sizebook.workbooks.finance import constant_lines
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.references import text
from sizebook.workbooks.shared_lines import chosen_model_line, copy_section, model_input
from sizebook.workbooks.staged_tables import watch_lines
from sizebook.workbooks.text_formulas import number_text, percent_text

FILE, TITLE = "model_sizing.xlsx", "Model sizing"
EXAMPLE = {"model": "llama-3.1-8b"}
DIMENSIONS = (
    ("n_layers", "Layers", "layers"),
    ("d_model", "Hidden size", "values"),
    ("n_heads", "Query heads", "heads"),
    ("n_kv_heads", "Key and value heads", "heads"),
    ("d_head", "Width of a head", "values"),
    ("d_ff", "Inner width of the feed-forward block", "values"),
    ("vocabulary", "Vocabulary", "entries"),
    ("context_length", "Context length", "tokens"),
)
# What stands elsewhere on the page.
LEFT_OUT = {leaf.name for leaf in leaves(ModelScenario)} | {"plan"}
FUNCTIONS = (
    "MODEL_SPEC",
    "PARAMS_MODEL",
    "PARAMS_ACTIVE",
    "DTYPE_BITS",
    "MODEL_BYTES",
    "CHECKPOINT_BYTES",
)
NOTES = (
    "Functions of sizebook count the parts, read the dimensions and know the bits of a format, each once on a hidden "
    "sheet, its value held beside it. Sums, shares, bytes and comparisons are ordinary formulas, which need no add-in.",
    "Total: trainable parameters, tied weights once. Left out: buffers and multi-token-prediction layers, which "
    "checkpoints store beside the model.",
    "Active: the parameters that one token visits; each routed expert tensor counts top_k / n_experts. "
    "Embedding, head and towers count whole.",
    "Bytes: every parameter in the one format. Left out: file headers, and the tensors that quantised checkpoints keep "
    "in a wider format. A model given by its checkpoint takes what its headers say, scales and buffers included.",
    "Closed form: what the total would be if all layers were alike, with grouped heads and a gated feed-forward block; "
    "a difference shows where a model departs from that.",
    "The published figure is as its makers round it; a difference of a per cent or more is worth a look at what they "
    "count.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover_sheet(
        book, "How many parameters a published model has, to the last one, and how many bytes they take."
    )
    inputs(book)
    calculation(book)
    parts = result(book)
    checks_sheet(book, checks(book, parts))
    notes_sheet(book, FUNCTIONS, NOTES)
    front()


def inputs(book: Book) -> None:
    page = new_sheet(
        book, "Inputs", "Change the pale yellow cells only. Solid border: must be set. Dashed: may stay as it is."
    )
    page.input_heads()
    page.section("Model")
    model_input(page)
    declare_all(page, SizingScenario, {SizingScenario: "Storage and comparison"}, left_out=LEFT_OUT)
    constant_lines(page, "billion", "byte_bits")
    for key, label, value, origin in (
        ("pair", "Matrices that keys and queries share a width with", 2, "Query and output, key and value: pairs"),
        ("gated", "Matrices of a gated block", 3, "Gate, up and down"),
        ("a_percent", "Share by which published figures may differ", 0.01, "What rounding to billions explains"),
    ):
        page.constant(key, label, value, "", origin, styles.GENERAL)
    copy_section(page, "Model sizing")


def calculation(book: Book) -> None:
    page = new_sheet(
        book, "Calculation", "Every line is a live formula. Black: calculated here. Green: from another sheet."
    )
    page.heads("Quantity")
    page.section("Dimensions of the model")
    chosen_model_line(page)
    watch_lines(book, "chosen")
    for key, label, unit in DIMENSIONS:
        formula = _stated(page.book.call("MODEL_SPEC", field=text(key)))
        page.line(key, label, formula, unit, f"MODEL_SPEC(model, {key}): config.json or model card")
    parts(page)
    cross_check(page)
    storage(page)
    comparison(page)
    ranking(page)
    page.finish()


def parts(page: LineSheet) -> None:
    page.section("Parameters by part, exact")
    book = page.book
    for part in PARTS:
        formula = f"={book.call('PARAMS_MODEL', part=text(part))}"
        page.line(
            part, PART_LABELS[part], formula, "parameters", f"PARAMS_MODEL(model, {part}): summed over the tensors"
        )
    page.total("total", "Total parameters", f"=SUM({{{PARTS[0]}:{PARTS[-1]}}})", "parameters", "Sum of the parts")
    page.line(
        "active",
        "Active parameters",
        f"={book.call('PARAMS_ACTIVE')}",
        "parameters",
        "PARAMS_ACTIVE(model): total less the routed experts that a token does not visit",
    )
    page.line(
        "active_share",
        "Active share",
        '=IF(ISTEXT({active}),"not stated",{active}/{total})',
        "of total",
        "Active / total",
        styles.PERCENT,
    )


def cross_check(page: LineSheet) -> None:
    page.section("The same in closed form, if all layers were alike")
    for key, label, of, formula, origin in (
        (
            "layer_attention",
            "Attention of one layer",
            ("d_model", "d_head", "n_heads", "n_kv_heads"),
            "{pair}*{d_model}*{d_head}*({n_heads}+{n_kv_heads})",
            "2 d_model d_head (n_heads + n_kv_heads)",
        ),
        (
            "layer_ffn",
            "Gated feed-forward block of one layer",
            ("d_model", "d_ff"),
            "{gated}*{d_model}*{d_ff}",
            "3 d_model d_ff",
        ),
        ("layer_norms", "Two RMS norms of one layer", ("d_model",), "{pair}*{d_model}", "d_model each"),
        ("token_table", "Token table", ("d_model", "vocabulary"), "{vocabulary}*{d_model}", "vocabulary x d_model"),
    ):
        page.line(key, label, _where_stated(of, formula), "parameters", origin)
    page.line(
        "closed_attention",
        "Attention, closed form less exact",
        _where_stated(("layer_attention", "n_layers"), "{layer_attention}*{n_layers}-{attention}"),
        "parameters",
        "0 where all layers have the same grouped heads",
    )
    page.line(
        "closed_ffn",
        "Feed-forward, closed form less exact",
        _where_stated(("layer_ffn", "n_layers"), "{layer_ffn}*{n_layers}-{mlp}"),
        "parameters",
        "0 where all layers have the same gated block; experts make it negative",
    )


def _where_stated(keys: Sequence[str], formula: str) -> str:
    """Return the formula of a figure where all that it takes is stated."""
    unstated = ",".join(f"ISTEXT({{{key}}})" for key in keys)
    return f'=IF(OR({unstated}),"not comparable",{formula})'


def storage(page: LineSheet) -> None:
    book = page.book
    page.section("Bits per weight, scales included")
    known = dtype_keys()
    for dtype in known:
        meaning = by_key("dtypes", "dtype")[dtype]["meaning"]
        page.line(
            f"bits_{dtype}", dtype, f"={book.call('DTYPE_BITS', dtype=text(dtype))}", "bits", meaning, styles.DECIMAL
        )
    chosen = f"MATCH({{dtype}},{book.labels(f'bits_{known[0]}', f'bits_{known[-1]}', page.sheet.title)},0)"
    page.line(
        "bits",
        "Of the chosen format",
        f"=INDEX({{bits_{known[0]}:bits_{known[-1]}}},{chosen})",
        "bits",
        "Inputs",
        styles.DECIMAL,
    )
    page.section("Bytes of the weights")
    for dtype in DTYPES_COMPARED:
        page.line(
            f"bytes_{dtype}", dtype, f"={stored_in(f'bits_{dtype}')}", "bytes", "Parameters x bits / 8, rounded up"
        )
    stored = book.call("CHECKPOINT_BYTES", path="{chosen}")
    page.line(
        "stored_bytes",
        "Of the checkpoint",
        f'=IFERROR({stored},"no checkpoint")',
        "bytes",
        "CHECKPOINT_BYTES(model): from its headers",
    )
    page.total(
        "weight_bytes",
        "Of the checkpoint, else in the chosen format",
        f"=IF(ISNUMBER({{stored_bytes}}),{{stored_bytes}},{stored_in('bits')})",
        "bytes",
        "The checkpoint's, else parameters x bits / 8",
    )
    page.statement(
        "weights_label",
        "What they are called",
        '=IF(ISNUMBER({stored_bytes}),"Weights as stored","Weights in "&{dtype})',
        "Where they are from",
    )
    page.line("weight_gb", "the same in GB", "={weight_bytes}/{billion}", "GB", "1 GB = 10^9 bytes", styles.GIGA)
    page.line("weight_gib", "the same in GiB", "={weight_bytes}/2^30", "GiB", "1 GiB = 2^30 bytes", styles.GIGA)


def comparison(page: LineSheet) -> None:
    page.section("Comparison with the published figure")
    page.line(
        "difference",
        "Counted less published",
        '=IF({published_total}="","not stated",{total}-{published_total})',
        "parameters",
        "Total less the figure on Inputs",
    )
    page.line(
        "difference_share",
        "the same as a share",
        '=IF(ISTEXT({difference}),"not stated",{difference}/{published_total})',
        "of published",
        "Difference / published",
        "0.000%",
    )
    for key, label in (("published_total", "Figure in the catalog"), ("source", "Source of the catalog's facts")):
        formula = _stated(page.book.call("MODEL_SPEC", field=text(key)))
        page.statement(f"catalog_{key}", label, formula, f"MODEL_SPEC(model, {key})")


def _stated(call: str) -> str:
    return f'=IFERROR({call},"not stated")'


def ranking(page: LineSheet) -> None:
    page.section("Parts in order of size, for the chart")
    counts = f"{{{PARTS[0]}:{PARTS[-1]}}}"
    for part in PARTS:
        own, so_far = f"{{{part}}}", f"{{{PARTS[0]}:{part}}}"
        formula = f"=SUMPRODUCT(--({counts}>{own}))+SUMPRODUCT(--({so_far}={own}))"
        page.line(f"rank_{part}", PART_LABELS[part], formula, "", "Largest first, of equals the first above")
    page.statement(
        "message",
        "Title of the first chart",
        f'=INDEX({page.book.labels(PARTS[0], PARTS[-1], page.sheet.title)},MATCH(MAX({counts}),{counts},0))&" hold "'
        f'&{percent_text(f"MAX({counts})/{{total}}", 0)}&" of the parameters"',
        "Largest part and its share",
    )
    page.statement(
        "storage_message",
        "Title of the second chart",
        f'="From "&{number_text("{bytes_fp32}/{billion}")}&" GB in fp32 to "&{number_text("{bytes_int4}/{billion}")}'
        '&" GB in int4"',
        "Bytes of the weights",
    )
