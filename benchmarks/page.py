"""Measures the page in Chromium: first table, sorting and filtering of 1,000 models; `python benchmarks/page.py`.

Processor time of the page's main thread (Chromium's thread clock) stands beside the wall clock, because a busy machine
stretches only the latter. Sorting and filtering end when the rows are laid out.
"""

import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from sizebook.dashboard.catalog_models import Model, published_models
from sizebook.dashboard.html_page import write_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.dashboard.driving import CHROMIUM, SWITCHES, WIDE

N_MODELS = 1000
REPEATS = 7
# What is measured, and what makes it undone before the next time.
STEPS = {
    "sort by count": ("table.setSort('total', 'desc')", "table.setSort('release_date', 'desc')"),
    "sort by name": ("table.setSort('name', 'asc')", "table.setSort('release_date', 'desc')"),
    "filter by text": ("change({ q: 'llama' })", "change({ q: '' })"),
    "text filter taken back": ("change({ q: '' })", "change({ q: 'llama' })"),
    "filter by feature": ("change({ q: '', features: ['experts'] })", "change({ features: [] })"),
}
# What is read once the table was drawn waits half a second without pictures, so that it is not measured with the table.
HELD = "window.requestAnimationFrame = () => 0"
# Milliseconds until the rows of the table are in place and measured.
TIMED = """async (step) => {{
  const start = performance.now();
  await {step};
  document.body.getBoundingClientRect();
  return performance.now() - start;
}}"""


def many(models: list[Model]) -> list[Model]:
    """Return 1,000 models: those of the catalog, again under other names."""
    copies = (
        replace(model, key=f"{model.key}-{n}", name=f"{model.name} {n}") for n in range(1, N_MODELS) for model in models
    )
    return [*models, *(next(copies) for _ in range(N_MODELS - len(models)))]


def spent(session: CDPSession) -> float:
    """Return the processor milliseconds of the main thread so far."""
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["TaskDuration"])


def opened(browser: Browser, address: str, until: str = "table") -> tuple[Page, CDPSession, float]:
    """Return the page once its table stands, or all is "ready", and the processor milliseconds that this took."""
    page = browser.new_page(viewport=WIDE)
    if until == "table":
        page.add_init_script(HELD)
    session = page.context.new_cdp_session(page)
    # A folder first: the page then loads in a process whose clock runs already.
    page.goto(address.rpartition("/")[0])
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = spent(session)
    page.goto(f"{address}#view=models")
    page.wait_for_selector(f"body[data-{until}]")
    return page, session, spent(session) - before


def measure(browser: Browser, address: str) -> None:
    walls, busy = [], []
    for _ in range(REPEATS):
        page, _, taken = opened(browser, address)
        walls.append(float(page.evaluate("performance.getEntriesByName('first-table')[0].startTime")))
        busy.append(taken)
        page.close()
    told("first table", walls, busy)
    page, session, taken = opened(browser, address, "ready")
    print(f"{'all else read':26} {'':30} {taken:6.0f} ms processor")
    for name, (step, undone) in STEPS.items():
        page.evaluate(undone)
        walls, busy = [], []
        for _ in range(REPEATS):
            before = spent(session)
            walls.append(float(page.evaluate(TIMED.format(step=step))))
            busy.append(spent(session) - before)
            page.evaluate(undone)
        told(name, walls, busy)


def told(name: str, walls: list[float], busy: list[float]) -> None:
    print(
        f"{name:26} {statistics.median(walls):8.0f} ms wall (best {min(walls):.0f}), "
        f"{statistics.median(busy):6.0f} ms processor (best {min(busy):.0f})"
    )


def main() -> None:
    models = published_models()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for shown in (models, many(models)):
            path = write_page(shown, Path(folder) / "page.html")
            print(f"\n{len(shown)} models, {path.stat().st_size / 1e6:.2f} MB")
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
            measure(browser, path.as_uri())
            browser.close()


if __name__ == "__main__":
    main()
