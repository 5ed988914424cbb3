"""Two pools where they degenerate to queues with closed results, and against another simulator, Ciw, in a row."""

import math
import random
from itertools import pairwise

import ciw
import pytest

from sizebook.serving.arrivals import Lengths, arrivals
from sizebook.serving.pool_simulation import PoolTimes, read
from sizebook.serving.simulation import Requests, Served, percentile
from sizebook.serving.step_times import NOTHING, Curve, StepTimes
from tests.serving.test_queues import RUNS, WITHIN, crommelin, erlang_c, exponential, mean, poisson

N, STEP = 5_000, 1e-4
# A pass takes one prompt, whatever its length, and a millisecond for each of its tokens.
ONE_BY_ONE = StepTimes((NOTHING,), NOTHING, Curve((0.0, 1.0), (0.0, 1e-3)), computed=0.0, chunk=1.0)


def steps(*seconds: float) -> StepTimes:
    """Return decode steps of one request, of two ..., whatever their context."""
    return StepTimes((NOTHING, *(Curve((0.0, 1.0), (each, each)) for each in seconds)), NOTHING, NOTHING, computed=0.0)


def served(requests: Requests, decode: StepTimes, prefill_workers: int, sent: float = 0.0) -> Served:
    """Return what requests see of some prefill workers and one decode worker with all the places of its table."""
    return PoolTimes(ONE_BY_ONE, decode, prefill_workers, 1, decode.most, lambda tokens: sent * tokens).serve(requests)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.7), (4, 0.8)])
def test_prompts_wait_as_for_exponential_servers(servers: int, load: float) -> None:
    """M/M/c: a wait for a prefill worker is longer than t services with chance C exp(-(c - a) t) (Erlang 1917)."""
    offered, waits = servers * load, erlang_c(servers, servers * load)
    seen = []
    for run in RUNS:
        coming, lengths = poisson(offered, run), exponential(1000, run)
        done, _ = read(ONE_BY_ONE, Requests(coming, lengths, lengths), servers)
        seen.append(sorted(end - at - length / 1000 for end, at, length in zip(done, coming, lengths, strict=True)))
    for share, near in WITHIN.items():
        want = max(0.0, math.log(waits / (1 - share)) / (servers - offered))
        assert mean(percentile(each, share) for each in seen) == pytest.approx(want, rel=near, abs=0.05), share


def test_a_link_sends_one_cache_after_the_other() -> None:
    """M/D/1: prompts are read at once and sent in a second each, so that the link alone is waited for."""
    at_once = StepTimes((NOTHING,), NOTHING, NOTHING)
    seen = []
    for run in RUNS:
        requests = Requests(poisson(0.7, run), [1] * 30_000, [1] * 30_000)
        times = PoolTimes(at_once, steps(0.0), 1, 1, 1, lambda _: 1.0)
        seen.append(times.serve(requests).ttft)
    assert times.most_read(requests) == pytest.approx(1.0)
    for t, share in ((1.5, crommelin(1.5, 0.7)), (4.0, crommelin(4.0, 0.7))):
        assert mean(percentile(each, share) - 1 for each in seen) == pytest.approx(t, rel=0.05)


@pytest.mark.parametrize("sigma", [0.0, 1.0])
def test_a_decode_batch_that_shares_its_worker_evenly(sigma: float) -> None:
    """M/G/1 processor sharing: a step as long as the batch is large slows every token by 1 / (1 - load), on average,
    however lengths are spread (Kleinrock 1976, 4.4)."""
    load, tokens = 0.6, 500
    decode = steps(*(STEP * n for n in range(1, 200)))
    slower = []
    for run in RUNS:
        lengths = Lengths(tokens, sigma).draw(N, random.Random(run))
        coming = [t * tokens * STEP / load for t in arrivals(N, 1.0, random.Random(50 + run))]
        found = served(Requests(coming, [1] * N, [1 + length for length in lengths]), decode, 1)
        slower.append(found.mean("request") / (tokens * STEP))
    assert mean(slower) == pytest.approx(1 / (1 - load), rel=0.1)


def test_both_pools_in_a_row() -> None:
    """Burke 1956, Jackson 1957: what leaves M/M/2 is Poisson, so the means of M/M/2 and M/M/3 behind it add up."""
    load = 0.75

    def in_system(servers: int) -> float:
        return servers * load + erlang_c(servers, servers * load) * load / (1 - load)

    rate = 2 * load  # a second, of prompts of a second
    step = 3 / 2 * STEP  # answers of a second and a half
    seen, half = [], 15_000
    for run in RUNS:
        answers = [1 + length for length in exponential(1 / STEP, 20 + run)[:half]]
        requests = Requests(poisson(rate, run)[:half], exponential(1000, run)[:half], answers)
        seen.append(served(requests, steps(step, step, step), 2))
    want = (in_system(2) + in_system(3)) / rate
    assert mean(each.mean("request") for each in seen) == pytest.approx(want, rel=0.03)


def in_a_row(requests: Requests, sent: float, places: int) -> list[float]:
    """Return the seconds to the start of decoding of the middle of a run of Ciw's: one worker, its link, places."""
    coming = requests.arrivals
    gaps = [coming[0], *(later - earlier for earlier, later in pairwise(coming))]
    prompts = requests.prompts
    # The first two queues keep the order of arrival, so that services of the third are in it as well.
    services = (
        [each / 1000 for each in prompts], [sent * each for each in prompts], [(n - 1) * STEP for n in requests.answers]
    )  # fmt: skip
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([*gaps, float("inf")]), None, None],
        service_distributions=[ciw.dists.Sequential(each) for each in services],
        number_of_servers=[1, 1, places],
        routing=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
    )
    queue = ciw.Simulation(network)
    queue.simulate_until_max_customers(len(coming), method="Finish")
    records = [record for record in queue.get_all_records() if record.node == 3]
    started = [at.service_start_date for at in sorted(records, key=lambda record: record.id_number)]
    n = len(coming)
    return sorted(start - at for start, at in list(zip(started, coming, strict=True))[n // 10 : n * 95 // 100])


@pytest.mark.parametrize(("load", "dispersion", "sent"), [(0.7, 1.0, 5e-4), (0.85, 4.0, 9e-4)])
def test_the_waits_are_those_of_ciw(load: float, dispersion: float, sent: float) -> None:
    """Prefill, link and decode in a row, all of log-normal lengths, the last two nearly as busy as the first."""
    chance, n = random.Random(7), N
    requests = Requests(
        [t / load for t in arrivals(n, dispersion, chance)],
        Lengths(1000, sigma=0.8).draw(n, chance),
        [1 + tokens for tokens in Lengths(7 / STEP, sigma=0.8).draw(n, chance)],
    )
    theirs = in_a_row(requests, sent, places=8)
    ours = served(requests, steps(*[STEP] * 8), 1, sent=sent).ttft
    for share in (0.5, 0.9, 0.95, 0.99):
        assert percentile(ours, share) == pytest.approx(percentile(theirs, share), rel=0.01, abs=0.002), share


def test_more_workers_than_requests_change_nothing_and_cost_nothing() -> None:
    """A hundred requests on a billion workers of each kind: all are read and decoded as on a hundred."""
    requests = Requests(poisson(5.0, 1)[:100], [1000] * 100, [10] * 100)
    few, many = (PoolTimes(ONE_BY_ONE, steps(STEP), n, n, 1, lambda _: 0.0) for n in (100, 10**9))
    assert many.serve(requests) == few.serve(requests)
