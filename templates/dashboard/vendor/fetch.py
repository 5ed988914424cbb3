"""Fetches the libraries of the page again: `python templates/dashboard/vendor/fetch.py`, with npm and vl-convert.

Tabulator comes from its npm package, bundled by esbuild with the modules that the page uses, for the others would be
compiled before the table stands. Vega and Vega-Lite come as the bundle that vl-convert carries, whose licences npm has.
What was fetched, and how large it is, stands in versions.json.
"""

import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

import vl_convert

HERE = Path(__file__).resolve().parent
# Version of each package: of Vega those inside the bundle.
TABULATOR = "6.5.3"
ESBUILD = "0.28.2"
MODULES = ("Filter", "Format", "Layout", "ResizeTable", "Sort", "Tooltip")
VEGA = vl_convert.get_vega_version()
VEGA_LITE = f"{vl_convert.get_vegalite_versions()[-1]}.0"
EMBED = vl_convert.get_vega_embed_version()


def packed(package: str, version: str, folder: Path) -> Path:
    """Return the unpacked npm package of one version."""
    asked = ["npm", "pack", f"{package}@{version}", "--silent", "--pack-destination", str(folder)]
    name = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    with tarfile.open(folder / name) as archive:
        archive.extractall(folder / package, filter="data")
    return folder / package / "package"


def bundled(tabulator: Path) -> str:
    """Return Tabulator with the modules of the page alone, as one script under the name of its maker."""
    modules = ", ".join(MODULES)
    lines = [
        'import Tabulator from "./src/js/core/Tabulator.js";',
        *(f'import {name} from "./src/js/modules/{name}/{name}.js";' for name in MODULES),
        f"Tabulator.registerModule([{modules}]);",
        "window.Tabulator = Tabulator;",
    ]
    (tabulator / "entry.js").write_text("\n".join(lines), encoding="utf-8")
    asked = [
        "npx",
        "--yes",
        f"esbuild@{ESBUILD}",
        "entry.js",
        "--bundle",
        "--minify",
        "--format=iife",
        "--charset=utf8",
    ]
    script = subprocess.run(asked, check=True, capture_output=True, text=True, cwd=tabulator).stdout
    head = (tabulator / "dist" / "js" / "tabulator.min.js").read_text(encoding="utf-8").splitlines()[0]
    return f"{head}\n{script}"


def fetch(folder: Path) -> None:
    """Write the scripts, their style sheet, licences and versions beside this file."""
    tabulator = packed("tabulator-tables", TABULATOR, folder)
    (HERE / "tabulator.min.js").write_text(bundled(tabulator), encoding="utf-8")
    text = (tabulator / "dist" / "css" / "tabulator_simple.min.css").read_text(encoding="utf-8")
    kept = "\n".join(line for line in text.splitlines() if "sourceMappingURL" not in line)
    (HERE / "tabulator.min.css").write_text(kept + "\n", encoding="utf-8")
    (HERE / "vega.js").write_text(vl_convert.javascript_bundle() + "\n", encoding="utf-8")
    (HERE / "tabulator-LICENSE.txt").write_bytes((tabulator / "LICENSE").read_bytes())
    vegas = {"vega": VEGA, "vega-lite": VEGA_LITE, "vega-embed": EMBED}
    licences = [(packed(package, version, folder) / "LICENSE").read_text() for package, version in vegas.items()]
    (HERE / "vega-LICENSE.txt").write_text("\n".join(dict.fromkeys(licences)), encoding="utf-8")
    state(
        {
            "tabulator.min.js": f"tabulator-tables {TABULATOR} (npm), 6 of its modules",
            "tabulator.min.css": f"the same, {TABULATOR}",
            "vega.js": f"vega {VEGA}, vega-lite {VEGA_LITE}, vega-embed {EMBED} (vl-convert {vl_convert.__version__})",
        }
    )


def state(origins: dict[str, str]) -> None:
    """Write down of each file where it comes from, its licence and its size."""
    licences = {"vega.js": "BSD-3-Clause"}
    rows = [
        {"file": name, "from": origin, "licence": licences.get(name, "MIT"), "bytes": (HERE / name).stat().st_size}
        for name, origin in origins.items()
    ]
    (HERE / "versions.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        fetch(Path(scratch))
