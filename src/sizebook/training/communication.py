"""Seconds of communication of one rank by topology: scale-up domain, the network cards of a node, what hides it.

A group of ranks that stand ``stride`` apart puts ``domain // stride`` of them into one scale-up domain. What leaves
the domain goes through the network cards of all of those, each of which carries its share, and is passed on inside.
"""

from sizebook.training.activations import ACTIVATION_BYTES
from sizebook.training.layer_profile import Profile
from sizebook.training.layout import Layout
from sizebook.training.machine import Machine
from sizebook.training.profile import ModelProfile
from sizebook.training.recipe import Method


def collective(n_bytes: float, group: int, stride: int, rates: Machine) -> float:
    """Return the seconds of gathering ``n_bytes`` to every rank of a group, or of reducing and scattering them.

    Inside and across run at once, so the slower counts: every rank receives all but its own share over its link, and
    every domain all but its own over the cards of its ranks.
    """
    if group <= 1 or not n_bytes:
        return 0.0
    beside = min(group, rates.domain // stride) or 1  # ranks of the group that share a domain
    inside = n_bytes * (group - 1) / group / rates.scale_up if beside > 1 else 0.0
    if beside == group:
        return inside
    domains = group / beside
    return max(inside, n_bytes * (domains - 1) / domains / (beside * rates.scale_out))


def exposed(seconds: float, busy: float, rates: Machine) -> float:
    """Return what communication adds to compute of ``busy`` seconds beside it: what does not fit, and what it takes
    from the compute that hides the rest."""
    return max(0.0, seconds - busy) + rates.hidden_cost * min(seconds, busy)


def tensor_parallel(layers: Profile, profile: ModelProfile, layout: Layout, rates: Machine, tokens: float) -> float:
    """Return the exposed seconds of one micro-batch: gather and scatter of each block, forward and backward, one more
    gather backward with sequence parallelism, and both again where the whole layer is recomputed."""
    if layout.tp == 1:
        return 0.0
    residual = ACTIVATION_BYTES * tokens * profile.architecture.d_model
    passes = (5 if layout.sequence_parallel else 4) + (2 if layout.recompute == "full" else 0)
    blocks = layers.blocks - layers.expert_blocks if layout.etp == 1 else layers.blocks
    dense = passes * blocks * collective(residual, layout.tp, 1, rates)
    sent = ACTIVATION_BYTES * tokens * layers.dispatched / layout.tp * layout.etp
    experts = 4 * collective(sent, layout.etp, 1, rates)
    return rates.tp_exposed * (dense + experts)


def expert_exchange(layers: Profile, layout: Layout, rates: Machine, tokens: float) -> float:
    """Return exposed seconds of sending tokens to their experts and back, forward and backward.

    Inside a scale-up domain a token goes to each of its experts. Across domains it crosses the network once for each
    other domain that holds one of them, N - 1 times 1 - (1 - 1/N)^k with k experts spread evenly over N domains, and is
    copied on from there (DeepSeek-V3, arXiv:2412.19437, section 3.2.2). Each rank of a tensor-parallel group sends its
    own share of the tokens.
    """
    if layout.ep == 1 or not layers.dispatched:
        return 0.0
    top_k = layers.top_k / layers.expert_blocks
    domains = max(1.0, layout.ep * layout.etp / rates.domain)
    sent = ACTIVATION_BYTES * tokens / layout.tp * layers.dispatched
    inside = sent * (layout.ep - 1) / layout.ep / rates.scale_up
    met: float = 1 - (1 - 1 / domains) ** top_k
    across = sent / top_k * (domains - 1) * met / rates.scale_out
    passes = 6 if layout.recompute == "full" else 4
    # DualPipe runs the exchange of one micro-batch beside the products of another.
    exposed_share = rates.hidden_cost if layout.schedule == "dualpipe" and layout.pp > 1 else rates.ep_exposed
    return passes * exposed_share * max(inside, across)


def context_parallel(
    layers: Profile, profile: ModelProfile, layout: Layout, rates: Machine, tokens: float, busy: float
) -> float:
    """Return the exposed seconds of passing keys and values round, behind the scores that they are for."""
    if layout.cp == 1:
        return 0.0
    kv = ACTIVATION_BYTES * tokens * layers.inner_kv / min(layout.tp, profile.n_kv_heads)
    # Forward once, backward keys and values and their gradients; the ring passes on cp - 1 pieces.
    seconds = 3 * collective(kv * layout.cp, layout.cp, layout.tp, rates)
    return exposed(seconds, busy, rates)


def pipeline_send(profile: ModelProfile, layout: Layout, rates: Machine, tokens: float) -> float:
    """Return the seconds that sends between stages add to one micro-batch."""
    if layout.pp == 1:
        return 0.0
    spread = layout.tp if layout.sequence_parallel else 1
    n_bytes = ACTIVATION_BYTES * tokens * profile.architecture.d_model / spread
    link = rates.scale_up if layout.gpus <= rates.domain else rates.scale_out
    return rates.hidden_cost * 2 * layout.interleave * n_bytes / link


def data_parallel(
    gathered: tuple[float, float], reduced: tuple[float, float], layout: Layout, rates: Machine
) -> tuple[float, float, float]:
    """Return seconds of gathering weights once, of reducing gradients once, and of adding up what hybrid shards hold;
    each pair is bytes of dense tensors and of experts, whose group is another."""
    dense = (layout.shards, layout.tp)
    experts = (layout.expert_shards, layout.ep * layout.etp)
    gather = collective(gathered[0], *dense, rates) + collective(gathered[1], *experts, rates)
    reduce = collective(reduced[0], *dense, rates) + collective(reduced[1], *experts, rates)
    copies = layout.dp * layout.cp // layout.shards
    # A shard is added up over the copies, there and back, by all ranks of a node at once.
    added = 2 * collective(sum(reduced) / layout.shards, copies, layout.tp * layout.shards, rates)
    return gather, reduce, added


def offloading(n_bytes: float, busy: float, method: Method, rates: Machine) -> float:
    """Return the exposed seconds of moving activations to the host and back beside compute of ``busy`` seconds."""
    return exposed(2 * n_bytes / rates.host, busy, rates) if method.recipe.offload else 0.0
