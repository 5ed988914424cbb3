"""What Lite and the LibreOffice add-in carry runs on the standard library alone."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from sizebook.core.domain_archive import FOLDERS, archive, domain_files

# Python without site-packages, without the environment and without this checkout: the archive's folder is all it has.
PROBE = """
import importlib, json, sys
from pathlib import Path
folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
names = sorted({".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
                for path in folder.rglob("*.py")})
for name in names:
    importlib.import_module(name)
from sizebook.functions import load
from sizebook.core.cells import call
loaded = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(json.dumps({
    "modules": names,
    "loaded": sorted(loaded - {"__main__"}),
    "functions": sorted(load()),
    "bytes": call("KV_CACHE_BYTES", "qwen3-0.6b", 40960),
}))
"""


def test_everything_that_is_carried_imports_with_only_the_standard_library(tmp_path: Path) -> None:
    zipfile.ZipFile(io.BytesIO(archive(domain_files()))).extractall(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-S", "-I", "-c", PROBE, str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    assert seen["loaded"] == ["sizebook"]
    assert seen["bytes"] == 4_697_620_480  # the table of the catalog came along too
    assert len(seen["functions"]) > 100
    assert {name.split(".")[1] for name in seen["modules"] if "." in name} == set(FOLDERS) - {"data"}


def test_only_the_named_folders_are_carried() -> None:
    tops = {name.split("/")[1] for name in domain_files()}
    assert tops == {*FOLDERS, "__init__.py"}
