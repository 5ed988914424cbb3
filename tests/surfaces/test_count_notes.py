"""A note of a count stands wherever a figure of the model does: cells, plans as text and JSON, reports, workbooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from sizebook.batch.formats import produce
from sizebook.batch.jobs import made
from sizebook.cli import app
from sizebook.core.cells import call
from sizebook.functions import load

NOTE = "the file leaves out what the class of its model type gives: 'intermediate_size' = 11008 in model.json"
TRAFFIC = {"requests_per_day": 10000, "input_tokens": 500, "output_tokens": 100}
SCENARIOS = {
    "sizing": {"dtype": "bf16"},
    "training": {"gpu": "h100-sxm", "gpus": 8, "tokens": 1e9, "batch": 64, "seq": 512},
    "serving": {"gpu": "h100-sxm", "traffic": {**TRAFFIC, "months": 1}},
}


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Return the path of a small Llama whose file leaves out the inner width."""
    path = tmp_path / "model.json"
    sizes = {"hidden_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 1000}
    path.write_text(json.dumps({"model_type": "llama", "max_position_embeddings": 4096, **sizes}))
    return str(path)


def _values(plan: str, model: str) -> dict[str, object]:
    if plan == "fleet":
        service = {"name": "chat", "model": model, "gpu": "h100-sxm", **TRAFFIC}
        return {"plan": plan, "service": [service]}
    return {"plan": plan, "model": model, **SCENARIOS[plan]}


def _toml(values: dict[str, object]) -> str:
    flat = [f"{key} = {json.dumps(value)}" for key, value in values.items() if not isinstance(value, dict | list)]
    for key, value in values.items():
        if isinstance(value, dict | list):
            heading, inner = (f"[[{key}]]", value[0]) if isinstance(value, list) else (f"[{key}]", value)
            flat += [heading, *(f"{name} = {json.dumps(each)}" for name, each in inner.items())]
    return "\n".join(flat)


def test_a_cell_says_it(model: str) -> None:
    load()
    assert call("MODEL_NOTES", model) == NOTE
    assert call("SIZEBOOK_WHY", "PARAMS_MODEL", model) == f"no error; note: {NOTE}"
    assert call("SIZEBOOK_WHY", "PARAMS_MODEL", [[model], ["gpt-2-small"]]) == [
        [f"no error; note: {NOTE}"],
        ["no error"],
    ]
    assert call("SIZEBOOK_WHY", "KV_CACHE_BYTES", model, [[1, 2]]) == [[f"no error; note: {NOTE}"] * 2]
    assert call("SIZEBOOK_WHY", "CONFIG_PARAMS", model) == f"no error; note: {NOTE}"
    assert call("SIZEBOOK_WHY", "CONFIG_PARAMS", "sample") == "no error"


@pytest.mark.parametrize(("command", "plan"), [("train", "training"), ("serve", "serving"), ("fleet", "fleet")])
def test_a_plan_says_it(command: str, plan: str, model: str, tmp_path: Path) -> None:
    scenario = tmp_path / "plan.toml"
    scenario.write_text(_toml(_values(plan, model)))
    shown = CliRunner().invoke(app, ["plan", command, str(scenario)])
    assert NOTE in shown.output
    data = json.loads(CliRunner().invoke(app, ["plan", command, str(scenario), "--json"]).output)
    assert (data["warnings"] if plan == "fleet" else data["notes"]) in ([NOTE], [f"chat: {NOTE}."])


@pytest.mark.parametrize("plan", [*SCENARIOS, "fleet"])
def test_report_and_workbook_say_it(plan: str, model: str, tmp_path: Path) -> None:
    planned = made(_values(plan, model), "plan.toml", tmp_path)
    assert NOTE in str(planned.report)
    done = produce(planned, tmp_path, "copy", ("xlsx", "json"))
    assert [note.removeprefix("chat: ") for note in done.notes] == [NOTE]
    cells = [cell.value for sheet in load_workbook(done.files["xlsx"], data_only=True) for row in sheet for cell in row]
    assert NOTE in cells
    assert [note.removeprefix("chat: ") for note in json.loads(done.files["json"].read_bytes())["notes"]] == [NOTE]
