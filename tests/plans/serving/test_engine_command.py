"""The command that a plan stands for, engine by engine, word by word."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sizebook.cli.serving_plan_text import replica_lines
from sizebook.core.tables import table
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.engine_command import command, unsaid, written_for
from sizebook.plans.serving.inputs import ServingInputs, Traffic
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.steps import derivations
from sizebook.serving.quantities import Demand, Replica

DEMAND = Demand(input_tokens=2000, output_tokens=300)


def planned(replica: Replica, model: str = "llama-3.1-70b") -> ServingPlan:
    return plan_serving(
        model, "h200-sxm", ServingInputs(traffic=Traffic(requests_per_day=1e5, demand=DEMAND), replica=replica)
    )


@pytest.mark.parametrize(
    ("replica", "wanted", "release"),
    [
        (
            Replica(tp=4, weight_dtype="fp8", kv_dtype="fp8"),
            "vllm serve meta-llama/Llama-3.1-70B --tensor-parallel-size 4 --quantization fp8 --kv-cache-dtype fp8 "
            "--max-model-len 2300 --max-num-seqs {} --gpu-memory-utilization 0.92",
            "docs.vllm.ai, vllm serve: engine arguments, release 0.11",
        ),
        (
            Replica(tp=4, engine="sglang", weight_dtype="fp8", memory_utilization=0.8),
            "python -m sglang.launch_server --model-path meta-llama/Llama-3.1-70B --tp-size 4 --quantization fp8 "
            "--context-length 2300 --max-running-requests {} --mem-fraction-static 0.8",
            "docs.sglang.io, server arguments, release 0.5",
        ),
        (
            Replica(tp=2, pp=2, engine="tensorrt-llm"),
            "trtllm-serve meta-llama/Llama-3.1-70B --tp_size 2 --pp_size 2 --max_seq_len 2300 --max_batch_size {} "
            "--kv_cache_free_gpu_memory_fraction 0.9",
            "nvidia.github.io/TensorRT-LLM, trtllm-serve, release 1.0",
        ),
    ],
    ids=["vllm", "sglang", "tensorrt-llm"],
)
def test_words_of_each_engine(replica: Replica, wanted: str, release: str) -> None:
    plan = planned(replica)
    assert command(plan) == wanted.format(plan.replica.concurrency)
    assert unsaid(plan) == () and written_for(plan) == release


def test_ranks_share_the_requests_and_experts_are_switched_on() -> None:
    plan = planned(Replica(dp=2, ep=2, tp=1, weight_dtype="fp8"), "qwen3-30b-a3b")
    said = command(plan)
    assert "--data-parallel-size 2 --enable-expert-parallel " in said
    assert f"--max-num-seqs {-(-plan.replica.concurrency // 2)} " in said


def test_what_no_argument_says_is_said_beside() -> None:
    plan = planned(Replica(tp=4, weight_dtype="int4_wo"))
    assert "--quantization" not in command(plan)
    assert unsaid(plan) == ("take a checkpoint in int4_wo: no argument casts to it",)
    ranks = planned(Replica(dp=2, tp=2, engine="tensorrt-llm"))
    assert unsaid(ranks) == ("2 data-parallel ranks are stated in the engine's configuration file",)


def test_adapters_and_a_host_cache_are_part_of_the_start() -> None:
    asked = {"tp": 4, "adapters": 32, "adapter_rank": 8}
    assert command(planned(Replica(**asked))).endswith(" --max-loras 32 --enable-lora --max-lora-rank 8")
    other = command(planned(Replica(**asked, engine="sglang")))
    assert other.endswith(" --max-loras-per-batch 32 --enable-lora --max-lora-rank 8")
    third = planned(Replica(**asked, engine="tensorrt-llm"))
    assert unsaid(third) == ("32 adapters are stated in the engine's configuration file",)
    turns = Conversation(turns=4, turn_tokens=100, host_cache_bytes=1e11)
    inputs = ServingInputs(traffic=Traffic(requests_per_day=1e5, demand=DEMAND), conversation=turns)
    plan = plan_serving("llama-3.1-8b", "h200-sxm", inputs)
    assert unsaid(plan) == ("the cache in host memory is stated in the engine's own configuration",)


def test_two_pools_have_no_single_command() -> None:
    plan = planned(Replica(tp=4))
    two = replace(plan, replica=replace(plan.replica, pools=plan.replica.setup))  # type: ignore[arg-type]
    assert (command(two), unsaid(two)) == ("", ())


def test_every_argument_is_one_that_its_engine_publishes() -> None:
    lines = Path(__file__).with_name("published_arguments.csv").read_text(encoding="utf-8").splitlines()
    published = {(row["engine"], row["argument"]): row["choices"].split() for row in csv.DictReader(lines[2:])}
    found = [
        (row["engine"], *said)
        for row in table("engine_arguments")
        for said in re.findall(r"(--\S+)(?: (\S+))?", row["words"])
    ]
    assert len(found) == 31
    for engine, argument, value in found:
        choices = published[engine, argument]
        assert value in ("", "{}") or not choices or value in choices, argument


@pytest.mark.parametrize(
    ("engine", "calculated", "printed"),
    [
        ("sglang", "states in the pool of a rank * dp", "; states of mixers fill their pool first"),
        ("vllm", "whole sequences in the cache of a rank * dp", ""),
    ],
)
def test_a_plan_says_that_states_fill_their_pool(engine: str, calculated: str, printed: str) -> None:
    plan = planned(Replica(engine=engine), "qwen3.6-27b")
    assert calculated in {step.formula for step in derivations(plan)}
    line = next(each for each in replica_lines(plan) if each.startswith("Cache holds"))
    assert line.partition(" tokens")[2] == printed
