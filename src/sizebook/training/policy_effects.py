"""What a policy of JAX keeps of layers that are computed again, and what it need not compute: elements and products.

A layer's input always stays. Its last product is never computed again: nothing in the backward pass asks for what it
returned, and XLA drops what nobody asks for.
"""

from dataclasses import dataclass

from sizebook.training.layer_profile import Profile
from sizebook.training.recipe_grammar import LAYER_INPUT, OUTPUTS, Policy


def kept_elements(
    layers: Profile, policy: Policy, d_model: int, *, tp: int, kv_split: int, spread: int
) -> dict[str, float]:
    """Return the elements per token that one rank keeps of each output, the layers' inputs among them."""
    residual = layers.layers * d_model / spread
    sizes = {
        # As wide as what attention returns; latent attention expands queries, keys and values.
        "attention_in": (layers.latent_up or layers.attention_out) / tp + layers.inner_kv / kv_split,
        "context": layers.attention_out / tp,
        "attention_out": residual,
        "mlp_in": layers.mlp_up / tp,
        "mlp_out": residual,
    }
    return {LAYER_INPUT: residual, **{name: sizes[name] for name in OUTPUTS if name in policy.kept}}


@dataclass(frozen=True, slots=True)
class SavedShare:
    """Shares of a layer's forward pass that its recomputation leaves out."""

    matrices: float
    experts: float
    scores: float


def saved_share(layers: Profile, policy: Policy, d_model: int) -> SavedShare:
    """Return the shares of products of dense matrices, of experts and of attention scores that are not computed again:
    those whose outputs are kept, and the last of each feed-forward block."""
    out, down = layers.attention_out * d_model, layers.mlp_down * d_model
    sizes = {
        # Projections into recurrent mixers have no name in any policy.
        "attention_in": 0.0 if layers.state_flops else layers.matrices - layers.mlp_matrices - out,
        "attention_out": out,
        "mlp_in": layers.mlp_matrices - down,
    }
    kept = down + sum(size for name, size in sizes.items() if name in policy.kept)
    return SavedShare(
        matrices=kept / layers.matrices if layers.matrices else 0.0,
        experts=layers.expert_down * d_model / layers.active_experts if layers.active_experts else 0.0,
        scores=float("context" in policy.kept),
    )
