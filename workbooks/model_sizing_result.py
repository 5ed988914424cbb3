"""The page of results of `model_sizing.xlsx` and its checks."""

from sizebook.core.quantities import dtype_keys
from sizebook.models.architecture import PARTS
from sizebook.plans.sizing.plan import DTYPES_COMPARED
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.line_sheet import LineSheet, result_sheet
from sizebook.workbooks.text_formulas import all_hold, percent_text

SHOWN_PARTS = 5


def stored_in(bits: str, parameters: str = "{total}") -> str:
    """Return the expression of the bytes of parameters at so many bits each, scales included."""
    return f"ROUNDUP({parameters}*{{{bits}}}/{{byte_bits}},0)"


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
                f'=IF(ISTEXT({{active_share}}),"",{active}&" of the total")',
            ),
            ("={weights_label}", "={weight_gb}", styles.GIGA, "GB (10^9 bytes)"),
            ("The same", "={weight_gib}", styles.GIGA, "GiB (2^30 bytes)"),
            (
                "Counted less published",
                "={difference}",
                styles.WHOLE,
                f'=IF(ISTEXT({{difference_share}}),"no figure given",{off}&" of published")',
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
            "="
            + all_hold(
                f"ABS({{bytes_{name}}}*{{byte_bits}}-{{total}}*{{bits_{name}}})<{{byte_bits}}"
                for name in DTYPES_COMPARED
            ),
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
