"""The pages of the tables say which prices there are and how old, what is estimated, and what changed when."""

import re

from data_pages import changes_page, coverage_page

from sizebook.core.tables import DATA, read


def test_every_priced_accelerator_shows_each_provider_behind_its_newest_day() -> None:
    lines = coverage_page().splitlines()
    (h100,) = (line for line in lines if line.startswith("| `h100-nvl` |"))
    # On demand from two providers, reserved from Azure, spot from Azure, no capacity block.
    assert h100.split(" | ")[1:] == [
        "2026-11-09: runpod<br>2026-10-10: azure",
        "2026-10-10: azure",
        "",
        "2026-08-18: azure",
        "2026-08-18: azure |",
    ]
    (none,) = (line for line in lines if line.startswith("Without any price"))
    assert all(
        f"`{row['key']}`" in none or f"| `{row['key']}` |" in "\n".join(lines) for row in read(DATA / "hardware.csv")
    )


def test_every_table_says_how_old_it_is_and_what_it_estimates() -> None:
    lines = coverage_page().splitlines()
    assert "| `data/prices.csv` | 694 | 2026-11-21 to 2026-11-26 | 2024-12-23 to 2026-11-09 |" in lines
    assert {f"| `data/{path.name}`" for path in DATA.glob("*.csv") if "retrieved" in read(path)[0]} <= {
        line.rpartition(" | ")[0].partition(" | ")[0] for line in lines
    }
    assert "| `data/nodes.csv` | `h100-sxm`, `h200-sxm` | H200 taken to be the same chassis |" in lines


def test_a_price_that_moved_says_from_when_to_when() -> None:
    lines = re.sub(r"\s%", " %", changes_page()).splitlines()
    # (4.41 - 3.39) / 3.39 = 30 %
    assert "| digitalocean | `h100-sxm` | on_demand | 1 | 2026-05-28: 3.39 | 2026-10-04: 4.41 | +30 % |" in lines
    # AWS' A100 of 40 GB differs by rounding alone: 3.2530 and 3.2531.
    assert any(
        line.startswith("| aws | `a100-sxm-40gb` | on_demand | 2 |") and line.endswith("| none |") for line in lines
    )
    read_on = {line[2:12]: line for line in lines if line.startswith("| 2026-")}
    assert " prices 139, " in read_on["2026-11-26"] and " prices 208, " in read_on["2026-11-25"]
