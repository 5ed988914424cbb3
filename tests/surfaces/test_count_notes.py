"""A note of a count stands wherever a figure of the model does: cells, plans as text and JSON, reports, workbooks."""

import json
from html import unescape
from math import prod
from pathlib import Path

import pytest
from openpyxl import load_workbook
from tomli_w import dumps

from sizebook.batch.formats import produce_files
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names
from tests.commands import run
from tests.models.checkpoints.making import folder

LEFT_OUT = "the file leaves out what the class of its model type gives: 'intermediate_size' = 11008 in model.json"
PIECE = "one of 2 pieces, the others are not counted: give their folder or index"
TRAFFIC = {"requests_per_day": 10000, "input_tokens": 500, "output_tokens": 100}
SCENARIOS = {
    "sizing": {"dtype": "bf16"},
    "training": {"gpu": "h100-sxm", "gpus": 8, "tokens": 1e9, "batch": 64, "seq": 512},
    "serving": {"gpu": "h100-sxm", "traffic": {**TRAFFIC, "months": 1}},
}


@pytest.fixture(params=["config", "weights"])
def noted(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Return the path of a small Llama and the note on its count.

    Its file leaves out the inner width, or it is given by one of two pieces of its weights, which hold half of them.
    """
    sizes = {"hidden_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 1000}
    config = {"model_type": "llama", "max_position_embeddings": 4096, **sizes}
    if request.param == "config":
        path = tmp_path / "model.json"
        path.write_text(json.dumps(config))
        return str(path), LEFT_OUT
    described = architecture(Config({**config, "intermediate_size": 512}, "config.json"))
    shapes = {name: ("BF16", shape) for name, shape in predicted_names(described).items() if "layers.1" not in name}
    folder(tmp_path / "m", shapes, {**config, "intermediate_size": 512}, "model-00001-of-00002")
    held = sum(prod(shape) for _, shape in shapes.values())
    differs = f"the headers hold {held} parameters, the config says {count(described).total}: 'sizebook verify' names "
    return str(tmp_path / "m" / "model-00001-of-00002.safetensors"), f"{PIECE}; {differs}the tensors that differ"


def _values(plan: str, model: str) -> dict[str, object]:
    if plan == "fleet":
        service = {"name": "chat", "model": model, "gpu": "h100-sxm", **TRAFFIC}
        return {"plan": plan, "service": [service]}
    return {"plan": plan, "model": model, **SCENARIOS[plan]}


def test_a_cell_says_it(noted: tuple[str, str]) -> None:
    load()
    model, note = noted
    assert call("MODEL_NOTES", model) == note
    assert call("SIZEBOOK_WHY", "PARAMS_MODEL", model) == f"no error; note: {note}"
    assert call("SIZEBOOK_WHY", "PARAMS_MODEL", [[model], ["gpt-2-small"]]) == [
        [f"no error; note: {note}"],
        ["no error"],
    ]
    assert call("SIZEBOOK_WHY", "KV_CACHE_BYTES", model, [[1, 2]]) == [[f"no error; note: {note}"] * 2]
    assert call("SIZEBOOK_WHY", "CONFIG_PARAMS", model) == f"no error; note: {note}"
    assert call("SIZEBOOK_WHY", "CONFIG_PARAMS", "sample") == "no error"


def test_a_cell_that_reads_headers_says_it(tmp_path: Path) -> None:
    """Without a config too: of weights, nothing was said in a cell."""
    load()
    whole = folder(tmp_path / "a", {"a.b": ("F32", (3, 5))}, None, "one")
    folder(whole, {"c": ("F32", (2,))}, None, "two")
    note = "2 files that no index lists were counted together, first one.safetensors, two.safetensors"
    for name in ("CHECKPOINT_PARAMS", "CHECKPOINT_BYTES"):
        assert call("SIZEBOOK_WHY", name, f"{whole}/") == f"no error; note: {note}"
        assert call("SIZEBOOK_WHY", name, "sample") == "no error"
    assert call("MODEL_NOTES", f"{whole}/") == note


@pytest.mark.parametrize(("command", "plan"), [("train", "training"), ("serve", "serving"), ("fleet", "fleet")])
def test_a_plan_says_it(command: str, plan: str, noted: tuple[str, str], tmp_path: Path) -> None:
    model, note = noted
    scenario = tmp_path / "plan.toml"
    scenario.write_text(dumps(_values(plan, model)))
    shown = run("plan", command, scenario)
    assert all(each in shown.output for each in note.split("; "))
    data = json.loads(run("plan", command, scenario, "--json").output)
    each = note.split("; ")
    said = data.get("notes")
    if plan == "fleet":  # among the warnings, beside what is to know of the price
        money = [
            one
            for one in data["warnings"]
            if one.startswith(("Price of a GPU-hour: data/prices.csv: on demand, ", "The range "))
        ]
        assert len(money) == 2
        said = [one for one in data["warnings"] if one not in money]
    assert said in (each, [f"chat: {one}." for one in each])


@pytest.mark.parametrize(
    "plan", ["sizing", "training", *(pytest.param(each, marks=pytest.mark.ci) for each in ("serving", "fleet"))]
)
def test_report_and_workbook_say_it(plan: str, noted: tuple[str, str], tmp_path: Path) -> None:
    model, note = noted
    each = note.split("; ")
    planned = plan_scenario(_values(plan, model), "plan.toml", tmp_path)
    assert all(said in unescape(str(planned.report)) for said in each)
    done = produce_files(planned, tmp_path, "copy", ("xlsx", "json"))
    assert [said.removeprefix("chat: ") for said in done.notes] == each
    cells = [cell.value for sheet in load_workbook(done.files["xlsx"], data_only=True) for row in sheet for cell in row]
    assert note in cells
    assert [said.removeprefix("chat: ") for said in json.loads(done.files["json"].read_bytes())["notes"]] == each
