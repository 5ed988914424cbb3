"""Another simulator, Ciw, on the same arrivals and services, where no closed result is known: bursts, any service."""

import random
from itertools import pairwise

import ciw
import pytest

from sizebook.serving.arrivals import Lengths, arrivals
from sizebook.serving.simulation import Requests, percentile, simulate
from sizebook.serving.step_times import Curve, StepTimes

N, STEP = 10_000, 1e-5
NOTHING = Curve((0.0, 1.0), (0.0, 0.0))
SERVICE = Lengths(1 / STEP, sigma=0.8)  # steps: log-normal, one second on average


def by_ciw(times: list[float], services: list[float], servers: int) -> list[float]:
    """Return the waits of the middle of a run of Ciw's, in order."""
    gaps = [times[0], *(later - earlier for earlier, later in pairwise(times))]
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([*gaps, float("inf")])],
        service_distributions=[ciw.dists.Sequential(services)],
        number_of_servers=[servers],
    )
    queue = ciw.Simulation(network)
    queue.simulate_until_max_customers(N, method="Finish")
    records = sorted(queue.get_all_records(), key=lambda record: record.arrival_date)
    return sorted(record.waiting_time for record in records[N // 10 : N * 95 // 100])


@pytest.mark.parametrize(("servers", "load", "dispersion"), [(1, 0.6, 1.0), (8, 0.8, 8.0), (8, 0.95, 0.5)])
def test_the_waits_are_those_of_ciw(servers: int, load: float, dispersion: float) -> None:
    """As many requests decode at a time as there are servers, at a step that no other request slows."""
    chance = random.Random(servers)
    coming = [t / (servers * load) for t in arrivals(N, dispersion, chance)]
    steps = SERVICE.draw(N, chance)
    theirs = by_ciw(coming, [n * STEP for n in steps], servers)
    table = StepTimes((NOTHING, *[Curve((0.0, 1.0), (STEP, STEP))] * servers), NOTHING, NOTHING)
    ours = simulate(table, Requests(coming, [1] * N, [1 + n for n in steps])).ttft
    for share in (0.5, 0.9, 0.95, 0.99):
        assert percentile(ours, share) == pytest.approx(percentile(theirs, share), rel=0.01, abs=0.002), share
    assert percentile(theirs, 0.99) > 1, "they wait"
