"""Sets serving figures that others published beside the model's own and writes docs/serving_published_table.md.

Run `python calibration/serving_published.py TABLE` from the root of the repository, where TABLE has the columns
quantity, subject, inputs (JSON), expected, unit, relative_tolerance and source. None of these rows enters the fit.
"""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from command import parser

from sizebook.serving.case import Case, case_of
from sizebook.serving.estimate import estimate
from sizebook.serving.memory import memory_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import Pass, cache_bytes_per_gpu, decode_step_seconds, latency, pass_seconds

OUTPUT = Path(__file__).parent.parent / "docs" / "serving_published_table.md"
OFFLINE = "a submission tuned for this benchmark, all prompts known at the start and sorted by length"
BATCHES = [2**power for power in range(12)]


def saturated(subject: str, inputs: dict[str, Any]) -> float:
    """Return the most output tokens a second over batches in powers of two up to 2048."""
    return max(rate for rate, _ in _rates(subject, inputs))


def _rates(subject: str, inputs: dict[str, Any], *, in_process: bool = False) -> list[tuple[float, int]]:
    """Return the rate and the batch of each, with the scheduling of servers or, in process, with none."""
    case, memory = _setting(subject, inputs)
    if in_process:
        case = replace(case, rates={**case.rates, "step_seconds": 0.0, "request_seconds": 0.0})
    return [(float(estimate(case, memory, _demand(inputs, batch)).tokens_per_second), batch) for batch in BATCHES]


def _demand(inputs: dict[str, Any], batch: int) -> Demand:
    return Demand(
        input_tokens=int(inputs["input_tokens"]), output_tokens=int(inputs["output_tokens"]), concurrency=batch
    )


def shares(subject: str, inputs: dict[str, Any], published: float) -> str:
    """Return what our time per token at the best batch consists of, for rows that are off.

    And what we would say if an engine spent nothing around a step: a server streams each token over HTTP, a benchmark
    in process does not, and hides the rest behind the GPU's work.
    """
    case, _ = _setting(subject, inputs)
    _, batch = max(_rates(subject, inputs))
    prompt, answer = float(inputs["input_tokens"]), float(inputs["output_tokens"])
    demand = _demand(inputs, batch)
    tpot, step = latency(case, demand).tpot_seconds, decode_step_seconds(case, demand)
    moved, _ = pass_seconds(case, Pass(float(batch), float(batch), prompt + answer / 2, prefill=False))
    prompts, launches = (tpot - step) / tpot, (step - moved) / tpot
    chunk = Pass(8192.0, 8192.0 / prompt, prompt, prefill=True)
    unlinked = Case(**{**case.__dict__, "link": float("inf")})
    alone, _ = max(_rates(subject, inputs, in_process=True))
    links = 1 - pass_seconds(unlinked, chunk)[0] / pass_seconds(case, chunk)[0]
    said = f" ({links:.0%} of these the links between GPUs)" if case.tp > 1 else ""
    return (
        f"at batch {batch} our time per token is {prompts:.0%} prompts of others{said}, {launches:.0%} scheduling and "
        f"launches, {1 - prompts - launches:.0%} moving and multiplying. Scheduling is fitted to servers that stream "
        f"over HTTP, the figure is of a benchmark in process: without any we would say {alone:,.0f} "
        f"({alone / published - 1:+.1%})"
    )


def _why(subject: str, inputs: dict[str, Any], published: float) -> str:
    """Return why a row is off."""
    return shares(subject, inputs, published) if "input_tokens" in inputs else OFFLINE


def _setting(subject: str, inputs: dict[str, Any]) -> tuple[Any, Any]:
    engine = inputs.get("engine", "tensorrt-llm")
    replica = _replica(inputs, engine, inputs.get("weights", "fp8"))
    case = case_of(subject, inputs["gpu"], replica)
    return case, memory_of(case, inputs["gpu"], replica)


def _replica(inputs: dict[str, Any], engine: str, weights: str) -> Replica:
    return Replica(engine=engine, weight_dtype=weights, kv_dtype=inputs.get("kv_dtype"), tp=inputs["tp"])


def cache_figures(subject: str, inputs: dict[str, Any], quantity: str) -> float:
    """Return tokens or GiB that vLLM leaves for the cache, with the release's constants."""
    old = inputs.get("utilization") == 0.9
    share, release = (0.9, "0.8.5") if old else (0.95, "0.19.0")
    replica = replace(_replica(inputs, "vllm", "bf16"), memory_utilization=share, release=release)
    case = case_of(subject, inputs["gpu"], replica)
    left = memory_of(case, inputs["gpu"], replica).cache_bytes
    return left / 2**30 if quantity.endswith("per_gpu") else left // cache_bytes_per_gpu(case, 1.0)


def own_figure(quantity: str, subject: str, inputs: dict[str, Any]) -> float | None:
    """Return the model's figure for one published row, None where the row is not about serving."""
    if quantity == "max_output_tokens_per_s":
        return saturated(subject, inputs)
    if quantity in ("kv_cache_tokens", "kv_cache_gib_per_gpu"):
        return cache_figures(subject, inputs, quantity)
    if quantity == "kv_cache_bytes":
        return cache_bytes_per_gpu(case_of(subject, "h100-sxm", Replica()), float(inputs["tokens"])) / 2**30
    if quantity in ("itl", "output_tokens_per_s"):
        case, memory = _setting(subject, inputs)
        found = estimate(
            case, memory, _demand({"input_tokens": 5000, "output_tokens": 500}, int(inputs["concurrency"]))
        )
        return found.tpot_seconds * 1e3 if quantity == "itl" else found.tokens_per_second
    if quantity == "offline_tokens_per_s":
        # The OpenOrca prompts of this benchmark average 294 tokens and 212 tokens of answer; tp 2, four replicas.
        return 4 * saturated(subject, {"gpu": inputs["gpu"], "tp": 2, "input_tokens": 294, "output_tokens": 212})
    return None


def main() -> None:
    """Write and print the table."""
    asked = parser(__doc__)
    asked.add_argument("published", type=Path, help="a table of published figures")
    published = asked.parse_args().published
    text = ["| what | published | ours | off % | within % | held | if not, why |\n"]
    text.append("| --- | ---: | ---: | ---: | ---: | --- | --- |\n")
    with published.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            inputs = json.loads(row["inputs"])
            own = own_figure(row["quantity"], row["subject"], inputs)
            if own is None:
                continue
            expected, tolerance = float(row["expected"]), float(row["relative_tolerance"])
            off = own / expected - 1
            shown = ", ".join(f"{k} {v}" for k, v in inputs.items() if k not in ("gpu", "engine"))
            name = f"{row['subject']} {row['quantity']} {inputs.get('gpu', '')} ({shown})"
            held = "yes" if abs(off) <= tolerance else "no"
            figures = f"{expected:,.6g} {row['unit']} | {own:,.6g} | {100 * off:+.1f} | {100 * tolerance:g}"
            why = "" if held == "yes" else _why(row["subject"], inputs, expected)
            text.append(f"| {name} | {figures} | {held} | {why} |\n")
    OUTPUT.write_text("".join(text), encoding="utf-8")
    print("".join(text))


if __name__ == "__main__":
    main()
