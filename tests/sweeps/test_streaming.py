"""Long tables in pieces: records stay whole, order stays, memory stays, and a broken table says so."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from sizebook.core.errors import InputError
from sizebook.sweeps import streaming
from sizebook.sweeps.streaming import columns_and_rows, pieces, prefetched, write
from tests.refused import message_of

PEAK = """
import sys
from pathlib import Path
from sizebook.sweeps.streaming import columns_and_rows, pieces, write
columns_and_rows(Path(sys.argv[1]))
write(pieces(Path(sys.argv[1])), Path(sys.argv[2]))
print(*(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def whole(table: Path) -> pl.DataFrame:
    return pl.concat(pieces(table))


def test_records_with_line_breaks_and_quotes_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 64 bytes end within quotes, between doubled quotes and between CR and LF."""
    rows = [(f"a{n}\nb,{n}", f'say "{n}"', "x" * (n % 70)) for n in range(500)]
    lines = ['"first\nhead",second,third', *(f'"{a}","{b.replace(chr(34), chr(34) * 2)}",{c}' for a, b, c in rows)]
    (tmp_path / "t.csv").write_bytes("\r\n".join(lines).encode())
    monkeypatch.setattr(streaming, "_CSV_BYTES", 64)
    found = whole(tmp_path / "t.csv")
    assert found.columns == ["first\nhead", "second", "third"]
    assert [(a, b, c or "") for a, b, c in found.rows()] == rows


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx"])
def test_rows_keep_their_order_through_pieces(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, rows in (("PIECE_ROWS", 100), ("_PARQUET_ROWS", 250), ("_GROUP_ROWS", 70)):
        monkeypatch.setattr(streaming, limit, rows)
    n = 1007
    given = pl.DataFrame({"a": pl.int_range(n, eager=True).cast(pl.String), "b": ["é,\n"] * n})
    source, copy = (tmp_path / f"{name}.{kind}" for name in ("source", "copy"))
    write(given.iter_slices(77), source)
    assert columns_and_rows(source)[0] == ["a", "b"]
    heights = [piece.height for piece in pieces(source)]
    assert sum(heights) == n
    assert max(heights) <= 100
    write(pieces(source), copy)
    assert whole(copy).equals(given)


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx"])
def test_a_table_without_rows_keeps_its_heads(tmp_path: Path, kind: str) -> None:
    table = tmp_path / f"t.{kind}"
    write(iter([pl.DataFrame(schema={"a": pl.String, "b": pl.String})]), table)
    assert [(piece.columns, piece.height) for piece in pieces(table)] == [(["a", "b"], 0)]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"a,b\n1,2,3\n", "found more fields than defined in 'Schema'"),
        ("a.csv", b"", "empty CSV"),
        ("a.csv", b"a,b\n\xe9,2\n", "invalid utf-8 sequence"),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert message_of(InputError, whole, tmp_path / name) == (
        f"cannot read: got {said} in a.csv, want a whole csv table in UTF-8, the same number of cells in every row. "
        "Mend the table."
    )


def test_a_sheet_longer_than_excel_opens_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "_SHEET_ROWS", 100)
    given = pl.DataFrame({"a": ["x"] * 100})
    write(given.head(99).iter_slices(40), tmp_path / "whole.xlsx")
    assert message_of(InputError, lambda: write(given.iter_slices(40), tmp_path / "cut.xlsx")) == (
        "too many rows for a sheet: got 101 or more with the heads, want at most 100. Write a .csv or .parquet table."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["whole.xlsx"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_memory_does_not_grow_with_rows(tmp_path: Path, kind: str) -> None:
    """Five times the rows, 50 MB more of text: with polars' own streaming the peak of a copy grew by 120 MB."""
    peaks = []
    for n in (40_000, 200_000):
        number = pl.int_range(n, eager=True)
        table = pl.DataFrame({f"c{k}": (number * (k + 1)).hash(k).cast(pl.String) for k in range(16)})
        source = tmp_path / f"{n}.{kind}"
        table.write_csv(source) if kind == "csv" else table.write_parquet(source, row_group_size=20_000)
        words = [sys.executable, "-c", PEAK, str(source), str(tmp_path / f"copy.{kind}")]
        told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        peaks.append(int(told.split("VmHWM:")[1].split()[0]) / 1024)
    assert peaks[1] - peaks[0] < 60, peaks


def test_a_piece_is_made_while_the_last_is_written_and_no_more(tmp_path: Path) -> None:
    """As many pieces as are asked for and one ahead; in order; what fails in the thread fails here."""
    made: list[int] = []

    def numbered() -> Iterator[pl.DataFrame]:
        for n in range(5):
            made.append(n)
            yield pl.DataFrame({"n": [n]})
        raise InputError("no more: got 5 pieces, want 6. Stop.")

    with closing(prefetched(numbered())) as coming:
        assert next(coming)["n"][0] == 0
        until = time.monotonic() + 600
        while len(made) < 2 and time.monotonic() < until:
            time.sleep(0.001)
        assert made == [0, 1]
        assert [frame["n"][0] for frame in (next(coming) for _ in range(4))] == [1, 2, 3, 4]
    assert (
        message_of(InputError, lambda: write(numbered(), tmp_path / "t.csv")) == "no more: got 5 pieces, want 6. Stop."
    )
    assert list(tmp_path.iterdir()) == []


def test_no_thread_outlives_a_write_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(frames: Iterator[pl.DataFrame], path: Path) -> None:
        next(frames)
        raise OSError("disk full")

    monkeypatch.setattr(streaming, "_write_csv", full)
    before = threading.active_count()
    with pytest.raises(InputError, match="disk full"):
        write((pl.DataFrame({"n": [n]}) for n in range(5)), tmp_path / "t.csv")
    assert threading.active_count() == before
    assert list(tmp_path.iterdir()) == []
