"""The comparison of a batch's scenarios, as the files of a report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sizebook.batch.naming import COMPARISON
from sizebook.batch.record import batch_record
from sizebook.batch.table import Line
from sizebook.reports.comparison.compared import Figured, compared
from sizebook.reports.comparison.report import report
from sizebook.reports.render import page, pdf, report_date
from sizebook.reports.style import PLAIN, Style
from sizebook.sources.writing import write_whole


@dataclass(frozen=True)
class Comparison:
    """What is compared: against which scenario (the first where None), ranked by which figure (cost where None)."""

    base: str | None = None
    rank_by: str | None = None


def write_comparison(lines: Sequence[Line], folder: Path, asked: Comparison, style: Style = PLAIN) -> list[Path]:
    """Write ``comparison.html`` and ``comparison.pdf`` of the scenarios that are done; return their paths."""
    scenarios = {
        line.name: {Figured(column.label, column.unit): value for column, value in line.values.items()}
        for line in lines
        if line.is_done
    }
    found = report(compared(scenarios, asked.base, asked.rank_by), report_date())
    contents = {
        "html": page(found, json.dumps(batch_record(len(lines))), style).encode(),
        "pdf": pdf(found, style=style),
    }
    return [write_whole(folder / f"{COMPARISON}.{kind}", content) for kind, content in contents.items()]
