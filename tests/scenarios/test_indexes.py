"""What shows a whole batch: equal outcomes give equal bytes, and each file carries the record that it was made of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sizebook.batch.comparing import Comparison, write_comparison
from sizebook.batch.index import write_index
from sizebook.batch.index_page import write_index_page
from sizebook.batch.inspecting import inspect
from sizebook.batch.table import Line
from sizebook.core.figured import Figured

COST, TIME = Figured("Cost", "USD"), Figured("Time per output token", "seconds")
DAY = "1795132800"  # 2026-11-20
MAKE = "import sys; from tests.scenarios.test_indexes import make; make(sys.argv[1])"


def make(folder: str) -> list[Path]:
    """Write indexes and comparison of two scenarios that are done and one that is not."""
    done = [Line(f"s{n}", "gpt-2", True, {"pdf": f"s{n}.pdf"}, {COST: 100.0 * n, TIME: 0.04 / n}, "") for n in (1, 2)]
    lines, where = [*done, Line("s3", "gpt-3", False, {}, {}, "s3: refused")], Path(folder)
    return [
        write_index(lines, where),
        write_index_page(lines, where),
        *write_comparison(lines, where, Comparison()),
    ]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", DAY)
        return make(str(tmp_path_factory.mktemp("indexes")))


def test_another_process_writes_the_same_bytes(written: list[Path], tmp_path: Path) -> None:
    surroundings = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": DAY}
    subprocess.run([sys.executable, "-c", MAKE, str(tmp_path)], env=os.environ | surroundings, check=True)
    assert [path.name for path in written] == ["index.xlsx", "index.html", "comparison.html", "comparison.pdf"]
    for path in written:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_each_carries_a_record_that_holds_today(written: list[Path]) -> None:
    for path in written:
        found = inspect(path)
        assert (found.record["batch"], found.causes, found.problem) == (3, (), ""), path.name
