"""Architecture features by which models are filtered, read off the bricks and never off a name."""

from collections.abc import Callable

from sizebook.models.architecture import Architecture, Attention, Brick, Experts, FeedForward
from sizebook.models.latent import LatentAttention

_OfBrick = Callable[[Brick], bool]


def _keeps(name: str) -> _OfBrick:
    return lambda brick: bool(getattr(brick, name, None))


# Feature -> whether a brick of a layer shows it. The order is that of the page.
_BRICKS: dict[str, _OfBrick] = {
    "multi-head": lambda b: isinstance(b, Attention) and b.n_kv_heads == b.n_heads,
    "grouped heads": lambda b: isinstance(b, Attention) and 1 < b.n_kv_heads < b.n_heads,
    "multi-query": lambda b: isinstance(b, Attention) and b.n_kv_heads == 1 < b.n_heads,
    "latent attention": lambda b: isinstance(b, LatentAttention),
    "sliding window": _keeps("window"),
    "selected keys": _keeps("selected_keys"),
    "recurrent state": _keeps("state_elements"),
    "bidirectional": _keeps("bidirectional"),
    "cross attention": _keeps("cross"),
    "query-key norms": _keeps("qk_norm"),
    "experts": lambda b: isinstance(b, Experts),
    "shared experts": _keeps("d_ff_shared"),
    "gated feed-forward": lambda b: isinstance(b, FeedForward | Experts) and b.gated,
}
_WHOLE: dict[str, Callable[[Architecture], bool]] = {
    "tied embedding": lambda a: a.head is not None and a.head.tied,
    "prediction layers": lambda a: bool(a.mtp),
    "sees or hears": lambda a: any(w.part == "tower" for brick in a.inputs for w in brick.weights),
}
FEATURES = (*_BRICKS, *_WHOLE)


def features(architecture: Architecture) -> tuple[str, ...]:
    """Return the features of a model in the order of `FEATURES`."""
    bricks = {id(brick): brick for layer in architecture.layers for brick in layer.bricks}.values()
    found = [name for name, shows in _BRICKS.items() if any(map(shows, bricks))]
    return (*found, *(name for name, shows in _WHOLE.items() if shows(architecture)))
