"""The reconciliation of the catalog as files of a report, with the record that `sizebook inspect` reads."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sizebook.batch.formats import RECORD
from sizebook.batch.record import data_record
from sizebook.core.extras import need
from sizebook.models.reconciliation import Comparison


def reconciliation_record(compared: Sequence[Comparison]) -> dict[str, Any]:
    """Return the record of a reconciliation: its figures are the computed counts that have a stated one beside them."""
    figures = {f"{one.key}, {one.what}": one.computed for one in compared if one.difference is not None}
    return {"reconciliation": len(figures), **data_record(), "figures": figures}


def write_reconciliation(compared: Sequence[Comparison], output: Path, style: Any = None) -> None:
    """Write a reconciliation as a workbook, or as a PDF in a style."""
    # The reports load only when one is written: they bring WeasyPrint or openpyxl.
    record = reconciliation_record(compared)
    if output.suffix.casefold() == ".xlsx":
        need("workbooks", "reports")
        from sizebook.reports.reconciliation.workbook import write_xlsx

        write_xlsx(compared, output, json.dumps(record))
        return
    from sizebook.reports.pdf import Attachment
    from sizebook.reports.reconciliation import report as reconciliation
    from sizebook.reports.render import report_date, write_pdf
    from sizebook.reports.style import PLAIN

    figures = {name: {"value": count, "unit": "parameters"} for name, count in record.pop("figures").items()}
    content = json.dumps({RECORD: record, "figures": figures}, indent=1, ensure_ascii=False) + "\n"
    said = "all computed counts, and what they were made of"
    attached = Attachment("figures.json", content.encode(), description=said, relationship="Data")
    write_pdf(reconciliation.report(tuple(compared), report_date()), output, (attached,), style=style or PLAIN)
