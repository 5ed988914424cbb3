"""Low-rank adapters: which matrices carry them, and how many parameters and FLOPs that makes, tensor by tensor.

An adapter of rank r on a matrix of ``d_in`` by ``d_out`` is two matrices, r (d_in + d_out) parameters (Hu et al. 2021,
arXiv:2106.09685); DoRA adds one magnitude for each output (Liu et al. 2024, arXiv:2402.09353). Experts carry one
adapter each; routers, embeddings, norms and the head carry none.
"""

from dataclasses import dataclass
from functools import lru_cache

from sizebook.core.errors import InputError, RangeError
from sizebook.models.architecture import Architecture, Weight
from sizebook.models.identity import ByIdentity

_QUERY_VALUE = (".q_proj.", ".v_proj.")
_PARTS = {"attention": ("attention",), "mlp": ("mlp",), "all": ("attention", "mlp", "ssm")}


def carries(weight: Weight, lora_on: str) -> bool:
    """Return whether a matrix carries an adapter where adapters sit on the projections of that name."""
    if weight.use != "matmul":
        return False
    if lora_on == "query-value":
        return any(name in weight.name for name in _QUERY_VALUE)
    return weight.part in _PARTS[lora_on]


@dataclass(frozen=True)
class Target:
    """All matrices of one name and shape that carry adapters: ``n`` of them in the model, ``active`` a token visits."""

    name: str
    d_out: int
    d_in: int
    n: int
    active: int

    def parameters(self, lora_rank: int, *, magnitudes: bool) -> int:
        """Return the trained parameters on all of them."""
        return self.n * self._each(lora_rank, magnitudes)

    def _each(self, lora_rank: int, magnitudes: bool) -> int:
        return lora_rank * (self.d_in + self.d_out) + (self.d_out if magnitudes else 0)


def targets(architecture: Architecture, lora_on: str) -> tuple[Target, ...]:
    """Return the matrices that carry adapters by name and shape, in the order of a layer; none is refused."""
    return _targets(ByIdentity(architecture), lora_on)


@lru_cache(maxsize=256)
def _targets(same: ByIdentity, lora_on: str) -> tuple[Target, ...]:
    found: dict[tuple[str, int, int], tuple[int, int]] = {}
    for layer in same.architecture.layers:
        for weight in layer.weights:
            if carries(weight, lora_on):
                key = (weight.name.removesuffix(".weight").replace(".*", ""), weight.shape[0], weight.shape[-1])
                n, active = found.get(key, (0, 0))
                found[key] = (n + weight.copies, active + (weight.active if weight.copies > 1 else 1))
    if not found:
        raise InputError(
            f"no such projections: got lora_on '{lora_on}' for {same.architecture.model_type}, want adapters on "
            "matrices that it has. Say attention, mlp or all."
        )
    return tuple(Target(*key, *counts) for key, counts in found.items())


def check_rank(architecture: Architecture, lora_rank: int, lora_on: str) -> None:
    """Raise where the rank is above that of every matrix: two factors of it would say no more and hold more."""
    widest = max(min(each.d_in, each.d_out) for each in targets(architecture, lora_on))
    if lora_rank > widest:
        raise RangeError(
            f"rank above that of the matrices: got lora_rank {lora_rank} and {widest} at most of those that lora_on "
            f"'{lora_on}' names, want no more. Lower lora_rank, or set it to 0 to train the whole model."
        )


def adapter_parameters(architecture: Architecture, lora_rank: int, lora_on: str, *, magnitudes: bool) -> int:
    """Return the parameters that adapters train, every expert's counted."""
    return sum(each.parameters(lora_rank, magnitudes=magnitudes) for each in targets(architecture, lora_on))


def visited_parameters(architecture: Architecture, lora_rank: int, lora_on: str) -> int:
    """Return the parameters of adapters that one token multiplies by: those of the experts that it visits."""
    return sum(each.active * lora_rank * (each.d_in + each.d_out) for each in targets(architecture, lora_on))


def largest_matrix(architecture: Architecture, lora_on: str) -> int:
    """Return the elements of the largest matrix that carries an adapter."""
    return max(each.d_in * each.d_out for each in targets(architecture, lora_on))


def adapted_share(architecture: Architecture, lora_on: str) -> float:
    """Return the share of the layers' parameters that stand in matrices with adapters."""
    whole = sum(weight.size * weight.copies for layer in architecture.layers for weight in layer.weights)
    return sum(each.n * each.d_in * each.d_out for each in targets(architecture, lora_on)) / whole
