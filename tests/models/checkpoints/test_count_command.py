"""`sizebook count` of what people hold in their hands: checkpoints, pipelines, adapters, and what is none of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.core.texts import THIN_SPACE
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names
from tests.commands import run
from tests.models.checkpoints.making import Given, folder, gguf, safetensors
from tests.models.checkpoints.test_gguf import KEYS, TENSORS
from tests.models.loopback_hub import Hub, serving
from tests.models.made_checkpoints import TINY, TINY_PARAMETERS, tiny_tensors
from tests.models.test_hub import sizebook

TINY_WEIGHTS: Given = {name: ("BF16", shape) for name, shape in tiny_tensors().items()}


def counted(*words: str | Path) -> dict[str, Any]:
    done = run("count", *words, "--json")
    assert done.exit_code == 0, done.output
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def refused(*words: str | Path) -> str:
    done = run("count", *words)
    assert isinstance(done.exception, SizebookError), done.output
    return str(done.exception)


def test_links_that_lead_nowhere_lie_beside_and_harm_nothing(tmp_path: Path) -> None:
    path = folder(tmp_path / "tiny", TINY_WEIGHTS, TINY)
    (path / "itself.gguf").symlink_to("itself.gguf")
    (path / "gone.bin").symlink_to("nothing")
    assert counted(path)["total"] == TINY_PARAMETERS


def test_headers_and_config_together(tmp_path: Path) -> None:
    shown = counted(folder(tmp_path / "tiny", TINY_WEIGHTS, TINY))
    assert (shown["model"], shown["kind"], shown["files"], shown["tensors"]) == ("tiny", "safetensors", 1, 21)


def _routed(path: Path, *, mtp: int, beside: Given) -> str:
    """Write a small GLM 4.5 with tensors beside its own; return what is said of headers and config."""
    config = {"model_type": "glm4_moe", "architectures": ["Glm4MoeForCausalLM"], "hidden_size": 64, "head_dim": 16,
              "intermediate_size": 96, "moe_intermediate_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2,
              "num_hidden_layers": 3, "first_k_dense_replace": 1, "n_routed_experts": 8, "n_shared_experts": 1,
              "num_experts_per_tok": 2, "vocab_size": 100, "num_nextn_predict_layers": mtp}  # fmt: skip
    own: Given = {name: ("BF16", shape) for name, shape in predicted_names(architecture(Config(config, "c"))).items()}
    said: str = counted(folder(path, {**own, **beside}, config))["config"]["agreement"]
    return said


def test_what_headers_hold_beside_the_config_is_named(tmp_path: Path) -> None:
    """Corrections of routers are stored and not trained: 8 numbers in each of two layers were called a difference."""
    balance: Given = {f"layers.{layer}.mlp.gate.e_score_correction_bias": ("F32", (8,)) for layer in (1, 2)}
    assert _routed(tmp_path / "a", mtp=0, beside=balance) == (
        "the headers hold the parameters of the config, and 16 in buffers beside them"
    )
    # A prediction layer with copies of the embedding and of the head, as DeepSeek V3's and GLM's checkpoints have it.
    copies: Given = {f"layers.3.{name}.weight": ("BF16", (100, 64)) for name in ("embed_tokens", "shared_head.head")}
    assert _routed(tmp_path / "b", mtp=1, beside={**balance, **copies}) == (
        "the headers hold the parameters of the config, and 12800 in prediction layers (multi-token prediction) and 16 "
        "in buffers beside them"
    )
    strange: Given = {"layers.1.mlp.gate.strange": ("F32", (8,))}
    assert _routed(tmp_path / "c", mtp=0, beside=strange).endswith("'sizebook verify' names the tensors that differ")


def test_any_architecture_is_counted_without_a_mapping(tmp_path: Path) -> None:
    shown = counted(folder(tmp_path / "t", {"a.b": ("F32", (3, 5))}, {"model_type": "brandnew"}))
    assert (shown["total"], shown["bytes"]) == (15, 60)
    assert "active" not in shown
    assert shown["notes"][0].startswith(
        "active parameters, cache and FLOPs are unknown: unknown model type: got 'brandnew' in config.json"
    )


def test_a_pipeline_is_counted_in_parts(tmp_path: Path) -> None:
    index = {
        "_class_name": "StableDiffusionPipeline",
        "unet": ["diffusers", "UNet2DConditionModel"],
        "text_encoder": ["transformers", "CLIPTextModel"],
        "scheduler": ["diffusers", "PNDMScheduler"],
        "safety_checker": [None, None],
    }
    (tmp_path / "model_index.json").write_text(json.dumps(index))
    unet: Given = {"conv_in.weight": ("F16", (320, 4, 3, 3)), "conv_in.bias": ("F16", (320,))}
    folder(tmp_path / "unet", unet, {"_class_name": "UNet2DConditionModel"}, "diffusion_pytorch_model")
    folder(tmp_path / "unet", unet, name="diffusion_pytorch_model.fp16")  # a variant of the same part
    folder(tmp_path / "text_encoder", {"embed.weight": ("F16", (100, 16))})
    for path in (tmp_path, tmp_path / "model_index.json"):
        shown = counted(path)
        assert shown["pipeline"] == "StableDiffusionPipeline"
        assert (shown["total"], shown["bytes"]) == (320 * 36 + 320 + 1600, 2 * (320 * 36 + 320 + 1600))
        assert [(part["model"], part["class"], part["total"]) for part in shown["parts"]] == [
            ("unet", "UNet2DConditionModel", 11_840), ("text_encoder", "CLIPTextModel", 1_600),
        ]  # fmt: skip
        assert shown["without_weights"] == ["scheduler"]
        assert shown["parts"][0]["notes"][0] == ("diffusion_pytorch_model.fp16.safetensors beside were not counted")


def test_a_quantised_gguf_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(gguf(KEYS, TENSORS))
    done = run("count", tmp_path / "tiny.gguf")
    lines = done.stdout.replace(THIN_SPACE, ",").splitlines()
    assert lines[0] == "tiny.gguf, from the headers of 1 file (GGUF, qwen3moe, Tiny)"
    assert lines[2].split() == ["Q8_0", "131,072", "1", "t.", "139", "kB"]
    # 131,072 weights of 8 experts, of which a token visits 2.
    assert next(line.split() for line in lines if "active" in line) == ["active", "100,608", "101", "k"]
    assert lines[-4] == "By the file's own keys (qwen3moe: 2 of 8 experts)."
    assert lines[-2] == (
        "Note: cache and FLOPs are unknown: missing key: got no 'hidden_size' in the keys of tiny.gguf, want a "
        "whole number. Add it, or use the complete config.json of the model."
    )


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
JSON = "want a config.json with model_type."
NEITHER = "want safetensors, GGUF or torch.save."
BESIDE = "Give the config.json beside it."


def no_config(what: str, fix: str = BESIDE) -> str:
    return f"no config of a model: got {what} in FILE, {JSON} {fix}"


OTHERS: dict[str, tuple[Any, str]] = {
    "tokenizer_config.json": ({"tokenizer_class": "T"}, no_config("the settings of a tokenizer")),
    "tokenizer.json": ({"added_tokens": []}, no_config("a tokenizer")),
    "generation_config.json": ({"temperature": 1}, no_config("settings of generation")),
    "preprocessor_config.json": ({"image_processor_type": "X"}, no_config("the settings of a processor")),
    "unet.json": ({"_class_name": "U"}, no_config(
        "part of a diffusers pipeline",
        "Give the folder of the pipeline or of this part: its weights say what it holds.")),
    "lora.json": ({"peft_type": "LORA"}, no_config(
        "the settings of an adapter", "Count it with 'sizebook count FOLDER', beside its base model.")),
    "x.json": ({"a": 1}, "no model type: got none in FILE, want the key model_type, which says how the other keys are "
               "read. Give the model's own config.json, or count its weights: 'sizebook count FOLDER'."),
    "x.bin": (LFS, f"no checkpoint: got a pointer of Git LFS, not the file itself in FILE, {NEITHER} "
              "Run 'git lfs pull', or download it."),
    "x.h5": (b"\x89HDF\r\n", f"no checkpoint: got an HDF5 file (Keras, TensorFlow) in FILE, {NEITHER} "
             "Convert it to safetensors."),
    "x.txt": (b"hello", f"no checkpoint: got FILE, which begins with 68656c6c6f, {NEITHER} Check the path."),
    "x.pth": (b"", f"no checkpoint: got FILE, which begins with nothing, {NEITHER} Check the path."),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_model_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    content, message = OTHERS[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    assert refused(path) == message.replace("FILE", name)


def test_a_folder_without_weights_says_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text('{"_class_name": "P", "unet": ["diffusers", "U"]}')
    assert refused(tmp_path) == (
        f"no weights: got model_index.json of {tmp_path.name} without the folders of its parts (unet), want their "
        "weights. Download them."
    )


def repository() -> dict[str, bytes]:
    return {
        "config.json": json.dumps({"model_type": "brandnew"}).encode(),
        "model.safetensors": safetensors(TINY_WEIGHTS),
        "quantised/tiny.gguf": gguf(KEYS, TENSORS),
    }


def test_a_repository_is_counted_by_range_requests(tmp_path: Path) -> None:
    with serving(Hub(repository())) as hub:
        weights = sizebook(hub.url, tmp_path, "count", "test-org/tiny", "--weights", "--json")
        instead = sizebook(hub.url, tmp_path, "count", "test-org/tiny", "--json")
        one = sizebook(hub.url, tmp_path, "count", "test-org/tiny/quantised/tiny.gguf", "--json")
    assert json.loads(weights.stdout)["total"] == TINY_PARAMETERS
    assert instead.stdout == weights.stdout
    assert instead.stderr.endswith("Counted from the headers of its weights instead:\n")
    assert json.loads(one.stdout)["total"] == 198_912
    assert hub.bytes_sent < 100_000, "the values were downloaded"
