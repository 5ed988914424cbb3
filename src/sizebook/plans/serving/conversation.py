"""Conversations of several turns: how long their prompts are, and what of them a cache can hold."""

from dataclasses import replace

from sizebook.core.errors import InputError
from sizebook.core.sections import AskedBy, quantity, section
from sizebook.plans.serving.lengths import Histogram, RequestLengths
from sizebook.serving.quantities import Demand


@section
class Conversation(AskedBy, key="turns", refused=False):
    """Turns, what each adds, the time between them, and a cache in host memory."""

    turns: int = quantity(
        "requests of a conversation, each of which brings the prompts and answers before it; 1 for none",
        "requests",
        minimum=1,
        maximum=1000,
        default=1,
        label="Turns of a conversation",
        source="neutral: every request stands alone",
    )
    turn_tokens: int = quantity(
        "tokens that each later prompt adds to the conversation so far, whose first prompt has input_tokens",
        "tokens",
        minimum=1,
        default=100,
        label="Added by a later prompt",
        source="assumption: type your own lengths",
    )
    think_seconds: float = quantity(
        "mean seconds between an answer and the next prompt",
        "seconds",
        above=0,
        maximum=1e7,
        default=60,
        label="Time to think",
        source="assumption: type your own",
    )
    returning: float = quantity(
        "share of later prompts that reach the replica with their conversation; 1 over replicas where sent at random",
        "ratio",
        minimum=0,
        maximum=1,
        default=1,
        label="Prompts back at their replica",
        source="assumption: requests are sent where their prefix is",
    )
    host_cache_bytes: float = quantity(
        "host memory or NVMe for cache that a GPU's own memory does not hold, 0 for none",
        "bytes",
        minimum=0,
        default=0,
        zero="none",
        label="Host cache of a GPU",
        source="neutral: none",
    )
    host_cache_bytes_per_second: float | None = quantity(
        "rate at which a GPU reads its host cache, blank for its PCIe link",
        "bytes/s",
        above=0,
        default=None,
        label="Rate of the host cache, a GPU",
        source="data/hardware.csv",
    )
    host_cache_shared: bool = quantity(
        "whether the host cache serves all replicas",
        default=False,
        label="Host cache serves all replicas",
        source="neutral: each replica has its own",
    )

    def prompts(self, mean: Demand) -> tuple[int, ...]:
        """Return the tokens of each prompt: the first, and what every turn before a later one added."""
        return tuple(mean.input_tokens + turn * (self.turn_tokens + mean.output_tokens) for turn in range(self.turns))

    def read(self, demand: Demand, lengths: RequestLengths) -> RequestLengths:
        """Return the lengths of all turns; the demand's prompt is the first. Errors: another spread of prompts."""
        if self.turns == 1:
            return lengths
        mean = lengths.mean(demand)
        prompts = self.prompts(replace(mean, input_tokens=demand.input_tokens))
        stated = (lengths.input_tokens_p50, lengths.input_tokens_p95, lengths.input_histogram)
        if any(each is not None for each in stated):
            raise InputError(
                f"lengths given twice: got {self.turns} turns and a spread of prompts, want one of them. Remove the "
                "spread: prompts grow from input_tokens by turn_tokens and the answers so far."
            )
        return replace(lengths, of_turns=Histogram(tuple((tokens, 1 / self.turns) for tokens in prompts)))

    def hit_ratio(self, first: Demand, output_tokens: int, found: float) -> float:
        """Return the share of all prompts' tokens that caches hold, where so many later turns find their prefix.

        The first prompt, and one that finds no prefix, have the share of the first that is stated.
        """
        prompts = self.prompts(replace(first, output_tokens=output_tokens))
        begun = first.cache_hit_ratio * first.input_tokens
        kept = sum(found * (prompt - self.turn_tokens) + (1 - found) * begun for prompt in prompts[1:])
        return (begun + kept) / sum(prompts)
