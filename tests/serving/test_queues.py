"""Where the simulator degenerates to a queue whose percentiles are known in closed form, it gives them."""

import math
import random
from collections.abc import Iterable

import pytest

from sizebook.serving.arrivals import arrivals
from sizebook.serving.simulation import Requests, percentile, simulate
from sizebook.serving.step_times import Curve, StepTimes

# One run of a busy queue is one long sample whose neighbours are alike: the mean of several tells more.
N, RUNS = 30_000, range(4)
# The share of requests, and how near the simulation must come to it.
WITHIN = {0.5: 0.05, 0.9: 0.05, 0.95: 0.05, 0.99: 0.08}
NOTHING = Curve((0.0, 1.0), (0.0, 0.0))
# A queue of one server: the prompt is the service, a millisecond a token, and nobody decodes.
PROMPTS_ONLY = StepTimes((NOTHING, NOTHING), Curve((0.0, 1.0), (0.0, 1e-3)), NOTHING, chunk=1e12)


def poisson(rate: float, run: int) -> list[float]:
    """Return Poisson arrivals of so many a second."""
    return [t / rate for t in arrivals(N, 1.0, random.Random(100 + run))]


def exponential(mean: float, run: int) -> list[int]:
    """Return whole lengths that are as good as exponential."""
    chance = random.Random(run)
    return [max(1, round(chance.expovariate(1 / mean))) for _ in range(N)]


def mean(values: Iterable[float]) -> float:
    """Return the mean of a figure over the runs."""
    return math.fsum(values) / len(RUNS)


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_one_exponential_server(load: float) -> None:
    """M/M/1: time in the system is exponential with rate 1/service - arrivals (Kleinrock 1975, 3.2)."""
    seen = [
        simulate(PROMPTS_ONLY, Requests(poisson(load, run), exponential(1000, run), [1] * N), 1).ttft for run in RUNS
    ]
    for share, near in WITHIN.items():
        want = -math.log(1 - share) / (1 - load)
        assert mean(percentile(each, share) for each in seen) == pytest.approx(want, rel=near), share


def crommelin(t: float, load: float) -> float:
    """Return the share of M/D/1 waits of at most t services (Erlang 1909, Crommelin 1932)."""
    terms = ((load * (k - t)) ** k / math.factorial(k) * math.exp(-load * (k - t)) for k in range(int(t) + 1))
    return (1 - load) * math.fsum(terms)


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_one_regular_server(load: float) -> None:
    """M/D/1: the wait of a server that always takes a second; half of the requests of a light load wait for nobody."""
    seen = [simulate(PROMPTS_ONLY, Requests(poisson(load, run), [1000] * N, [1] * N), 1).ttft for run in RUNS]
    for share, near in WITHIN.items():
        low, high = 0.0, 30.0
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (low, middle) if crommelin(middle, load) >= share else (middle, high)
        wait = mean(percentile(each, share) - 1 for each in seen)
        assert wait == pytest.approx(high, rel=near, abs=0.01), share


def erlang_c(servers: int, offered: float) -> float:
    """Return the share of arrivals that wait for one of so many servers."""
    below = math.fsum(offered**k / math.factorial(k) for k in range(servers))
    full = offered**servers / math.factorial(servers) * servers / (servers - offered)
    return full / (below + full)


@pytest.mark.parametrize(("servers", "load"), [(4, 0.8), (16, 0.9)])
def test_many_exponential_servers(servers: int, load: float) -> None:
    """M/M/c: as many requests decode at a time as there are servers, at a step that no other request slows.

    A wait is longer than t with chance C exp(-(c - a) t), t in services (Erlang 1917).
    """
    step = 1e-4
    decode = Curve((0.0, 1.0), (step, step))
    times = StepTimes((NOTHING, *[decode] * servers), NOTHING, NOTHING)
    offered, waits = servers * load, erlang_c(servers, servers * load)
    seen = []
    for run in RUNS:
        answers = [1 + length for length in exponential(1 / step, run)]
        seen.append(simulate(times, Requests(poisson(offered, run), [1] * N, answers)))
    for share, near in WITHIN.items():
        want = max(0.0, math.log(waits / (1 - share)) / (servers - offered))
        assert mean(percentile(each.ttft, share) for each in seen) == pytest.approx(want, rel=near, abs=0.05), share
    in_system = offered + waits * load / (1 - load)
    assert mean(each.in_flight for each in seen) == pytest.approx(in_system, rel=0.02), "Little, Erlang C"
