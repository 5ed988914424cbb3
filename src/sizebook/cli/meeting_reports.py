"""What `sizebook actuals variance` and `sizebook bridge` write: a report as PDF or HTML, or a workbook."""

from pathlib import Path
from typing import Any

from sizebook.cli.options import refuse_without_effect, report_style
from sizebook.core.errors import InputError


def write_meeting_report(found: Any, output: Path | None, asked: dict[str, Any]) -> None:
    """Write what was found in the format that the ending of the file name selects, if a file is asked for.

    Errors: another ending, the look of a report without one.
    """
    if output is None:
        refuse_without_effect("without a report (-o)", **asked)
        return
    from sizebook.plans.bridges import Bridge
    from sizebook.reports.variance import bridge_report, report, workbook

    kind = output.suffix.casefold()
    if kind not in (".pdf", ".html", ".xlsx"):
        raise InputError(
            f"unknown format: got '{output.name}', want a name that ends in .pdf, .html or .xlsx. Rename it."
        )
    is_bridge = isinstance(found, Bridge)
    if kind == ".xlsx":
        refuse_without_effect("with a workbook", **asked)
        (workbook.write_bridge if is_bridge else workbook.write_variance)(found, output)
        return
    from sizebook.reports.render import html_page, pdf, report_date
    from sizebook.sources.writing import write_whole

    made, style = (bridge_report if is_bridge else report).report(found, report_date()), report_style(asked)
    write_whole(output, pdf(made, style=style) if kind == ".pdf" else html_page(made, "", style).encode())
