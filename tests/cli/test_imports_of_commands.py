"""What a command loads before it answers: not what other commands need. Times are measured by benchmarks/startup.py."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "vocab_size": 1000,
}
# What reads headers, TOML, the Hub; what completes words in a shell, plans, draws or calculates.
ELSEWHERE = (
    "click.shell_completion",
    "sizebook.cli.checkpoint_counts",
    "sizebook.models.checkpoints.contents",
    "sizebook.models.checkpoints.reading",
    "sizebook.models.checkpoints.packings",
    "sizebook.plans",
    "sizebook.serving",
    "sizebook.sources.hub",
    "sizebook.training",
    "sizebook.workbooks",
    "numpy",
    "tomllib",
)
RUN = """
import sys
from sizebook.cli import app
sys.argv[0] = "sizebook"
app(standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""


def _loaded(*words: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", RUN, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_count_of_a_config_loads_what_a_config_needs(tmp_path: Path, more: tuple[str, ...]) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    loaded = _loaded("count", str(file), *more)
    assert loaded & set(ELSEWHERE) == {"tomllib"}  # types that are rows
    families = {name for name in loaded if name.startswith("sizebook.models.families.decoders.")}
    own = {"rows", "latent_attention"}  # of three dozen modules the type's own, and a brick of its rows
    assert families == {f"sizebook.models.families.decoders.{name}" for name in own}
    assert "sizebook.models.families.decoders.gemma" not in loaded


def test_a_call_of_a_formula_loads_neither_models_nor_files() -> None:
    loaded = _loaded("call", "PARAMS_MHA", "4096")
    elsewhere = {*ELSEWHERE, "json", "pathlib", "sizebook.core.tables", "sizebook.intake", "sizebook.models"}
    assert loaded & elsewhere == set()
    assert {name for name in loaded if name.startswith("sizebook.formulas.")} == {"sizebook.formulas.params"}


def test_filling_loads_no_openpyxl() -> None:
    """What builds new workbooks takes 20 MB (openpyxl, and numpy where it is installed), and filling needs none."""
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, sizebook.workbooks.filling; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert "sizebook.workbooks.filling" in loaded
    assert {"openpyxl", "numpy"}.isdisjoint(loaded)
