"""One replica, request by request: continuous batching from event to event, and the percentiles of what requests see.

Requests wait in the order of their arrival for one of the places that cache and engine have. Those let in have their
prompts passed in chunks beside the decode steps of those that run. No step is skipped that could change a request's
fate, but steps in which nothing arrives, starts or ends pass together.
"""

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import add
from typing import NamedTuple

from sizebook.serving.step_times import StepTimes

# The first requests meet an emptier replica than those after them, the last ones see nobody after them.
WARM_UP, LAST = 0.1, 0.95


@dataclass(frozen=True)
class Requests:
    """Arrivals in seconds, in order, and the tokens of each prompt and answer."""

    arrivals: Sequence[float]
    prompts: Sequence[int]
    answers: Sequence[int]

    def __len__(self) -> int:
        return len(self.arrivals)

    @property
    def longest_tokens(self) -> float:
        """Tokens of the longest prompt with its answer."""
        return float(max(map(add, self.prompts, self.answers)))


@dataclass(frozen=True)
class Served:
    """What requests saw, in seconds, each list in order: to the first token, per token after it, and altogether."""

    ttft: tuple[float, ...]
    tpot: tuple[float, ...]
    request: tuple[float, ...]
    requests_per_second: float
    steps: int

    def seconds(self, latency: str, share: float) -> float:
        """Return the percentile of ``ttft``, ``tpot`` or ``request``: what at least that share does not exceed."""
        return percentile(getattr(self, latency), share)

    def mean(self, latency: str) -> float:
        """Return the mean of ``ttft``, ``tpot`` or ``request``; 0 of none."""
        values: tuple[float, ...] = getattr(self, latency)
        return math.fsum(values) / len(values) if values else 0.0

    @property
    def in_flight(self) -> float:
        """Mean requests in the system: Little's law."""
        return self.requests_per_second * self.mean("request")


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the least of the values that at least this share of them does not exceed; 0 of none."""
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)] if ordered else 0.0


def simulate(times: StepTimes, requests: Requests, most: int = 0) -> Served:
    """Return what the requests of the middle of a run saw; ``most`` 0 runs as many at a time as the table knows."""
    run = Run(times, requests, most or times.most)
    run.until(max(int(len(requests) * LAST), 1))
    return served(requests, run.first, run.ended, steps=run.steps)


def served(requests: Requests, first_token: Sequence[float], ended: Sequence[float], steps: int) -> Served:
    """Return what the requests of the middle of a run saw, from the seconds of their first tokens and of their ends."""
    n = len(requests)
    first, last = int(n * WARM_UP), max(int(n * LAST), 1)
    seen = [i for i in range(first, last) if ended[i] > 0]
    arrivals, answers = requests.arrivals, requests.answers
    span = arrivals[last - 1] - arrivals[first]
    rate = (last - first - 1) / span if span > 0 else 0.0
    return Served(
        tuple(sorted(first_token[i] - arrivals[i] for i in seen)),
        tuple(sorted((ended[i] - first_token[i]) / (answers[i] - 1) for i in seen if answers[i] > 1)),
        tuple(sorted(ended[i] - arrivals[i] for i in seen)),
        rate,
        steps,
    )


def saturated_rate(times: StepTimes, requests: Requests, most: int = 0) -> float:
    """Return the requests a second of a replica that always has some waiting: those that end in the middle of a run."""
    waiting = Requests([0.0] * len(requests), requests.prompts, requests.answers)
    run = Run(times, waiting, most or times.most)
    run.until(len(requests))
    return middle_rate(run.ended)


def middle_rate(seconds: Sequence[float]) -> float:
    """Return how many a second happen in the middle three fifths of some events; infinite where all do at once.

    Requests that are alike end together: all of a moment count, or none.
    """
    events = sorted(seconds)
    begin, end = events[len(events) // 5], events[len(events) * 4 // 5]
    n = bisect_right(events, end) - bisect_right(events, begin)
    return n / (end - begin) if end > begin else math.inf


class Prompt:
    """A prompt on its way: its request, the tokens left to compute, and seconds of attention a token."""

    __slots__ = ("attention", "request", "tokens")

    def __init__(self, times: StepTimes, request: int, length: int) -> None:
        self.request, self.tokens = request, max(length * times.computed, 1.0)
        self.attention = times.attention(length) / self.tokens


class Chunk(NamedTuple):
    """What one pass takes of prompts: requests that are whole then, tokens, seconds of attention, the most of one."""

    complete: list[int]
    tokens: float
    attention: float
    slowest: tuple[float, float]

    def moved(self, times: StepTimes) -> float:
        """Return the seconds of its tokens in a pass of their own: ranks share it, and a prompt is passed on one."""
        longest, own = self.slowest
        return times.prompt(max(longest, self.tokens / times.ranks)) + max(own, self.attention / times.ranks)


def chunk_of(times: StepTimes, prompts: deque[Prompt]) -> Chunk:
    """Take a chunk of prompts from the left; one that is not done stays."""
    left, tokens, attention, slowest = times.chunk * times.ranks, 0.0, 0.0, (0.0, 0.0)
    complete: list[int] = []
    while prompts and left > 0:
        prompt = prompts[0]
        taken = min(prompt.tokens, left, times.chunk)
        own = taken * prompt.attention
        left, tokens, attention = left - taken, tokens + taken, attention + own
        if taken > slowest[0]:
            slowest = (taken, own)
        prompt.tokens -= taken
        if prompt.tokens > 0:
            break
        complete.append(prompts.popleft().request)
    return Chunk(complete, tokens, attention, slowest)


class Run:
    """The state of a replica on its way through the requests."""

    def __init__(self, times: StepTimes, requests: Requests, most: int) -> None:
        n = len(requests)
        self.times, self.requests, self.most = times, requests, min(most, times.most)
        self.first, self.ended = [0.0] * n, [0.0] * n
        self.late = [0.0] * n  # seconds between the pass that makes a request's tokens and their being seen
        self.now, self.steps = 0.0, 0
        self.arrived, self.let_in = 0, 0
        self.prompts: deque[Prompt] = deque()
        self.running: list[tuple[int, int]] = []  # step in which it ends, request
        self.context = 0.0  # tokens of all that run

    def until(self, ended: int) -> None:
        """Run until so many of the first requests have ended, at most all."""
        arrivals, n = self.requests.arrivals, len(self.requests)
        left = ended
        watched = bytearray(n)
        for i in range(ended):
            watched[i] = 1
        while left:
            now = self.now
            while self.arrived < n and arrivals[self.arrived] <= now:
                self.arrived += 1
            self._let_in()
            if self.prompts:
                finished = self._pass()
            elif self.running:
                finished = self._decode()
            else:
                self.now = arrivals[self.arrived]
                continue
            for i in finished:
                left -= watched[i]

    def _let_in(self) -> None:
        while self.let_in < self.arrived and len(self.running) + len(self.prompts) < self.most:
            self.prompts.append(Prompt(self.times, self.let_in, self.requests.prompts[self.let_in]))
            self.let_in += 1

    def _pass(self) -> list[int]:
        """Pass up to a chunk of prompt tokens a rank beside one decode step; return the requests that ended."""
        times, n = self.times, len(self.running)
        chunk = chunk_of(times, self.prompts)
        step = times.decode[n](self.context / n) if n else 0.0
        if n and not times.apart:  # the step reads the weights: prompts add what they multiply, their share of a chunk
            moved = (chunk.tokens * times.each_token + chunk.attention) / times.ranks
        else:
            moved = chunk.moved(times)
        self.now += moved / times.stages + step + (times.alone if times.apart or not n else 0.0)
        self.steps += 1
        self.context += n * times.tokens_per_step
        ended = self._ended()
        # Ranks share the work of a pass evenly, and yet a prompt is passed on one of them, stage by stage.
        longest, own = chunk.slowest
        whole = max(moved, longest * times.each_token + own)
        for i in chunk.complete:
            self._start(i, whole - moved / times.stages, step)
            if self.requests.answers[i] <= 1:
                self._end(i)
                ended.append(i)
        return ended

    def _start(self, i: int, lag: float, step: float) -> None:
        """Give a request its first token, seen ``lag`` seconds and some steps after now, and let it decode the rest."""
        times, prompt, answer = self.times, self.requests.prompts[i], self.requests.answers[i]
        late = lag + times.first_seconds + times.first_steps * step
        if times.own_steps and not step:
            late += times.own_steps * times.decode[1](prompt)
        self.first[i], self.late[i] = self.now + late, late
        if answer > 1:
            heappush(self.running, (self.steps + math.ceil((answer - 1) / times.tokens_per_step), i))
            self.context += prompt + 1

    def _decode(self) -> list[int]:
        """Decode until the next request ends or arrives; return those that ended."""
        times, n = self.times, len(self.running)
        left = self.running[0][0] - self.steps
        each = times.decode[n]
        mean, grown = self.context / n, times.tokens_per_step
        step = each(mean + (left - 1) * grown / 2)
        if self.arrived < len(self.requests) and self.let_in == self.arrived:
            gap = self.requests.arrivals[self.arrived] - self.now
            if gap < left * step:
                left = min(max(1, math.ceil(gap / step)), left)
                step = each(mean + (left - 1) * grown / 2)
        self.now += left * step
        self.steps += left
        self.context += left * n * grown
        return self._ended()

    def _ended(self) -> list[int]:
        ended = []
        while self.running and self.running[0][0] <= self.steps:
            i = heappop(self.running)[1]
            self._end(i)
            ended.append(i)
            answer = self.requests.answers[i]
            steps = math.ceil((answer - 1) / self.times.tokens_per_step)
            self.context -= self.requests.prompts[i] + 1 + steps * self.times.tokens_per_step
        return ended

    def _end(self, i: int) -> None:
        self.ended[i] = self.now + self.late[i]
