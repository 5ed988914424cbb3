"""Asks one peer about every case, in the peer's own Python: cases as JSON on standard input, figures on its output.

`peers.py --measure PEER=PYTHON` starts it; it imports nothing of sizebook. A case that a peer refuses is left out.
"""

import contextlib
import json
import sys
import tempfile
import types
from importlib.metadata import version
from pathlib import Path

SYSTEMS = {"h100-sxm": "h100_sxm", "h200-sxm": "h200_sxm", "b200-sxm": "b200_sxm", "a100-sxm-80gb": "a100_sxm"}
BACKENDS = {"tensorrt-llm": "trtllm", "vllm": "vllm", "sglang": "sglang"}
FORMATS = {"bf16": "bfloat16", "fp8": "fp8", "fp8_block": "fp8_block", "int4_wo": "int4_wo"}
ARCHITECTURES = {
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "deepseek_v3": "DeepseekV3ForCausalLM",
    "minimax_m2": "MiniMaxM2ForCausalLM",
}
BATCHES = [2**power for power in range(12)]


def aiconfigurator(case):
    from aiconfigurator.cli.api import cli_estimate

    home = Path(tempfile.gettempdir(), "peers", case["model"])
    home.mkdir(parents=True, exist_ok=True)
    home.joinpath("config.json").write_text(
        json.dumps({**case["config"], "architectures": [ARCHITECTURES[case["config"]["model_type"]]]})
    )
    tp, ep = int(case["tp"]), int(case["ep"])
    asked = {
        "backend_name": BACKENDS[case["engine"]],
        "isl": int(case["input_tokens"]),
        "osl": int(case["output_tokens"]),
        "tp_size": tp,
        "gemm_quant_mode": FORMATS[case["weight_dtype"]],
        "kvcache_quant_mode": FORMATS[case["kv_dtype"] or "bf16"],
    }
    if any(key in case["config"] for key in ("num_experts", "n_routed_experts", "num_local_experts")):
        asked |= {"moe_tp_size": tp // ep, "moe_ep_size": ep, "moe_quant_mode": asked["gemm_quant_mode"]}
    system = SYSTEMS[case["gpu"]]
    if case["quantity"] == "tokens_per_s":
        best = 0
        for batch in reversed(BATCHES):  # from the largest down, until fewer requests at a time give less
            with contextlib.suppress(Exception):
                rate = cli_estimate(str(home), system, batch_size=batch, **asked).tokens_per_second
                if rate <= best:
                    break
                best = rate
        return best or float("nan")
    found = cli_estimate(str(home), system, batch_size=int(case["concurrency"]), **asked)
    return {"ttft_seconds": found.ttft, "tpot_seconds": found.tpot}[case["quantity"]] / 1000


def hf_mem(case):
    from hf_mem.safetensors.kv_cache import compute_safetensors_kv_cache_size

    config = case["config"]
    return compute_safetensors_kv_cache_size(config.get("text_config", config), "BF16", int(case["input_tokens"]))


def llm_d_planner(case):
    from planner.capacity_planner import KVCacheDetail

    given = case["config"].get("text_config", case["config"])
    given = {"torch_dtype": "bfloat16", "dtype": "bfloat16", "quantization_config": None, **given}
    return KVCacheDetail(
        case["model"], types.SimpleNamespace(**given), int(case["input_tokens"])
    ).per_request_kv_cache_bytes


def accelerate(case):
    import torch
    from accelerate import init_empty_weights
    from accelerate.utils import calculate_maximum_sizes
    from transformers import AutoConfig, AutoModel

    given = dict(case["config"])
    if given["model_type"] == "gemma3" and "text_config" not in given:
        given["model_type"] = "gemma3_text"
    config = AutoConfig.for_model(**given)
    with init_empty_weights():  # as `accelerate estimate-memory` builds a model without code of its own
        model = AutoModel.from_config(config, dtype=torch.float32)
    return calculate_maximum_sizes(model)[0] / 4


PEERS = {
    "aiconfigurator": (aiconfigurator, {"tokens_per_s", "ttft_seconds", "tpot_seconds"}),
    "hf-mem": (hf_mem, {"cache_bytes"}),
    "llm-d-planner": (llm_d_planner, {"cache_bytes"}),
    "accelerate": (accelerate, {"parameters"}),
}


def main():
    ask, quantities = PEERS[sys.argv[1]]
    figures = {}
    for case in json.load(sys.stdin):
        if case["quantity"] in quantities:
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    figures[case["case"]] = float(ask(case))
            except Exception as error:  # noqa: BLE001  what a peer refuses is no figure
                print(f"{case['case']} {case['model']}: {type(error).__name__} {error}"[:200], file=sys.stderr)
    json.dump({"version": version(sys.argv[1]), "figures": figures}, sys.stdout)


if __name__ == "__main__":
    main()
