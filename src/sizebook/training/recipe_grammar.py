"""The grammars of ``recompute_modules`` and ``offload``: what is computed again, and what moves to the host.

``recompute_modules`` takes one of four forms:

    none
    MODULE ...                           modules of every layer: layernorm moe_act mla_up_proj mlp moe core_attn
    block N layers                       the first N layers of each chunk of a pipeline stage (Megatron)
    every Nth layer                      every N-th layer of a stage (torchtitan)
    remat_policy=NAME TENSOR=PLACE ...   every layer, except for outputs that a policy of JAX keeps (MaxText, praxis)

``offload`` takes ``none``, or any of ``optimizer`` and one of ``activations``, ``activations of N layers`` and
``activations of mlp``. Commas, semicolons and plus signs separate words like blanks do. Words outside the grammar have
no effect, and every plan names them as not read. `sizebook.sweeps.published_recipes` turns the prose of published
tables into this grammar.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from sizebook.core.tables import by_key

MODULES = ("layernorm", "moe_act", "mla_up_proj", "mlp", "moe", "core_attn")
OUTPUTS = ("attention_in", "context", "attention_out", "mlp_in", "mlp_out")
LAYER_INPUT = "layer_input"
# The tensors of MaxText's configuration; each is an output or a part of one.
_TENSORS = {
    "decoder_layer_input": LAYER_INPUT,
    **dict.fromkeys(("qkv_proj", "query_proj", "key_proj", "value_proj", "kv_proj"), "attention_in"),
    "context": "context",
    "out_proj": "attention_out",
    **dict.fromkeys(("mlpwi", "mlpwi_0", "mlpwi_1"), "mlp_in"),
    "mlpwo": "mlp_out",
}
_PLACES = ("device", "offload", "remat")
_CUSTOM = "custom"
_IGNORED = ("none", "and")
_RECOMPUTED = re.compile(r"block \d+ layers?|every \d+(?:st|nd|rd|th)? layers?|\S+")
_OFFLOADED = re.compile(r"activations? of (?:-?[\d.]+ layers?|mlp)|\S+")


@dataclass(frozen=True)
class RecomputedLayers:
    """Whole layers that are computed again: every ``every``-th of a stage, or the ``first`` ones of each chunk."""

    every: int
    first: int

    def share(self, n_layers: float, chunks: int) -> float:
        """Return the share of a stage's layers that are computed again."""
        whole = round(n_layers)
        count = whole // self.every if self.every else min(self.first * chunks, whole)
        return count / whole if whole else 0.0


@dataclass(frozen=True)
class Policy:
    """The outputs of a layer that a policy of JAX keeps, and those that move to the host, the layer's input included.

    ``is_assumed`` marks a custom policy that does not name its tensors.
    """

    kept: frozenset[str]
    on_host: frozenset[str]
    is_assumed: bool = False


@dataclass(frozen=True)
class Recomputation:
    """What ``recompute_modules`` states: modules, layers or a policy, and the words outside the grammar."""

    modules: frozenset[str] = frozenset()
    layers: RecomputedLayers | None = None
    policy: Policy | None = None
    unread: str = ""


@dataclass(frozen=True)
class Offload:
    """What ``offload`` moves to the host, and the words outside the grammar."""

    optimizer: bool = False
    activations: tuple[str, ...] = ()
    unread: str = ""

    @cached_property
    def layers(self) -> float | None:
        """The number of layers whose activations move, None where none is stated."""
        counted = re.search(r"-?[\d.]+", " ".join(self.activations))
        return float(counted[0]) if counted else None

    @cached_property
    def only_mlp(self) -> bool:
        """Whether only activations inside feed-forward blocks move."""
        return any("mlp" in each for each in self.activations)


@lru_cache(maxsize=256)
def read_recomputation(text: str) -> Recomputation:
    """Return what a text on recomputation states. Modules beside a policy, and layers beside either, are unread."""
    phrases = _phrases(_RECOMPUTED, text)
    policies = [each for each in phrases if each.removeprefix("remat_policy=") in _policies() and "=" in each]
    layers = [each for each in phrases if " " in each and re.findall(r"\d+", each)[0] != "0"]
    modules = frozenset(phrases) & frozenset(MODULES)
    if len(policies) == 1:
        placed = [each for each in phrases if _placed(each)]
        return Recomputation(policy=_policy(policies[0], placed), unread=_rest(phrases, [*policies, *placed]))
    if modules:
        return Recomputation(modules=modules, unread=_rest(phrases, modules))
    if len(layers) == 1:
        n = int(re.findall(r"\d+", layers[0])[0])
        stated = RecomputedLayers(0, n) if layers[0].startswith("block") else RecomputedLayers(n, 0)
        return Recomputation(layers=stated, unread=_rest(phrases, layers))
    return Recomputation(unread=_rest(phrases, ()))


@lru_cache(maxsize=256)
def read_offload(text: str) -> Offload:
    """Return what a text moves to the host."""
    phrases = _phrases(_OFFLOADED, text)
    activations = [each for each in phrases if re.match(r"activations?( of |$)", each)]
    return Offload("optimizer" in phrases, tuple(activations), _rest(phrases, ["optimizer", *activations]))


def _phrases(pattern: re.Pattern[str], text: str) -> list[str]:
    return pattern.findall(re.sub(r"[\s,;+]+", " ", text.casefold()))


def _rest(phrases: Iterable[str], read: Iterable[str]) -> str:
    known = {*read, *_IGNORED}
    return " ".join(each for each in phrases if each not in known)


@cache
def _policies() -> dict[str, Policy]:
    return {
        name: Policy(frozenset(row["keeps"].split()), frozenset(row["on_host"].split()), is_assumed=name == _CUSTOM)
        for name, row in by_key("training_policies", "policy").items()
    }


def _placed(phrase: str) -> bool:
    tensor, _, place = phrase.partition("=")
    return tensor in _TENSORS and place in _PLACES


def _policy(named: str, placed: Iterable[str]) -> Policy:
    """Return a policy of the table, or a custom one, with the tensors that are placed one by one."""
    policy = _policies()[named.removeprefix("remat_policy=")]
    places: dict[str, set[str]] = {}
    for tensor, place in (each.split("=") for each in placed):
        places.setdefault(_TENSORS[tensor], set()).add(place)
    if places and policy.is_assumed:
        policy = Policy(frozenset(), frozenset())
    # An output that is computed again in part is computed again.
    stays = {each for each, of_parts in places.items() if "remat" not in of_parts}
    on_host = {each for each in stays if "offload" in places[each]}
    return Policy(policy.kept | stays - {LAYER_INPUT}, policy.on_host | on_host, policy.is_assumed)
