"""Pages of results in the documentation: one of every shipped workbook, small, and shown."""

import zipfile
from pathlib import Path

from tests.workbooks.shipped import SHIPPED

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_workbook_is_shown() -> None:
    page = (DOCS / "workbooks.md").read_text(encoding="utf-8")
    pictures = {path.stem: path for path in (DOCS / "workbooks").glob("*.png")}
    assert set(pictures) == {book.path.stem for book in SHIPPED}
    assert [name for name in pictures if f"](workbooks/{name}.png)" not in page] == []
    assert sum(path.stat().st_size for path in pictures.values()) < 200_000


def test_labels_of_bars_state_their_format_as_their_own() -> None:
    """LibreOffice takes the format of the cells where a file does not say: 5,637,144,576 broke over two lines."""
    own: dict[str, list[bool]] = {}
    for book in SHIPPED:
        with zipfile.ZipFile(book.path) as archive:
            charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
        stated = [part.split("/>")[0] for chart in charts for part in chart.split("<dLbls><numFmt")[1:]]
        own |= {book.file: ['sourceLinked="0"' in part for part in stated]} if stated else {}
    assert own == {
        "model_sizing.xlsx": [True],
        "fine_tuning.xlsx": [True, True, True, True],  # ways that fit and ways that do not, in two charts
        "training_budget.xlsx": [True],
        "serving_capacity.xlsx": [True],
    }
