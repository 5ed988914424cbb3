"""Times what a finance planner waits for: twenty services over sixty months, their contracts, the regret of these,
and what buying and calling cost.

Run `python benchmarks/finance.py`. Aim: all together in less than 2 s on a machine that does nothing else.
As machines differ, each is also given as a multiple of a floor in the same run: adding up ten million whole numbers.
"""

import time
from collections.abc import Callable
from typing import Any

from sizebook.core.sections import put_together
from sizebook.plans.fleet.inputs import FleetInputs, FleetTerms, Service
from sizebook.plans.fleet.plan import plan_fleet

MODELS = ("llama-3.1-70b", "llama-3.1-8b", "qwen3-32b", "mixtral-8x7b")
SERVICES, MONTHS, ROUNDS, ADDITIONS = 20, 60, 3, 10_000_000


def inputs() -> FleetInputs:
    """Return services that grow, shrink, begin late and end early, each with a running contract and both terms."""
    services = tuple(
        put_together(
            Service,
            {
                "name": f"Service {n}",
                "model": MODELS[n % len(MODELS)],
                "gpu": "h100-sxm",
                "weight_dtype": "fp8",
                "tp": 4,
                "requests_per_day": 200_000 * (n + 1),
                "growth_per_month": 0.05 - 0.004 * n,
                "input_tokens": 2000,
                "output_tokens": 400,
                "concurrency": 32,
                "sign_terms": "any",
                "contracts": ((8, -5, 6 + n, 2.4),),
                "on_demand_usd_per_gpu_hour": 3.0,
                "reserved_usd_per_gpu_hour": 2.2,
                "reserved_3y_usd_per_gpu_hour": 1.8,
                "price_change_per_month": -0.01,
                "capex_usd": 30_000,
                "api_provider": "nebius",
                "api_model": "meta-llama/Llama-3.3-70B-Instruct",
                "start_month": 1 + n % 5,
                "end_month": MONTHS - n % 7,
            },
        )
        for n in range(SERVICES)
    )
    return FleetInputs(service=services, terms=put_together(FleetTerms, {"months": MONTHS}))


def seconds(work: Callable[[], Any]) -> float:
    """Return the seconds of the processor that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """Print what each part takes, the best of some rounds each, and how many floors that is."""
    asked, made, planning, regret, beside = inputs(), [], [], [], []
    for _ in range(ROUNDS):
        planning.append(seconds(lambda: made.append(plan_fleet(asked))))
        regret.append(seconds(lambda: made[-1].regrets))
        beside.append(seconds(lambda: made[-1].alternatives))
    least = min(seconds(lambda: sum(range(ADDITIONS))) for _ in range(ROUNDS))
    signed = sum(len(each.portfolio.to_sign) for each in made[0].purchases)
    print(f"{SERVICES} services x {MONTHS} months, {signed} contracts to sign; floor {least:.2f} s of the processor")
    least_of = {"plan": min(planning), "regret": min(regret), "rent, buy or API": min(beside)}
    for name, found in (*least_of.items(), ("all", sum(least_of.values()))):
        print(f"{name}: {found:.2f} s, {found / least:.1f} floors")


if __name__ == "__main__":
    main()
