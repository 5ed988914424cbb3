"""FLOPs in closed form, for models whose dimensions are typed in; `sizebook.models.flops` counts real architectures."""

from sizebook.core.errors import require
from sizebook.core.quantities import (
    Batch,
    DHead,
    DModel,
    DOut,
    Flops,
    FlopsPerToken,
    NHeads,
    NLayers,
    ParameterCount,
    PeakFlops,
    Ratio,
    Seq,
    TokenRate,
    Tokens,
    Utilization,
    Vocab,
)
from sizebook.core.registry import function, holding
from sizebook.core.sections import DEFAULT
from sizebook.training.recipe import Recompute
from sizebook.training.tuning import LoraRank

NARAYANAN = "Narayanan et al. 2021 (arXiv:2104.04473)"
PALM = "Chowdhery et al. 2022 (arXiv:2204.02311), appendix B"


@function(
    category="compute",
    source="Kaplan et al. 2020 (arXiv:2001.08361), section 2.1: C = 6 N D",
    formula="6 * n_parameters * tokens",
)
def flops_6nd(n_parameters: ParameterCount, tokens: Tokens) -> Flops:
    """Return the training FLOPs of the rule 6 N D: a multiply-add forward and two backward per parameter and token.

    Leaves out attention scores and recomputation. For experts, N is the parameters that a token visits.
    """
    return 6 * n_parameters * tokens


@function(category="compute", source=PALM, formula="6 * n_parameters + 12 * n_layers * n_heads * d_head * seq")
def flops_per_token_palm(
    n_parameters: ParameterCount, n_layers: NLayers, n_heads: NHeads, d_head: DHead, seq: Seq
) -> FlopsPerToken:
    """Return training FLOPs per token as PaLM counts them for MFU: 6 N + 12 L H Q T.

    N counts every parameter; attention scores are the full square. Leaves out recomputation.
    """
    return 6 * n_parameters + 12 * n_layers * n_heads * d_head * seq


def closed_form_of(recompute: str) -> None:
    """Refuse the one kind of recomputation that the papers' closed forms do not have."""
    require(
        recompute != "every-other-matmul",
        "no closed form: got recompute 'every-other-matmul', want none, selective or full. Choose one of them, or ask "
        "for a published model (FLOPS_PER_TOKEN, TRAIN_MEMORY_BYTES).",
    )


@function(
    category="compute",
    source=f"{NARAYANAN}, equation 3 (full recomputation); none: Korthikanti et al. 2022 (arXiv:2205.05198), "
    f"equation 7",
    formula='batch * seq * (if(recompute = "full", 4, 3) * (24 * n_layers * d_model^2 + 4 * n_layers * d_model * seq) '
    '+ 6 * d_model * vocab + if(recompute = "selective", 4 * n_layers * d_model * seq, 0))',
)
@holding('recompute <> "every-other-matmul"')
def flops_per_step_gpt(
    n_layers: NLayers, d_model: DModel, vocab: Vocab, batch: Batch, seq: Seq, recompute: Recompute = DEFAULT
) -> Flops:
    """Return the FLOPs of one optimizer step of a GPT (d_ff = 4 d_model, heads as wide as the model), full-square
    scores.

    Full recomputation: 96 B s L h^2 (1 + s / 6h + V / 16 L h). Without: 72 B s L h^2 (1 + s / 6h + V / 12 L h).
    Selective recomputes the scores once: 4 B s^2 L h more. Leaves out norms and softmax.
    """
    closed_form_of(recompute)
    tokens = batch * seq
    layers, scores, head = 24 * n_layers * d_model**2, 4 * n_layers * d_model * seq, 2 * d_model * vocab
    passes = 4 if recompute == "full" else 3
    return tokens * (passes * (layers + scores) + 3 * head + (scores if recompute == "selective" else 0))


@function(category="compute", source="definition: tokens x FLOPs per token", formula="flops_per_token * tokens")
def train_flops(flops_per_token: FlopsPerToken, tokens: Tokens) -> Flops:
    """Return the FLOPs of a whole training run: FLOPs per token x tokens, in the convention of the first argument."""
    return flops_per_token * tokens


@function(category="compute", source=PALM, formula="tokens_per_s_per_gpu * flops_per_token / peak_flop_per_s")
def mfu(tokens_per_s_per_gpu: TokenRate, flops_per_token: FlopsPerToken, peak_flop_per_s: PeakFlops) -> Ratio:
    """Return model FLOPs utilisation: FLOPs that the model needs per second over the dense peak of the GPU.

    With FLOPs that include recomputation it is hardware FLOPs utilisation (HFU). A sparse peak halves it wrongly.
    """
    return tokens_per_s_per_gpu * flops_per_token / peak_flop_per_s


@function(
    category="compute",
    source=f"{PALM}: MFU solved for the rate",
    formula="utilization * peak_flop_per_s / flops_per_token",
)
def train_tokens_per_s(
    flops_per_token: FlopsPerToken, peak_flop_per_s: PeakFlops, utilization: Utilization
) -> TokenRate:
    """Return the tokens a second that one GPU trains on at a given MFU."""
    return utilization * peak_flop_per_s / flops_per_token


@function(
    category="compute", source="Hu et al. 2021 (arXiv:2106.09685), section 4.1", formula="lora_rank * (d_model + d_out)"
)
def params_lora(d_model: DModel, d_out: DOut, lora_rank: LoraRank) -> ParameterCount:
    """Return the trainable parameters of one low-rank adapter on a d_model x d_out matrix: rank x (d_model + d_out)."""
    return lora_rank * (d_model + d_out)
