"""The comparison of a batch's scenarios, as the files of a report."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.batch.file_names import COMPARISON
from sizebook.batch.formats import RECORD
from sizebook.batch.index_table import Line
from sizebook.batch.record import batch_record
from sizebook.core.figure_label import FigureLabel
from sizebook.reports.comparison.ranking import rank_scenarios
from sizebook.reports.comparison.report import report
from sizebook.reports.pdf import Attachment
from sizebook.reports.render import html_page, pdf, report_date
from sizebook.reports.style import PLAIN, Style
from sizebook.sources.writing import write_whole


@dataclass(frozen=True)
class ComparisonOptions:
    """What is compared: against which scenario (the first where None), ranked by which figure (cost where None)."""

    base: str | None = None
    rank_by: str | None = None


def write_comparison(lines: Sequence[Line], folder: Path, asked: ComparisonOptions, style: Style = PLAIN) -> list[Path]:
    """Write ``comparison.html`` and ``comparison.pdf`` of the scenarios that are done; return their paths."""
    scenarios = {line.name: line.values for line in lines if line.is_done}
    found, record = (
        report(rank_scenarios(scenarios, asked.base, asked.rank_by), report_date()),
        batch_record(len(lines)),
    )
    contents = {
        "html": html_page(found, json.dumps(record), style).encode(),
        "pdf": pdf(found, [_figures(scenarios, record)], style),
    }
    return [write_whole(folder / f"{COMPARISON}.{kind}", content) for kind, content in contents.items()]


def _figures(scenarios: Mapping[str, Mapping[FigureLabel, float]], record: Mapping[str, Any]) -> Attachment:
    """Return every figure that is compared with the record, as the PDF carries them for `sizebook inspect`."""
    values = {name: {each.heading: value for each, value in found.items()} for name, found in scenarios.items()}
    content = json.dumps({RECORD: record, "figures": {}, "scenarios": values}, indent=1, ensure_ascii=False) + "\n"
    return Attachment(
        "figures.json", content.encode(), description="all figures, and what they were made of", relationship="Data"
    )
