"""Lighthouse on the site: ``python -m tests.docs.lighthouse FOLDER``, where npm put it; `.ci/run` does so.

The front page, a tutorial, the longest page, a German one and the page of models that the package writes: nothing may
be found of accessibility or best practices. Each page has four minutes.
"""

import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.dashboard.driving import CHROMIUM

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("site/index", "site/tutorials/excel", "site/functions/serving", "site/de/start", "models")
CATEGORIES = ("accessibility", "best-practices")
SECONDS = 240


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...


def findings(lighthouse: Path, address: str, folder: Path) -> list[str]:
    """Return what Lighthouse finds on a page: audits below their full score."""
    words = [
        str(lighthouse / "node_modules" / ".bin" / "lighthouse"), address, "--quiet", "--output", "json",
        "--output-path", str(folder / "found.json"), f"--only-categories={','.join(CATEGORIES)}",
        "--chrome-flags=--headless --no-sandbox --disable-gpu",
    ]  # fmt: skip
    subprocess.run(words, env={**os.environ, "CHROME_PATH": CHROMIUM}, timeout=SECONDS, check=True)
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    if "runtimeError" in found or any(found["categories"][name]["score"] is None for name in CATEGORIES):
        return [f"no result: {found.get('runtimeError')}"]
    return [audit["title"] for audit in found["audits"].values() if audit["score"] is not None and audit["score"] < 1]


def main() -> int:
    n_found = 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "site").symlink_to(ROOT / "out" / "site")
        written = [sys.executable, "-m", "sizebook", "dashboard", "-o", f"{folder}/models.html"]
        subprocess.run(written, stdout=subprocess.DEVNULL, check=True)
        server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for page in PAGES:
            found = findings(Path(sys.argv[1]), f"http://127.0.0.1:{server.server_port}/{page}.html", Path(folder))
            print(f"{page}: {'; '.join(found) or 'nothing found'}", flush=True)  # noqa: T201
            n_found += len(found)
        server.shutdown()
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main())
