"""Plans of a model named by its weights: the memory that its headers state, not parameters times a format."""

import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.batch.plan_kinds import PLAN_KINDS, report_of
from sizebook.core.cells import call
from sizebook.core.reading import read
from sizebook.functions import load
from sizebook.intake import allowed_files
from sizebook.models import catalog
from sizebook.models.verifying import predicted_names
from sizebook.scenarios.scenario_files import SizingScenario, resolve_files, workbook_model
from sizebook.serving.case import case_of
from sizebook.serving.memory import weight_bytes_per_gpu
from sizebook.serving.quantities import Replica
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill
from tests.commands import run
from tests.intake.test_files import refusal
from tests.models.checkpoints.making import Given, folder, gguf, header
from tests.models.made_checkpoints import TINY, TINY_PARAMETERS, tiny_tensors

load()


def sparse(path: Path, model: str, dtype: str) -> int:
    """Write a checkpoint of a catalog model whose values are a hole in the file; return the bytes of its values."""
    names = predicted_names(catalog.architecture(model))
    head, n_bytes = header({name: (dtype, shape) for name, shape in names.items()})
    path.mkdir()
    (path / "config.json").write_text(json.dumps(catalog.config(model)))
    with (path / "model.safetensors").open("wb") as file:
        file.write(head)
        file.truncate(len(head) + n_bytes)
    return n_bytes


def bytes_a_gpu(model: str, **replica: Any) -> float:
    return float(weight_bytes_per_gpu(case_of(model, "h100-sxm", Replica(**replica))))


def test_the_bytes_of_a_dense_model_are_those_of_its_headers(tmp_path: Path) -> None:
    stored = sparse(tmp_path / "m", "llama-3.1-8b", "BF16")
    assert stored == 16_060_522_496
    for path in (f"{tmp_path}/m/", f"{tmp_path}/m/model.safetensors"):
        assert bytes_a_gpu(path) == stored
        assert bytes_a_gpu(path, tp=2, pp=2) == stored / 4
    # A format that is asked for is what an engine quantises to on loading: as of the catalog's model.
    assert bytes_a_gpu(f"{tmp_path}/m/", weight_dtype="fp8") == bytes_a_gpu("llama-3.1-8b", weight_dtype="fp8")


def test_experts_are_split_over_more_gpus_than_the_rest(tmp_path: Path) -> None:
    stored = sparse(tmp_path / "m", "mixtral-8x7b", "F8_E4M3")
    experts = 32 * 8 * 3 * 4096 * 14336
    assert stored == 46_702_792_704
    assert bytes_a_gpu(f"{tmp_path}/m/") == stored
    assert bytes_a_gpu(f"{tmp_path}/m/", tp=2, dp=4, ep=8) == (stored - experts) / 2 + experts / 8


def test_a_checkpoint_in_32_bits_is_loaded_in_16(tmp_path: Path) -> None:
    sparse(tmp_path / "m", "llama-3.1-8b", "F32")
    assert bytes_a_gpu(f"{tmp_path}/m/") == 16_060_522_496


def test_prediction_layers_are_left_out(tmp_path: Path) -> None:
    config = {**TINY, "model_type": "glm4_moe", "architectures": ["Glm4MoeForCausalLM"], "n_routed_experts": 4,
              "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_shared_experts": 1, "first_k_dense_replace": 1,
              "num_nextn_predict_layers": 1, "head_dim": 16, "partial_rotary_factor": 0.5, "use_qk_norm": False,
              "attention_bias": False, "n_group": 1, "topk_group": 1, "norm_topk_prob": True,
              "routed_scaling_factor": 1.0}  # fmt: skip
    tensors: Given = {
        "model.layers.0.mlp.up_proj.weight": ("BF16", (128, 64)),
        "model.layers.1.mlp.experts.0.up_proj.weight": ("BF16", (32, 64)),
        "model.layers.2.eh_proj.weight": ("BF16", (64, 128)),
    }
    folder(tmp_path / "m", tensors, config)
    assert bytes_a_gpu(f"{tmp_path}/m/") == 2 * (128 * 64 + 32 * 64)


def test_a_quantised_file_beside_its_config(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    tensors = [(name, tuple(reversed(shape)), 1, 2 * shape[0] * (shape[1] if len(shape) > 1 else 1))
               for name, shape in tiny_tensors().items()]  # fmt: skip
    (tmp_path / "t.gguf").write_bytes(gguf({}, tensors))
    assert bytes_a_gpu(f"{tmp_path}/t.gguf") == 2 * TINY_PARAMETERS


def test_weights_without_a_config_do_not_plan(tmp_path: Path) -> None:
    path = folder(tmp_path / "m", {"a": ("BF16", (2, 2))})
    assert refusal(lambda: bytes_a_gpu(f"{path}/")) == (
        f"no config: got no config.json beside {path}, want one, for weights do not tell layers and heads. "
        "Download it beside them."
    )


def test_a_scenario_names_a_checkpoint_beside_it(tmp_path: Path) -> None:
    stored = sparse(tmp_path / "m", "llama-3.1-8b", "F8_E4M3")
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        'plan = "serving"\nmodel = "m/"\ngpu = "h100-sxm"\n[traffic]\nrequests_per_day = 1000\n'
        "input_tokens = 1000\noutput_tokens = 200\n"
    )
    done = run("plan", "serve", scenario, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["figures"]["weight_bytes"] == stored


def test_a_sweep_takes_checkpoints_among_catalog_models(tmp_path: Path) -> None:
    sparse(tmp_path / "m", "llama-3.1-8b", "F8_E4M3")
    head = "model,gpu,input_tokens,output_tokens,concurrency,weight_dtype\n"
    rows = "".join(f"{model},h100-sxm,100,100,{n},{dtype}\n" for model, n, dtype in [
        (f"{tmp_path}/m/", 1, ""), ("llama-3.1-8b", 1, ""), ("llama-3.1-8b", 1, "fp8"),
    ])  # fmt: skip
    (tmp_path / "t.csv").write_text(head + rows)
    done = run("sweep", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    assert done.exit_code == 0, done.output
    names, *lines = [line.split(",") for line in (tmp_path / "o.csv").read_text().splitlines()]
    found = [dict(zip(names, line, strict=True)) for line in lines]
    stored, half, fp8 = (each["tpot_seconds"] for each in found)
    assert stored == fp8 != half  # times follow the format that most of the weights are in


def test_a_cell_counts_a_checkpoint(tmp_path: Path) -> None:
    path = folder(tmp_path / "m", {"a.weight": ("BF16", (2, 2)), "b.weight": ("F32", (3,))})
    assert call("CHECKPOINT_PARAMS", f"{path}/") == 7
    assert call("CHECKPOINT_BYTES", f"{path}/model.safetensors") == 20
    assert refusal(lambda: call("CHECKPOINT_BYTES", "nowhere.txt")) == (
        "not a checkpoint: got 'nowhere.txt', want .safetensors, .gguf, .bin, .pt, an index of them or a folder "
        "that ends in /. Give the path of one."
    )
    packed = folder(tmp_path / "p", {"a.weight_packed": ("I32", (64, 64)), "a.weight_scale": ("BF16", (64, 2))})
    assert refusal(lambda: call("CHECKPOINT_PARAMS", f"{packed}/")).startswith(
        "packing not known: got ?-bit in I32 (compressed-tensors), such as a.weight_packed in p, want one that is "
    )


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = folder(tmp_path / "m", {"a.weight": ("BF16", (2, 2))})
    assert call("CHECKPOINT_PARAMS", f"{path}/") == 4
    folder(tmp_path / "m", {"a.weight": ("BF16", (2, 3))})
    assert call("CHECKPOINT_PARAMS", f"{path}/") == 6


def test_the_config_beside_the_weights_counts_as_the_model(tmp_path: Path) -> None:
    folder(tmp_path / "m", {name: ("BF16", shape) for name, shape in tiny_tensors().items()}, TINY)
    assert call("CONFIG_PARAMS", f"{tmp_path}/m/model.safetensors") == TINY_PARAMETERS
    assert refusal(lambda: call("CONFIG_PARAMS", f"{tmp_path}/m/gone.safetensors")) == (
        f"no checkpoint: got {tmp_path}/m/gone.safetensors, want a file of weights, an index of them or a folder that "
        "holds some. Check the path."
    )


def test_a_cell_reads_checkpoints_beside_its_workbook_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIZEBOOK_FILES", raising=False)
    outside = folder(tmp_path / "outside", {"a.weight": ("BF16", (2, 2))}, TINY)
    folder(tmp_path / "books" / "m", {"a.weight": ("BF16", (2, 3))})
    allowed_files.set_workbook_folder(str(tmp_path / "books"))
    try:
        with allowed_files.asked_by_a_cell():
            assert call("CHECKPOINT_PARAMS", "m/") == 6
            for name in ("CHECKPOINT_BYTES", "CONFIG_PARAMS"):
                assert refusal(lambda name=name: call(name, f"{outside}/")).startswith(
                    "file outside the allowed folders: got "
                )  # type: ignore[misc]
            assert refusal(lambda: call("CHECKPOINT_BYTES", "//server/share/m/")).startswith("file of a network: got ")
    finally:
        allowed_files.set_workbook_folder("")


def test_a_sizing_plan_weighs_the_checkpoint(tmp_path: Path) -> None:
    stored = sparse(tmp_path / "m", "llama-3.1-8b", "F8_E4M3")
    assert stored == 8_030_261_248
    for model in ("m/", "m/model.safetensors"):
        scenario = read(SizingScenario, resolve_files(tmp_path, {"model": model}), "here")
        sizing = PLAN_KINDS["sizing"].plan(scenario)
        assert (sizing.weight_bytes, sizing.dtype, sizing.stored) == (stored, "as stored", "as its files have them")
        assert [(s.dtype, s.n_bytes) for s in sizing.storage][:3] == [
            ("as stored", stored), ("fp32", 4 * stored), ("bf16", 2 * stored),
        ]  # fmt: skip
        assert [step.value for step in sizing.figures] == [stored, stored]
    report = report_of(scenario, sizing)
    assert "Stored as its files have them, its weights take" in report.summary
    assert [tile.label for tile in report.tiles][1] == "Weights as stored"
    lines = call("SIZING_TABLE", [["model", "dtype"], [f"{tmp_path}/m/", ""], [f"{tmp_path}/m/", "bf16"]])
    assert [line[2] for line in lines[1:]] == [stored, 2 * stored]


def test_the_workbook_of_a_checkpoint_has_its_bytes(tmp_path: Path) -> None:
    stored = sparse(tmp_path / "m", "llama-3.1-8b", "F8_E4M3")
    inputs = workbook_model(f"{tmp_path}/m/")
    assert inputs == {"model": "config.json", "config_path": f"{(tmp_path / 'm').resolve()}/"}
    fill(bundled("workbooks") / "model_sizing.xlsx", inputs, tmp_path / "out.xlsx")
    book = load_workbook(tmp_path / "out.xlsx", data_only=True)
    cells = {row[1].value: row[2].value for row in book["Calculation"].iter_rows()}
    assert cells["Of the checkpoint, else in the chosen format"] == stored
    assert cells["What they are called"] == "Weights as stored"


def test_a_fleet_takes_a_checkpoint(tmp_path: Path) -> None:
    """A service of a checkpoint in fp8, tables too, is as fast as one quantised on loading and has more room."""
    sparse(tmp_path / "m", "llama-3.1-8b", "F8_E4M3")
    plans = []
    fp8 = 'weight_dtype = "fp8"'
    for model, dtype in (("m/", ""), ("llama-3.1-8b", fp8), ("llama-3.1-8b", "")):
        (tmp_path / "s.toml").write_text(
            f'plan = "fleet"\n[[service]]\nname = "chat"\nmodel = "{model}"\ngpu = "h100-sxm"\n{dtype}\n'
            "requests_per_day = 1000000\ninput_tokens = 1000\noutput_tokens = 200\nconcurrency = 32\n"
        )
        done = run("plan", "fleet", tmp_path / "s.toml", "--json")
        assert done.exit_code == 0, done.output
        plans.append(json.loads(done.stdout))
    stored, quantised, whole = (plan["services"][0]["replica"]["capacity"] for plan in plans)
    assert stored > quantised > whole
    assert plans[0]["months"] == plans[1]["months"]
