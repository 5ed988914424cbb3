"""A model as the training plan sees it: what each of its layers holds and costs, and what stands outside of them."""

from dataclasses import dataclass, field
from functools import lru_cache

from sizebook.models.architecture import Architecture, Embedding
from sizebook.models.flops import distinct_layers, head_parameters
from sizebook.models.identity import ByIdentity
from sizebook.training.layer_profile import Profile, layer_profile


@dataclass(frozen=True)
class ModelProfile:
    """A model as the training plan sees it: the profile of each layer in order and what stands outside the layers."""

    architecture: Architecture
    seq: int
    n_layers: int
    layers: tuple[tuple[Profile, int], ...]
    embedding: int
    outside: int
    head: int
    stored_head: int
    n_kv_heads: int
    widest: Profile
    whole: Profile
    _shares: dict[float, Profile] = field(default_factory=dict, repr=False, compare=False)
    _stages: dict[tuple[int, int], Profile] = field(default_factory=dict, repr=False, compare=False)

    def share(self, part: float) -> Profile:
        """Return the profile of a part of all layers, worked out once for each."""
        if part not in self._shares:
            self._shares[part] = self.whole.times(part)
        return self._shares[part]

    def stage(self, first: int, n: int) -> Profile:
        """Return the profile of n layers from the first on: runs of equal layers are taken at once."""
        if (first, n) in self._stages:
            return self._stages[first, n]
        total, start = Profile(), 0
        for profile, times in self.layers:
            overlap = min(first + n, start + times) - max(first, start)
            if overlap > 0:
                total = total.plus(profile.times(overlap))
            start += times
        self._stages[first, n] = total
        return total


def model_profile(architecture: Architecture, seq: int) -> ModelProfile:
    """Return the profile of a model on sequences of ``seq`` tokens, worked out once for each."""
    return _model_profile(ByIdentity(architecture), seq)


@lru_cache(maxsize=256)
def _model_profile(same: ByIdentity, seq: int) -> ModelProfile:
    architecture = same.architecture
    known = {
        id(layer): layer_profile(layer, architecture.d_model, seq) for layer, _ in distinct_layers(architecture.layers)
    }
    runs: list[tuple[Profile, int]] = []
    for layer in architecture.layers:
        profile = known[id(layer)]
        if runs and runs[-1][0] is profile:
            runs[-1] = (profile, runs[-1][1] + 1)
        else:
            runs.append((profile, 1))
    outside = (*architecture.inputs, *architecture.outputs)
    stored = [w.size * w.copies for brick in outside for w in brick.weights]
    embedding = sum(w.size for b in architecture.inputs if isinstance(b, Embedding) for w in b.weights)
    whole = Profile()
    for profile, times in runs:
        whole = whole.plus(profile.times(times))
    heads = [getattr(b, "n_kv_heads", 0) for layer in architecture.layers for b in layer.bricks]
    return ModelProfile(
        architecture=architecture,
        seq=seq,
        n_layers=architecture.n_layers,
        layers=tuple(runs),
        embedding=embedding,
        outside=sum(stored) - embedding,
        head=head_parameters(architecture),
        stored_head=sum(w.size for w in architecture.head.weights) if architecture.head else 0,
        n_kv_heads=min((n for n in heads if n), default=1),
        widest=max(known.values(), key=lambda p: p.inner + p.routed),
        whole=whole,
    )
