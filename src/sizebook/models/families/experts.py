"""What mixtures of experts share: routed and shared experts from the usual keys, which layers have them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sizebook.models.architecture import Experts, Weight
from sizebook.models.config import MISSING, Config

# How many experts there are, and how many a token visits, in the words of one file or another.
NUMBERS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
VISITED = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "moe_top_k")


def routed(config: Config, d_ff: str = "moe_intermediate_size", **more: Any) -> Experts:
    """Return experts from the usual keys."""
    config.agree(*NUMBERS)
    config.agree(*VISITED)
    n_experts = config.integer(*NUMBERS)
    if n_experts == 0:
        raise config.unknown(next(name for name in NUMBERS if config.has(name)), 0, "1 or more: none is not described")
    top_k = config.integer(*VISITED)
    return Experts(config.integer("hidden_size"), config.integer(d_ff), n_experts, top_k=top_k, **more)


def shared_width(config: Config, d_ff: int, *, default: int = MISSING) -> int:
    """Return the width of the shared experts together; null is none, but a file must say so where types differ."""
    names = "n_shared_experts", "num_shared_experts", "moe_num_shared_experts"
    return d_ff * config.integer(*names, default=0 if any(name in config.values for name in names) else default)


def fine_grained(config: Config) -> Experts:
    """Return routed and shared experts from the usual keys."""
    feed = routed(config)
    return replace(feed, d_ff_shared=shared_width(config, feed.d_ff))


def mlp_kinds(config: Config, *, first_dense: int | None = None) -> list[str]:
    """Return dense or sparse for each layer: from ``mlp_layer_types``, else dense in the first layers."""
    n_layers = config.integer("num_hidden_layers")
    config.ignore("intermediate_size")  # the width of dense layers, where there is none
    n_dense = config.integer("first_k_dense_replace", default=0 if first_dense is None else first_dense)
    default = ["dense" if i < n_dense else "sparse" for i in range(n_layers)]
    return config.pattern("mlp_layer_types", n_layers, ("dense", "sparse"), default)


def correction(n_experts: int, kinds: Iterable[str]) -> tuple[Weight, ...]:
    """Return the stored bias that balances the experts of each sparse layer; it is not trained by gradients."""
    stored = Weight("mlp.gate.e_score_correction_bias", (n_experts,), "router", use="vector")
    return (stored,) * sum(kind != "dense" for kind in kinds)


def stepped_kinds(config: Config, *, listed: bool = False) -> list[str]:
    """Return dense or sparse for each layer: every ``decoder_sparse_step``-th has experts unless listed as dense.

    ``listed`` says that a file must list them: the class has a list of its own.
    """
    n_layers, step = config.integer("num_hidden_layers"), config.integer("decoder_sparse_step", default=1)
    dense = config.integers("mlp_only_layers", default=MISSING if listed else [])
    config.ignore("intermediate_size")  # the width of dense layers, where there is none
    return ["dense" if i in dense or not step or (i + 1) % step else "sparse" for i in range(n_layers)]
