"""`model_comparison.xlsx`: figures by hand, and a table that a spreadsheet sorts and filters."""

from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill
from tests.workbooks.shipped import opened

BOOK = bundled("workbooks") / "model_comparison.xlsx"
GIVEN = {
    "model_1": "llama-3.1-8b", "model_2": "mixtral-8x7b", "dtype": "fp8", "context_tokens": 8192, "sequences": 32,
    "gpu": "h100-sxm", "usd_per_gpu_hour": 2,
}  # fmt: skip


def test_memory_gpus_and_money_are_those_by_hand(tmp_path: Path) -> None:
    assert fill(BOOK, GIVEN, tmp_path / "two.xlsx").problems == []
    sheet: Any = load_workbook(tmp_path / "two.xlsx", data_only=True)["Comparison"]
    heads = [cell.value for cell in next(row for row in sheet.iter_rows() if row[1].value == "Model")]
    top = next(row for row in range(1, 20) if sheet.cell(row, 2).value == "Model")

    def shown(row: int, head: str) -> Any:
        return sheet.cell(top + row, heads.index(head) + 1).value

    # 8 030 261 248 bytes of weights; 32 sequences x 8192 tokens x 2 x 32 layers x 8 heads x 128 x 2 bytes of cache.
    assert shown(1, "Parameters") == 8_030_261_248
    assert shown(1, "Weights, GiB") == 8_030_261_248 / 2**30
    assert shown(1, "Cache, GiB") == 32
    assert shown(1, "GPUs that hold it, GPUs") == 1
    assert shown(1, "Held for a month, USD") == 730 * 2
    # 1.46 million GPU-hours of Llama 3.1 8B, as Meta states them; Mixtral's were never published.
    assert shown(1, "Training at that price, USD") == 1_460_000 * 2
    assert shown(2, "Training at that price, USD") is None
    assert shown(2, "Active") == 12_879_925_248
    assert [shown(row, "Model") for row in (1, 2, 3)] == ["llama-3.1-8b", "mixtral-8x7b", None]


def test_the_table_may_be_sorted_and_filtered() -> None:
    """A cell of the table refers to no other row of it, so rows move whole; its heads are words, each once."""
    sheet = opened(BOOK)["Comparison"]
    (table,) = sheet.tables.values()
    heads, *rows = sheet[table.ref]
    assert table.autoFilter.ref == table.ref and len(rows) == 12
    words = [cell.value for cell in heads]
    assert len(set(words)) == len(words) and all(isinstance(word, str) for word in words)
    assert all(str(cell.value).startswith("=Facts!$") for row in rows for cell in row)
    for row in rows:
        assert len({str(cell.value).split("$")[1] for cell in row}) == 1  # one model a row
