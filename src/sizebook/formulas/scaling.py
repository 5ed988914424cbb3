"""Scaling choices: compute-optimal size and tokens (Chinchilla), loss, and what a budget buys.

The three approaches of Hoffmann et al. 2022 and the re-fit of Besiroglu et al. 2024, with their published coefficients.
"""

from dataclasses import dataclass
from typing import Annotated

from sizebook.core.errors import TargetError
from sizebook.core.hints import unknown_key
from sizebook.core.quantities import Flops, FlopsPerToken, ParameterCount, PeakFlops, Price, Tokens, Usd, Utilization
from sizebook.core.registry import function, holding
from sizebook.core.sections import DEFAULT, Quantity

HOFFMANN = "Hoffmann et al. 2022 (arXiv:2203.15556)"
BESIROGLU = "Besiroglu et al. 2024 (arXiv:2404.10102)"


@dataclass(frozen=True)
class PowerLaw:
    """The compute-optimal size N = scale C^exponent for a training compute of C = 6 N D."""

    scale: float
    exponent: float


@dataclass(frozen=True)
class LossLaw:
    """L(N, D) = E + A / N^alpha + B / D^beta."""

    e: float
    a: float
    b: float
    alpha: float
    beta: float

    @property
    def optimum(self) -> PowerLaw:
        """The size that minimises the loss under C = 6 N D: G (C / 6)^(beta / (alpha + beta))."""
        span = self.alpha + self.beta
        exponent = self.beta / span
        return PowerLaw((self.alpha * self.a / (self.beta * self.b)) ** (1 / span) / 6**exponent, exponent)


LOSS_LAWS = {
    "approach-3": LossLaw(1.69, 406.4, 410.7, 0.34, 0.28),
    "epoch": LossLaw(1.8172, 482.01, 2085.43, 0.3478, 0.3658),
}
# Approaches 1 and 2 publish the exponent and a table; the scale is anchored at its 67 B row: 5.76e23 and 6.88e23 FLOPs.
POWER_LAWS = {
    "20-tokens": PowerLaw(120**-0.5, 0.5),
    "approach-1": PowerLaw(67e9 / 5.76e23**0.5, 0.5),
    "approach-2": PowerLaw(67e9 / 6.88e23**0.49, 0.49),
    **{name: law.optimum for name, law in LOSS_LAWS.items()},
}

Approach = Annotated[
    str,
    Quantity(
        "'20-tokens' (D = 20 N), Hoffmann's 'approach-1' (exponent 0.50), 'approach-2' (0.49), 'approach-3' "
        "(parametric "
        "fit), or 'epoch' (its re-fit)",
        choices=tuple(POWER_LAWS),
        default="20-tokens",
    ),
]
LossLawName = Annotated[
    str,
    Quantity(
        "'approach-3' (Hoffmann's parametric fit) or 'epoch' (its re-fit)",
        choices=tuple(LOSS_LAWS),
        default="approach-3",
    ),
]
Loss = Annotated[float, Quantity("cross-entropy per token", unit="nats")]


def _chosen(approach: str) -> PowerLaw:
    if approach not in POWER_LAWS:
        raise unknown_key("approach", approach, POWER_LAWS)
    return POWER_LAWS[approach]


@function(
    category="scaling",
    source=f"{HOFFMANN}, section 3.3 and equation 4; re-fit: {BESIROGLU}; 20 tokens a parameter: table 3 of the first",
    formula='round(if(approach = "20-tokens", 120^-0.5 * n_flops^0.5, '
    'if(approach = "approach-1", 67e9 / 5.76e23^0.5 * n_flops^0.5, '
    'if(approach = "approach-2", 67e9 / 6.88e23^0.49 * n_flops^0.49, if(approach = "approach-3", '
    "(0.34 * 406.4 / (0.28 * 410.7))^(1 / (0.34 + 0.28)) "
    "/ 6^(0.28 / (0.34 + 0.28)) * n_flops^(0.28 / (0.34 + 0.28)), "
    "(0.3478 * 482.01 / (0.3658 * 2085.43))^(1 / (0.3478 + 0.3658)) "
    "/ 6^(0.3658 / (0.3478 + 0.3658)) * n_flops^(0.3658 / (0.3478 + 0.3658)))))))",
)
def optimal_params(n_flops: Flops, approach: Approach = DEFAULT) -> ParameterCount:
    """Return the model size of least loss for a training compute of C = 6 N D FLOPs.

    N = k C^a: sqrt(C / 120) for '20-tokens'; approaches 1 and 2 with their exponent, anchored at the published 67 B
    row; parametric fits with a = beta / (alpha + beta) and k = (alpha A / beta B)^(1 / (alpha + beta)) / 6^a.
    Leaves out what the model costs to serve: a smaller model trained longer may be cheaper over its life.
    """
    law = _chosen(approach)
    return round(law.scale * float(n_flops**law.exponent))


@function(
    category="scaling",
    source=f"{HOFFMANN}, table 3 and section 3.3; re-fit: {BESIROGLU}",
    formula='if(approach = "20-tokens", 20 * n_parameters, '
    'if(approach = "approach-1", 5.76e23 * (n_parameters / 67e9)^2 / (6 * n_parameters), '
    'if(approach = "approach-2", 6.88e23 * (n_parameters / 67e9)^(1 / 0.49) / (6 * n_parameters), '
    'if(approach = "approach-3", (0.28 * 410.7 / (0.34 * 406.4))^(1 / 0.28) * n_parameters^(0.34 / 0.28), '
    "(0.3658 * 2085.43 / (0.3478 * 482.01))^(1 / 0.3658) * n_parameters^(0.3478 / 0.3658)))))",
)
@holding("n_parameters > 0")
def optimal_tokens(n_parameters: ParameterCount, approach: Approach = DEFAULT) -> Tokens:
    """Return the training tokens for which a model of this size is the compute-optimal one.

    The compute C whose best size is N, by the law of OPTIMAL_PARAMS, divided by 6 N; 20 N for '20-tokens'.
    """
    law = _chosen(approach)
    n_flops: float = (n_parameters / law.scale) ** (1 / law.exponent)
    return n_flops / (6 * n_parameters)


@function(
    category="scaling",
    source=f"{HOFFMANN}, equation 10 (approach 3); re-fit: {BESIROGLU}",
    formula='if(loss_law = "epoch", 1.8172 + 482.01 / n_parameters^0.3478 + 2085.43 / tokens^0.3658, '
    "1.69 + 406.4 / n_parameters^0.34 + 410.7 / tokens^0.28)",
)
def training_loss(n_parameters: ParameterCount, tokens: Tokens, loss_law: LossLawName = DEFAULT) -> Loss:
    """Return the predicted cross-entropy: E + A / N^alpha + B / D^beta, on the data of the fit (MassiveText).

    Compares sizes and token counts with each other; another data set has another E, A and B.
    """
    if loss_law not in LOSS_LAWS:
        raise unknown_key("loss_law", loss_law, LOSS_LAWS)
    law = LOSS_LAWS[loss_law]
    loss: float = law.e + law.a / n_parameters**law.alpha + law.b / tokens**law.beta
    return loss


@function(
    category="scaling",
    source="definition: GPU-hours that the money buys x FLOP/s sustained / FLOPs per token",
    formula="budget_usd / price_usd_per_gpu_hour * 3600 * peak_flop_per_s * utilization / flops_per_token",
)
def tokens_for_budget(
    budget_usd: Usd,
    flops_per_token: FlopsPerToken,
    price_usd_per_gpu_hour: Price,
    peak_flop_per_s: PeakFlops,
    utilization: Utilization,
) -> Tokens:
    """Return the tokens that a budget trains a given model on; nothing but GPU-hours is paid from it."""
    return budget_usd / price_usd_per_gpu_hour * 3600 * peak_flop_per_s * utilization / flops_per_token


@function(
    category="scaling",
    source=f"definition with {HOFFMANN}, table 3",
    formula="OPTIMAL_PARAMS(budget_usd / price_usd_per_gpu_hour * 3600 * peak_flop_per_s * utilization, approach)",
)
@holding("budget_usd > 0")
def params_for_budget(
    budget_usd: Usd,
    price_usd_per_gpu_hour: Price,
    peak_flop_per_s: PeakFlops,
    utilization: Utilization,
    approach: Approach = DEFAULT,
) -> ParameterCount:
    """Return the compute-optimal model size for a budget: OPTIMAL_PARAMS of the FLOPs that the GPU-hours deliver."""
    if budget_usd <= 0:
        raise TargetError(f"nothing to spend: got a budget of {budget_usd:g} USD, want above 0. Raise the budget.")
    return optimal_params(budget_usd / price_usd_per_gpu_hour * 3600 * peak_flop_per_s * utilization, approach)
