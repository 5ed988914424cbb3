"""Two pools, request by request: the queue of the prefill workers, the cache sent, the batch of a decode worker.

Prompts wait in the order of their arrival for the first prefill worker that is free, which takes as many as fill its
pass. A worker's link sends one cache after the other. Decode workers take requests in turn; what their caches do not
hold waits for a place. The first token is seen once the decode worker has it, as in the estimate of a steady load.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from heapq import heapify, heappop, heappush

from sizebook.serving.pools import Pools
from sizebook.serving.quantities import Demand
from sizebook.serving.simulation import Prompt, Requests, Run, Served, chunk_of, middle_rate, saturated_rate, served
from sizebook.serving.step_times import NOTHING, StepTimes, step_times


@dataclass(frozen=True)
class PoolTimes:
    """Passes of a prefill worker, steps of a decode worker with so many ``places``, how many there are of each, and
    the seconds in which a worker sends the cache of a prompt of so many tokens."""

    prefill: StepTimes
    decode: StepTimes
    prefill_workers: int
    decode_workers: int
    places: int
    sent: Callable[[int], float]

    def serve(self, requests: Requests) -> Served:
        """Return what the requests of the middle of a run saw."""
        n = len(requests)
        ready = self._ready(requests)
        order = sorted(range(n), key=ready.__getitem__)
        first, ended, steps = [0.0] * n, [0.0] * n, 0
        for worker in range(min(self.decode_workers, n)):  # more than there are requests get none
            mine = order[worker :: self.decode_workers]
            run = Run(self.decode, _some(requests, mine, ready), self.places)
            run.until(len(mine))
            for place, i in enumerate(mine):
                first[i], ended[i] = run.first[place], run.ended[place]
            steps += run.steps
        return served(requests, first, ended, steps=steps)

    def most_a_second(self, requests: Requests) -> float:
        """Return the requests a second of both pools where some always wait: those of the slower one."""
        return min(self.most_read(requests), self.most_decoded(requests))

    def most_read(self, requests: Requests) -> float:
        """Return the requests a second that the prefill workers read and send at most."""
        waiting = Requests([0.0] * len(requests), requests.prompts, requests.answers)
        taken = self.prefill_workers * self.prefill.host_requests_per_second
        return min(middle_rate(self._ready(waiting)), taken)

    def most_decoded(self, requests: Requests) -> float:
        """Return the requests a second that the decode workers end at most."""
        return self.decode_workers * saturated_rate(self.decode, requests, self.places)

    def _ready(self, requests: Requests) -> list[float]:
        """Return when the cache of each prompt has come to the decode pool."""
        done, by = read(self.prefill, requests, self.prefill_workers)
        links, ready = [0.0] * (max(by, default=0) + 1), [0.0] * len(requests)
        for i in sorted(range(len(requests)), key=done.__getitem__):
            links[by[i]] = ready[i] = max(done[i], links[by[i]]) + self.sent(requests.prompts[i])
        return ready


def _some(requests: Requests, which: Sequence[int], ready: Sequence[float]) -> Requests:
    """Return some of the requests as they come to a decode worker."""
    return Requests(
        [ready[i] for i in which], [requests.prompts[i] for i in which], [requests.answers[i] for i in which]
    )


def read(times: StepTimes, requests: Requests, workers: int) -> tuple[list[float], list[int]]:
    """Return when each prompt is read, and by which of the workers.

    A worker that is free takes those that wait until a pass is full; what of a prompt is left over stays with it.
    """
    n, arrivals = len(requests), requests.arrivals
    done, by, taken = [0.0] * n, [0] * n, 0
    workers = min(workers, n)  # those not yet used come first, and more than there are requests get none
    own: list[deque[Prompt]] = [deque() for _ in range(workers)]
    free = [(0.0, worker) for worker in range(workers)]
    heapify(free)
    while free:
        now, worker = heappop(free)
        mine = own[worker]
        if not mine:
            if taken == n:
                continue  # nothing is left for it
            now = max(now, arrivals[taken])
        room = times.chunk * times.ranks - sum(prompt.tokens for prompt in mine)
        while taken < n and arrivals[taken] <= now and room > 0:
            mine.append(Prompt(times, taken, requests.prompts[taken]))
            by[taken] = worker
            room -= mine[-1].tokens
            taken += 1
        chunk = chunk_of(times, mine)
        now += chunk.moved(times) + times.alone
        for i in chunk.complete:
            done[i] = now
        heappush(free, (now, worker))
    return done, by


def pool_times(pools: Pools, demand: Demand, longest_tokens: float, most: int) -> PoolTimes:
    """Return the tables of two pools for prompts and answers of up to ``longest_tokens`` together.

    A decode worker runs at most ``most`` at a time.
    """
    places = min(pools.places // pools.decode.workers, most)
    reading = step_times(pools.prefill.case, demand, longest_tokens, most=1)
    decoding = step_times(pools.decode.case, demand, longest_tokens, most=places)
    return PoolTimes(
        prefill=reading,
        decode=replace(decoding, prompt=NOTHING, attention=NOTHING, alone=0.0, computed=0.0),
        prefill_workers=pools.prefill.workers,
        decode_workers=pools.decode.workers,
        places=places,
        sent=cache(pools.transfer_seconds),
    )
