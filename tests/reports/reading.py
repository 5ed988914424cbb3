"""Parts of a report as a person finds them: a section by its topic, a table by its caption, a figure as printed."""

from sizebook.core.texts import THIN_SPACE
from sizebook.reports.document import Report, Section, Table


def part_on(shown: Report, topic: str) -> Section:
    return next(each for each in shown.sections if each.topic == topic)


def tables(shown: Report) -> dict[str, Table]:
    blocks = [block for each in shown.sections for block in each.blocks]
    return {block.caption: block for block in blocks if isinstance(block, Table)}


def number(text: str) -> float:
    return float(text.replace(THIN_SPACE, ""))
