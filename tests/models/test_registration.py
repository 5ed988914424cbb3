"""Which types are known does not depend on what was imported before: each module is the first one of some process."""

import json
import sys

import pytest

from sizebook.models.huggingface import modules
from tests.commands import python
from tests.models.counts import small_configs

# A process that imports the catalog alone, and forks for each config that it reads. Prints what each child counted.
COUNTS = """
import json, os, sys
from sizebook.models import catalog
from sizebook.models.config import Config

for line in sys.stdin:
    sys.stdout.flush()
    if os.fork():
        os.wait()
        continue
    assert not [name for name in sys.modules if name.startswith("sizebook.models.families.")]
    print(catalog.count(catalog.huggingface.architecture(Config(json.loads(line), "config.json"))).total, flush=True)
    os._exit(0)
"""
# The table says that GPT-1 is described among encoders, as where it is not yet written again.
STALE = """
from sizebook.models import catalog, huggingface

huggingface.modules = lambda: {"openai-gpt": "encoders.whole"}
print(catalog.counted("gpt-1").total)
"""


def _printed(code: str, given: str = "") -> list[str]:
    run = python("-c", code, input=given)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout.split()


@pytest.mark.skipif(sys.platform == "win32", reason="fork of POSIX")
def test_a_type_of_each_module_is_counted_before_any_other() -> None:
    first = {modules()[row["config"]["model_type"]]: row for row in reversed(small_configs("distinct_counts.jsonl"))}
    assert first.keys() == set(modules().values())
    printed = _printed(COUNTS, "".join(f"{json.dumps(row['config'])}\n" for row in first.values()))
    assert dict(zip(first, printed, strict=True)) == {module: str(row["total"]) for module, row in first.items()}


def test_a_stale_table_of_modules_hides_no_type() -> None:
    """GPT-1: 116,534,784 parameters (Radford et al. 2018, counted by transformers)."""
    assert _printed(STALE) == ["116534784"]
