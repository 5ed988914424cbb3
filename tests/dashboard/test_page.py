"""The page as a file: nothing from outside, its size, and the libraries that it carries."""

import hashlib
import json
import re
from pathlib import Path

from click.testing import CliRunner

from sizebook.cli.dashboard import dashboard
from sizebook.dashboard.catalog_models import Model
from sizebook.dashboard.html_page import page_html, write_page
from sizebook.sources.bundled import bundled

VENDOR = bundled("templates") / "dashboard" / "vendor"
MOST_BYTES = 3_000_000


def test_the_page_is_one_file_that_asks_no_network(models: dict[str, Model], tmp_path: Path) -> None:
    page = write_page(list(models.values()), tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(page.encode()) < MOST_BYTES
    # The browser itself refuses every address but those in the file.
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None and policy[1].startswith("default-src 'none'; ")
    assert not re.search(r"https?:", policy[1])
    assert not re.search(
        r"<(?:script|img|iframe|link)[^>]*\s(?:src|href)=[\"'](?!data:)", page.partition("<script id=")[0]
    )


def test_equal_models_give_equal_pages(models: dict[str, Model]) -> None:
    few = list(models.values())[:3]
    once, again = (hashlib.sha256(page_html(few).encode()).hexdigest() for _ in range(2))
    assert once == again


def test_what_is_carried_is_stated_with_licence_and_size() -> None:
    stated = json.loads((VENDOR / "versions.json").read_text(encoding="utf-8"))
    assert {row["file"]: row["bytes"] for row in stated} == {
        path.name: path.stat().st_size for path in VENDOR.iterdir() if path.suffix in (".js", ".css")
    }
    assert "Permission is hereby granted" in (VENDOR / "tabulator-LICENSE.txt").read_text(encoding="utf-8")
    assert "Redistribution and use" in (VENDOR / "vega-LICENSE.txt").read_text(encoding="utf-8")


def test_only_html_is_written(tmp_path: Path) -> None:
    done = CliRunner().invoke(dashboard, ["-o", str(tmp_path / "page.pdf")])
    assert str(done.exception) == "unknown format: got 'page.pdf', want a name that ends in .html. Rename it."
    assert list(tmp_path.iterdir()) == []


def test_the_command_puts_own_models_first(tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text("name,published_total\nOurs,7B\n", encoding="utf-8")
    done = CliRunner().invoke(dashboard, ["-o", str(tmp_path / "page.html"), "--models", str(tmp_path / "my.csv")])
    assert re.fullmatch(r".*page\.html: \d+ models, \d\.\d MB\. Open it in a browser\.\n", done.stdout)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    held = json.loads(page.partition('<script id="first" type="application/json">')[2].partition("</script>")[0])
    name, is_own = (
        [column["words"][place] for place in column["of"][:2]] if "words" in column else column["of"][:2]
        for column in (held["models"]["name"], held["models"]["own"])
    )
    assert (name, is_own) == (["Ours", "Kimi K3"], [True, False])
