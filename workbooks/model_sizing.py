"""Describes `model_sizing.xlsx`: the exact parameters of one published model and the bytes that store them."""

from __future__ import annotations

from collections.abc import Sequence

from sizebook.core.quantities import dtype_keys
from sizebook.core.sections import leaves
from sizebook.core.tables import by_key
from sizebook.models.architecture import PARTS
from sizebook.plans.sizing.plan import DTYPES_COMPARED, PART_LABELS
from sizebook.scenarios.scenario_files import ModelScenario, SizingScenario
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.declared_inputs import declare_all
from sizebook.workbooks.finance import constant_lines
from sizebook.workbooks.line_sheet import LineSheet, new_sheet, result_sheet
from sizebook.workbooks.references import text
from sizebook.workbooks.shared_lines import chosen_model_line, copy_section, model_input
from sizebook.workbooks.staged_tables import watch_lines
from sizebook.workbooks.text_formulas import number_text, percent_text

FILE, TITLE = "model_sizing.xlsx", "Model sizing"
EXAMPLE = {"model": "llama-3.1-8b"}
SHOWN_PARTS = 5
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
        '=IF(ISNUMBER({active}),{active}/{total},"not stated")',
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
    counted = ",".join(f"{{{key}}}" for key in keys)
    return f'=IF(COUNT({counted})=COUNTA({counted}),{formula},"not comparable")'


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


def stored_in(bits: str, parameters: str = "{total}") -> str:
    """Return the expression of the bytes of parameters at so many bits each, scales included."""
    return f"ROUNDUP({parameters}*{{{bits}}}/{{byte_bits}},0)"


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
        '=IF(ISNUMBER({difference}),{difference}/{published_total},"not stated")',
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


def result(book: Book) -> tuple[int, int]:
    """Add the page to hand on; return the rows of its table of parts."""
    page = result_sheet(book, "Result", "The figures to hand on.", (24, *[17.5] * 4), chart_rows=10)
    active, off = percent_text("{active_share}", 1), percent_text("{difference_share}", 3)
    page.tiles(
        [
            ('="Parameters of "&{chosen}', "={total}", styles.WHOLE, "in total, exact"),
            (
                "Active parameters",
                "={active}",
                styles.WHOLE,
                f'=IF(ISNUMBER({{active_share}}),{active}&" of the total","")',
            ),
            ("={weights_label}", "={weight_gb}", styles.GIGA, "GB (10^9 bytes)"),
            ("The same", "={weight_gib}", styles.GIGA, "GiB (2^30 bytes)"),
            (
                "Counted less published",
                "={difference}",
                styles.WHOLE,
                f'=IF(ISNUMBER({{difference_share}}),{off}&" of published","no figure given")',
            ),
        ]
    )
    page.section("Parameters by part, largest first")
    parts = page.table(
        ["Part", "Parameters", "Share of total", '="Bytes in "&{dtype}', "GB"],
        _ranked(page),
        [styles.GENERAL, styles.WHOLE, styles.PERCENT, styles.WHOLE, styles.GIGA],
        total=True,
    )
    page.chart(
        Chart(
            "bars",
            "{message}",
            "millions of parameters",
            "[>=10000000]#,##0,,;[=0]0;0.00,,",
            (parts[0], parts[0] + SHOWN_PARTS - 1),
            "C",
        )
    )
    page.section("Weights by number format")
    formats = [
        (
            dtype,
            f"={{bits_{dtype}}}",
            f"={{bytes_{dtype}}}",
            f"={{bytes_{dtype}}}/{{billion}}",
            f"={{bytes_{dtype}}}/2^30",
        )
        for dtype in DTYPES_COMPARED
    ]
    rows = page.table(
        ["Format", "Bits per weight", "Bytes", "GB", "GiB"],
        formats,
        [styles.GENERAL, styles.DECIMAL, styles.WHOLE, styles.GIGA, styles.GIGA],
    )
    page.chart(Chart("columns", "{storage_message}", "GB", "#,##0.0", rows, "E"))
    page.finish()
    return parts


def _ranked(page: LineSheet) -> list[list[str]]:
    """Return the rows of the breakdown: the largest parts, all others together, the total."""
    ranks, counts = page.resolve(f"{{rank_{PARTS[0]}:rank_{PARTS[-1]}}}"), page.resolve(f"{{{PARTS[0]}:{PARTS[-1]}}}")
    labels = page.book.labels(PARTS[0], PARTS[-1], page.sheet.title)
    first = page.row + 1
    rows = []
    for rank in range(1, SHOWN_PARTS + 1):
        match = f"MATCH(ROWS($A${first}:$A{first + rank - 1}),{ranks},0)"
        count = f"INDEX({counts},{match})"
        rows.append(
            [
                f'=IF({count}=0,"",INDEX({labels},{match}))',
                f'=IF({count}=0,"",{count})',
                *_shares(first + rank - 1),
            ]
        )
    last = first + SHOWN_PARTS - 1
    rows.append(["All other parts", f"={{total}}-SUM(C{first}:C{last})", *_shares(last + 1)])
    rows.append(["Total", "={total}", *_shares(last + 2)])
    return rows


def _shares(row: int) -> list[str]:
    return [
        f'=IF(C{row}="","",C{row}/{{total}})',
        f'=IF(C{row}="","",{stored_in("bits", f"C{row}")})',
        f'=IF(C{row}="","",E{row}/{{billion}})',
    ]


def checks(book: Book, parts: tuple[int, int]) -> tuple[tuple[str, str, str], ...]:
    """Return the checks; ``parts`` are the first row and the last, the total's, of the parts on Result."""
    first, last = parts
    known = [f"bits_{dtype}" for dtype in dtype_keys()]
    formats, bits = book.labels(known[0], known[-1], ""), f"{{{known[0]}:{known[-1]}}}"
    return (
        (
            "The parts add up to the model's total",
            "=PARAMS_MODEL({chosen})={total}",
            "PARAMS_MODEL(model) = sum of the parts",
        ),
        (
            "Active parameters are at most the total",
            "=IF(ISNUMBER({active}),{active}<={total},TRUE)",
            "active <= total",
        ),
        ("Every part is zero or more", f"=MIN({{{PARTS[0]}:{PARTS[-1]}}})>=0", "Smallest part"),
        (
            "Bytes follow from bits",
            "=AND("
            + ",".join(
                f"ABS({{bytes_{name}}}*{{byte_bits}}-{{total}}*{{bits_{name}}})<{{byte_bits}}"
                for name in DTYPES_COMPARED
            )
            + ")",
            "Every format: bytes against parameters x bits, before they are rounded up",
        ),
        (
            "Bytes of the chosen format are those of the table",
            "=IF(ISNUMBER({stored_bytes}),TRUE,ABS({weight_bytes}*{byte_bits}-{total}*{bits})<={byte_bits})",
            "A checkpoint's bytes are its own",
        ),
        (
            "Bits are those of the format chosen",
            f"=SUMIF({formats},{{dtype}},{bits})={{bits}}",
            "Calculation, by another look-up",
        ),
        (
            "GB and GiB are the same bytes",
            "=AND(ABS({weight_gb}*{billion}-{weight_bytes})<1,ABS({weight_gib}*2^30-{weight_bytes})<1)",
            "Calculation",
        ),
        (
            "Parts of the table add up",
            f"=AND(SUM(Result!$C${first}:$C${last - 1})={{total}},Result!$C${last}={{total}})",
            "Result: largest and all others against the total",
        ),
        (
            "Each place is taken once",
            f"=SUM({{rank_{PARTS[0]}:rank_{PARTS[-1]}}})=SUMPRODUCT(ROW($A$1:$A${len(PARTS)}))",
            "Order of the parts",
        ),
        (
            "Shares are those of their figures",
            "=AND(IF(ISNUMBER({active}),ABS({active_share}*{total}-{active})<1,TRUE),"
            'IF({published_total}="",TRUE,AND({published_total}+{difference}={total},'
            "ABS({difference_share}*{published_total}-{difference})<1)))",
            "Active parameters and the difference, from share and whole",
        ),
        (
            "Within 1 % of the published figure",
            '=IF({published_total}="",TRUE,ABS({difference})<={a_percent}*{published_total})',
            "Holds when no figure is given",
        ),
    )
