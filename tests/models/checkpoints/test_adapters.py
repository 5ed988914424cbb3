"""LoRA adapters against their base: figures of peft 0.21 on small models, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.core.texts import THIN_SPACE
from sizebook.models.checkpoints.adapters import adapter_of
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.sources.checkpoints import base_of, predicted_base
from tests.commands import run
from tests.intake.test_files import refusal
from tests.models.checkpoints.making import folder
from tests.models.checkpoints.test_count_command import TINY_WEIGHTS, counted
from tests.models.edits import bases
from tests.models.made_checkpoints import TINY, TINY_PARAMETERS

QWEN = {
    **TINY, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "intermediate_size": 160,
    "num_hidden_layers": 3,
}  # fmt: skip
MIXTRAL = {
    **TINY, "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": 4,
    "num_experts_per_tok": 2,
}  # fmt: skip
# Base, settings, and the trainable parameters that peft makes of them (get_peft_model, requires_grad).
PEFT: list[tuple[dict[str, Any], dict[str, Any], int]] = [
    (TINY, {"r": 8, "target_modules": ["q_proj", "v_proj"]}, 3_584),
    (TINY, {"r": 16, "target_modules": "all-linear"}, 32_768),
    (TINY, {"r": 4, "target_modules": ["q_proj", "down_proj"], "use_dora": True}, 2_816),
    (
        TINY,
        {"r": 4, "target_modules": ["q_proj", "k_proj"], "rank_pattern": {"k_proj": 2}, "layers_to_transform": [1]},
        704,
    ),
    (TINY, {"r": 4, "target_modules": ["o_proj"], "modules_to_save": ["lm_head", "embed_tokens"]}, 13_824),
    (TINY, {"r": 4, "target_modules": ["embed_tokens", "lm_head"]}, 1_312),
    (TINY, {"r": 4, "target_modules": ["up_proj", "q_proj"], "exclude_modules": ["q_proj"]}, 1_536),
    (TINY, {"r": 4, "target_modules": ["up_proj"], "lora_bias": True}, 1_792),
    (QWEN, {"r": 8, "target_modules": ["q_proj", "v_proj"], "bias": "all"}, 5_760),
    (QWEN, {"r": 8, "target_modules": ["q_proj", "v_proj"], "bias": "lora_only"}, 5_664),
]


COUNTED = Path(__file__).parent / "adapter_counts.jsonl"  # settings drawn at random, and what peft 0.21 trains of them


def adapted(base: dict[str, Any], settings: dict[str, Any]) -> int:
    described = predicted_base(architecture(Config(dict(base), "config.json")))
    return adapter_of({"peft_type": "LORA", **settings}, described, "adapter_config.json").parameters


@pytest.mark.parametrize(("base", "settings", "parameters"), PEFT)
def test_as_peft_makes_it(base: dict[str, Any], settings: dict[str, Any], parameters: int) -> None:
    assert adapted(base, settings) == parameters


# Each layer's query takes 4 (64 + 64), its key half the outputs.
@pytest.mark.parametrize(
    ("settings", "parameters"),
    [
        ({"r": 4, "target_modules": ["model.layers.0.self_attn.q_proj"]}, 512),
        ({"r": 4, "target_modules": ["q_proj"], "exclude_modules": ["model.layers.0.self_attn.q_proj"]}, 512),
        ({"r": 4, "target_modules": ["q_proj"], "rank_pattern": {"model.layers.1.self_attn.q_proj": 2}}, 512 + 256),
        ({"r": 4, "target_modules": ["self_attn.k_proj", "1.self_attn.q_proj"]}, 2 * 4 * (64 + 32) + 512),
    ],
)
def test_whole_names_of_modules_are_those_of_the_class(settings: dict[str, Any], parameters: int) -> None:
    """They begin with a word that the mapping leaves out: exclusions and ranks by them were passed over."""
    assert adapted(TINY, settings) == parameters


def test_every_type_as_peft_makes_it_or_refused() -> None:
    """Counted wrong in silence before: fused and renamed matrices, tables, layers outside the stack, saved modules."""
    every, counted_here, wrong = [json.loads(line) for line in COUNTED.read_text(encoding="utf-8").splitlines()], 0, []
    for row in every:
        base = dict(bases()[row["type"]][row["row"]])
        if "head" in row:
            base |= {"architectures": [row["head"]], "tie_word_embeddings": False}
        try:
            got = adapted(base, row["settings"])
        except SizebookError:
            continue
        counted_here += 1
        if got != row["parameters"]:
            wrong.append((row, got))
    assert wrong == []
    assert len(every) > 250
    assert counted_here > 125  # the rest names modules otherwise than their mapping, or routes to experts


# GPT-2's matrices lie the other way round, with the bias as wide as their columns; its masks are called biases.
GPT2_BLOCK = {
    "transformer.wte.weight": ("F32", (50, 12)), "transformer.h.0.attn.bias": ("F32", (1, 1, 8, 8)),
    "transformer.h.0.attn.c_attn.weight": ("F32", (12, 36)), "transformer.h.0.attn.c_attn.bias": ("F32", (36,)),
    "transformer.h.0.ln_1.bias": ("F32", (12,)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "parameters"),
    [
        ({"r": 2, "target_modules": ["c_attn"], "use_dora": True}, 2 * (12 + 36) + 36),
        ({"r": 2, "target_modules": ["c_attn"], "lora_bias": True}, 2 * (12 + 36) + 36),
        ({"r": 2, "target_modules": ["wte"], "use_dora": True}, 2 * (50 + 12) + 12),
        ({"r": 2, "target_modules": "all-linear"}, 2 * (12 + 36)),
        ({"r": 2, "target_modules": ["c_attn"], "bias": "all"}, 2 * (12 + 36) + 36 + 12),
        ({"r": 2, "target_modules": ["c_attn"], "bias": "lora_only"}, 2 * (12 + 36) + 36),
        ({"r": 2, "target_modules": ["c_attn"], "modules_to_save": ["wte"]}, 2 * (12 + 36) + 600),
    ],
)
def test_a_base_of_its_own_names(tmp_path: Path, settings: dict[str, Any], parameters: int) -> None:
    base = base_of(str(folder(tmp_path / "base", GPT2_BLOCK)))
    assert adapter_of({"peft_type": "LORA", **settings}, base, "adapter_config.json").parameters == parameters


def test_linear_layers_outside_the_stack_are_not_guessed(tmp_path: Path) -> None:
    """Of a matrix by itself the headers do not say whether it is multiplied by or looked up."""
    base = base_of(str(folder(tmp_path / "base", {**GPT2_BLOCK, "connector.down.weight": ("F32", (12, 30))})))
    every = {"peft_type": "LORA", "r": 2, "target_modules": "all-linear"}
    assert refusal(lambda: adapter_of(every, base, "adapter_config.json")) == (
        "not described: got 'target_modules' = 'all-linear' in adapter_config.json, want a list of names: not every "
        f"matrix of this base is known. {INSTEAD}"
    )


# Its tower calls a block of its own what the mapping calls the text model's.
MISTRAL3 = {
    "model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"],
    "text_config": {**TINY, "model_type": "mistral", "head_dim": 16},
    "vision_config": {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 48},
}  # fmt: skip
PHI3 = {**TINY, "model_type": "phi3", "architectures": ["Phi3ForCausalLM"], "pad_token_id": 0}
INSTEAD = "Give the adapter with its weights, or its base by a checkpoint: --base FOLDER."


@pytest.mark.parametrize(
    ("base", "settings", "message"),
    [
        (TINY, {"r": 4, "target_modules": ["c_attn"]}, "module not found: got 'c_attn' among target_modules of "
         "adapter_config.json, want modules of the base: down_proj, gate_proj, k_proj, o_proj, q_proj, up_proj, "
         f"v_proj. {INSTEAD}"),
        (TINY, {"r": 4, "target_modules": ".*_proj"}, "not described: got 'target_modules' = '.*_proj' in "
         f"adapter_config.json, want a list of names or 'all-linear'. {INSTEAD}"),
        (MIXTRAL, {"r": 4, "target_modules": "all-linear"}, "not described: got 'target_modules' = 'all-linear' in "
         f"adapter_config.json, want a list of names for a mixture of experts. {INSTEAD}"),
        (PHI3, {"r": 4, "target_modules": ["q_proj"]}, "module not found: got 'q_proj' among target_modules of "
         f"adapter_config.json, want modules of the base: down_proj, o_proj. {INSTEAD}"),
        (PHI3, {"r": 4, "target_modules": "all-linear"}, "not described: got 'target_modules' = 'all-linear' in "
         "adapter_config.json, want a list of names: not every matrix of this base is known. " + INSTEAD),
        (TINY, {"r": 4, "target_modules": ["q_proj"], "exclude_modules": ["vision_tower"]}, "not described: got "
         "'exclude_modules' = 'vision_tower' in adapter_config.json, want names of modules of the base. " + INSTEAD),
        (TINY, {"r": 4, "target_modules": ["q_proj"], "rank_pattern": {"layers.9.self_attn.q_proj": 2}}, "not "
         "described: got 'rank_pattern' = 'layers.9.self_attn.q_proj' in adapter_config.json, want names of modules of "
         f"the base. {INSTEAD}"),
        (MISTRAL3, {"r": 4, "target_modules": ["mlp.down_proj"]}, "not described: got 'target_modules' = "
         "'mlp.down_proj' in adapter_config.json, want a name without those above it: this base names these "
         f"otherwise. {INSTEAD}"),
        (TINY, {"r": 4, "target_modules": ["q_proj"], "layers_to_transform": [99]}, "no module targeted: got "
         "target_modules ['q_proj'] of adapter_config.json less what else it says, want at least one module of the "
         "base. Correct exclude_modules, layers_to_transform or modules_to_save."),
        (TINY, {"r": 4, "target_modules": ["q_proj"], "use_qalora": True}, "not described: got 'use_qalora' = True in "
         f"adapter_config.json, want none. {INSTEAD}"),
        (TINY, {"r": 4, "target_modules": ["q_proj"], "rank_pattern": 1.5}, "not described: got 'rank_pattern' = 1.5 "
         f"in adapter_config.json, want a table of names and ranks. {INSTEAD}"),
        (TINY, {"r": 4, "target_modules": ["q_proj"], "use_dora": "false"}, "bad key: got 'use_dora' = 'false' in "
         "adapter_config.json, want true or false. Correct it."),
        (TINY, {"r": 0, "target_modules": ["q_proj"]}, "bad key: got 'r' = 0 in adapter_config.json, want a whole "
         "number of 1 to 65536. Correct it."),
        (TINY, {"peft_type": "IA3", "target_modules": ["q_proj"]}, "not described: got 'peft_type' = 'IA3' in "
         f"adapter_config.json, want LORA. {INSTEAD}"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(base: dict[str, Any], settings: dict[str, Any], message: str) -> None:
    assert refusal(lambda: adapted(base, settings)) == message


def test_an_adapter_with_its_weights_and_a_base_of_other_names(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", {"h.0.attn.c_attn.weight": ("F32", (48, 144)), "h.0.ln.weight": ("F32", (48,))})
    path = tmp_path / "adapter"
    folder(path, {
        "base_model.model.h.0.attn.c_attn.lora_A.weight": ("F32", (8, 48)),
        "base_model.model.h.0.attn.c_attn.lora_B.weight": ("F32", (144, 8)),
    }, name="adapter_model")  # fmt: skip
    settings = {"peft_type": "LORA", "r": 8, "target_modules": ["c_attn"], "base_model_name_or_path": "someone/gone"}
    (path / "adapter_config.json").write_text(json.dumps(settings))
    shown = counted(path, "--base", base)
    assert (shown["adapter"], shown["stored"], shown["bytes"]) == (8 * (48 + 144), 1_536, 6_144)
    assert shown["base_total"] == 48 * 144 + 48
    assert shown["modules"] == {"c_attn": 1_536}
    refused = run("count", path, "--base", base, "--layers", "--engine", "transformers")
    assert str(refused.exception) == (
        "no effect: got --layers and --engine for an adapter, want what changes something. Leave it out."
    )


def test_settings_alone_against_the_base_that_they_name(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", TINY_WEIGHTS, TINY)
    settings = {
        "peft_type": "LORA",
        "r": 8,
        "target_modules": ["q_proj", "v_proj"],
        "base_model_name_or_path": str(base),
    }
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps(settings))
    done = run("count", path)
    lines = [line.split() for line in done.stdout.replace(THIN_SPACE, ",").splitlines() if line]
    assert lines[1:] == [
        ["q_proj", "2,048"], ["v_proj", "1,536"], ["LoRA,", "rank", "8", "3,584", "3.58", "k"],
        ["share", "of", "the", "base", "4.13", "%"], ["base", "and", "adapter", f"{TINY_PARAMETERS + 3584:,}"],
    ]  # fmt: skip
