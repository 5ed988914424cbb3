"""What computes each published quantity of training: from the row's inputs to one number in the row's unit."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sizebook.core.sections import put_together
from sizebook.formulas import energy, flops, scaling, training_memory
from sizebook.formulas.training_memory import GptLayout
from sizebook.models import catalog, huggingface
from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.flops import forward, train_flops_per_token
from sizebook.tables.hardware import accelerator
from sizebook.training.layout import Layout
from sizebook.training.machine import calibration, machine
from sizebook.training.memory import Memory, memory
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method, Recipe
from sizebook.training.time import step_time

Inputs = Mapping[str, Any]
GIB = 2**30
DAY = 86_400


def _described(row: Inputs) -> Architecture:
    """Return a GPT of the given dimensions, d_ff four times d_model, with learned positions and a tied head."""
    values = {
        "n_layers": row["n_layers"],
        "d_model": row["d_model"],
        "n_heads": row["n_heads"],
        "d_ff": 4 * row["d_model"],
        "vocab": row["vocab"],
        "n_ctx": row["seq"],
        "positions": "learned",
        "tied": True,
        "bias": True,
    }
    return huggingface.architecture(Config({"model_type": "transformer", **values}, "the published row"))


def _model(row: Inputs) -> Architecture:
    """Return the catalog's architecture, cut to n_layers where the row says so, or the described GPT."""
    if "model" not in row:
        return _described(row)
    found = catalog.architecture(row["model"])
    return replace(found, layers=found.layers[: row.get("n_layers", found.n_layers)])


def _layout(row: Inputs) -> Layout:
    return put_together(Layout, row)


def _recipe(row: Inputs) -> Recipe:
    flash = bool(row.get("flash", True))
    return Recipe(stack=row.get("stack", "megatron"), flash_attention=flash, dropout=not flash)


def _seconds(row: Inputs) -> float:
    layout = _layout(row)
    method = Method(
        compute_dtype=row.get("compute_dtype", "bf16"),
        power_limit_watts=row.get("power_limit_watts"),
        recipe=_recipe(row),
    )
    rates = machine(accelerator(row["gpu"]), method, calibration())
    n_micro = row["batch"] // (layout.dp * layout.micro_batch)
    profile = model_profile(_model(row), row["seq"])
    return step_time(profile, layout, method, rates=rates, n_micro=n_micro).total


def _peak_memory(row: Inputs) -> float:
    """Return GiB as the framework reports it: live tensors in Megatron, the allocator's share too elsewhere."""
    found: Memory = memory(
        model_profile(_model(row), row["seq"]), _layout(row), Method(recipe=_recipe(row)), n_micro=row["n_micro"]
    )
    return (found.allocated if row["stack"] == "megatron" else found.reserved) / GIB


def _mfu_gpt(row: Inputs) -> float:
    peak = accelerator(row["gpu"]).peak_flop_per_s("bf16")
    return float(_step_flops(row, row["batch"], recompute="none") / row["step_seconds"] / row["gpus"] / peak)


def _step_flops(row: Inputs, batch: int, *, recompute: str) -> float:
    """Return the FLOPs of a step of a GPT of the row's dimensions."""
    shape = {name: row[name] for name in ("n_layers", "d_model", "vocab", "seq")}
    return flops.flops_per_step_gpt(**shape, batch=batch, recompute=recompute)


def _mfu_palm(row: Inputs) -> float:
    names = ("n_parameters", "n_layers", "n_heads", "d_head", "seq")
    per_token = flops.flops_per_token_palm(**{name: row[name] for name in names})
    return flops.mfu(float(row["tokens_per_s_per_gpu"]), per_token, accelerator(row["gpu"]).peak_flop_per_s("bf16"))


def _train_days(row: Inputs) -> float:
    per_token = _step_flops(row, 1, recompute="full") / row["seq"]
    return float(per_token * row["tokens"] / (row["gpus"] * row["tflops"] * 1e12) / DAY)


def _implied_mfu(row: Inputs) -> float:
    n_flops = flops.flops_6nd(catalog.counted(row["model"]).active, row["tokens"])
    return float(n_flops / (row["gpu_hours"] * 3600) / accelerator(row["gpu"]).peak_flop_per_s("bf16"))


def _energy_kwh(row: Inputs) -> float:
    """Return the energy as papers publish it: the GPUs' own power, without a share of the host."""
    return energy.train_energy_kwh(row["gpu_hours"], row["watts"], row["pue"], host_share=0)


def _rate(row: Inputs) -> float:
    layout = _layout(row)
    return float(row["batch"] * row["seq"] / (layout.gpus * _seconds(row)))


def _activation_gib(row: Inputs) -> float:
    shape = {name: row[name] for name in ("n_layers", "d_model", "n_heads", "seq")}
    return training_memory.activation_bytes(**shape, layout=put_together(GptLayout, row)) / GIB


TRAINING: dict[str, Callable[[Inputs], float]] = {
    "train_days": _train_days,
    "mfu_gpt": _mfu_gpt,
    "mfu_palm": _mfu_palm,
    "implied_mfu": _implied_mfu,
    "step_seconds": _seconds,
    "tokens_per_s_per_gpu": _rate,
    "state_bytes": lambda row: training_memory.state_bytes_gpt(**row) / GIB,
    "activation_bytes": _activation_gib,
    "model_state_bytes": lambda row: training_memory.model_state_bytes(**row) / 1e9,
    "peak_memory": _peak_memory,
    "flops_per_token": lambda row: train_flops_per_token(_model(row), row["seq"], row["convention"]),
    "flops_forward": lambda row: row["seq"] * forward(_model(row), row["seq"], causal=False, windows=False).total,
    "train_energy": lambda row: _energy_kwh(row) / 1000,
    "train_carbon": lambda row: energy.train_co2e_kg(_energy_kwh(row), row["grams_per_kwh"]) / 1000,
    "embodied_carbon": lambda row: energy.embodied_co2e_kg(row["gpu_hours"]) / 1000,
    "optimal_tokens": lambda row: scaling.optimal_tokens(**row),
}
