"""Training memory in closed form: states per parameter, activations of a GPT block, logits.

For a real model on a real layout see TRAIN_MEMORY_BYTES, which adds the same terms over the model's own tensors.
"""

from typing import Annotated

from sizebook.core.errors import require
from sizebook.core.hints import unknown_key
from sizebook.core.quantities import (
    DModel,
    Dp,
    Dtype,
    Interleave,
    MemoryBytes,
    MicroBatch,
    NHeads,
    NLayers,
    ParameterCount,
    Pp,
    Seq,
    SequenceParallel,
    Tp,
    Vocab,
    ZeroStage,
)
from sizebook.core.registry import function, holding
from sizebook.core.sections import DEFAULT, Quantity, section
from sizebook.core.tables import by_key
from sizebook.formulas.flops import closed_form_of
from sizebook.formulas.weights import dtype_bits
from sizebook.training.recipe import OptimizerName, Recompute

KORTHIKANTI = "Korthikanti et al. 2022 (arXiv:2205.05198)"
ZERO = "Rajbhandari et al. 2020 (arXiv:1910.02054)"


WeightBytesEach = Annotated[
    float, Quantity("bytes of a weight as it is computed with", unit="bytes", minimum=0, default=2)
]
GradientBytesEach = Annotated[float, Quantity("bytes of a gradient", unit="bytes", minimum=0, default=2)]
OptimizerBytesEach = Annotated[
    float,
    Quantity("bytes of optimizer state per parameter, master weight included", unit="bytes", minimum=0, default=12),
]
LogitBytesEach = Annotated[float, Quantity("bytes of a logit", unit="bytes", minimum=0, default=4)]


@function(category="training memory", source="data/dtypes.csv", formula="n_parameters * DTYPE_BITS(dtype) / 8")
def weight_bytes(n_parameters: ParameterCount, dtype: Dtype = DEFAULT) -> MemoryBytes:
    """Return the bytes of weights while they are computed with: parameters x bits per weight / 8."""
    return n_parameters * dtype_bits(dtype) / 8


@function(category="training memory", source="data/optimizers.csv, one source a row")
def optimizer_bytes(n_parameters: ParameterCount, optimizer: OptimizerName = DEFAULT) -> MemoryBytes:
    """Return the bytes of optimizer states: parameters x bytes per parameter of that optimizer, master weights apart.

    Takes every parameter to be in a matrix inside the layers. Adafactor's row and column sums need the shapes and are
    0 here (they are under a thousandth of a byte per parameter of a wide model); TRAIN_MEMORY_BYTES counts them.
    """
    rows = by_key("optimizers", "optimizer")
    if optimizer not in rows:
        raise unknown_key("optimizer", optimizer, rows)
    return n_parameters * float(rows[optimizer]["matrix_bytes"])


@function(
    category="training memory",
    source=f"{ZERO}, section 5 and figure 1",
    formula="n_parameters * weight_bytes_each / if(zero_stage >= 3, dp, 1) "
    "+ n_parameters * gradient_bytes_each / if(zero_stage >= 2, dp, 1) "
    "+ n_parameters * optimizer_bytes_each / if(zero_stage >= 1, dp, 1)",
)
def model_state_bytes(
    n_parameters: ParameterCount,
    dp: Dp = DEFAULT,
    zero_stage: ZeroStage = DEFAULT,
    weight_bytes_each: WeightBytesEach = DEFAULT,
    gradient_bytes_each: GradientBytesEach = DEFAULT,
    optimizer_bytes_each: OptimizerBytesEach = DEFAULT,
) -> MemoryBytes:
    """Return weights, gradients and optimizer states of one rank under ZeRO: each part divided by dp from its stage on.

    Stage 1 shards the optimizer (master weights included), 2 the gradients too, 3 the weights too. The defaults are
    bf16 with AdamW, 16 bytes a parameter; Megatron accumulates gradients in fp32: gradient_bytes_each 4.
    """
    parts = ((weight_bytes_each, 3), (gradient_bytes_each, 2), (optimizer_bytes_each, 1))
    return sum(n_parameters * each / (dp if zero_stage >= stage else 1) for each, stage in parts)


@function(
    category="training memory",
    source=f"{KORTHIKANTI}, figure 1 and section 5: 18 bytes x 12 L h^2 / (t p)",
    formula="18 * 12 * n_layers * d_model^2 / (tp * pp)",
)
def state_bytes_gpt(n_layers: NLayers, d_model: DModel, tp: Tp = DEFAULT, pp: Pp = DEFAULT) -> MemoryBytes:
    """Return weights, gradients and optimizer states of one rank of a GPT, at 18 bytes per layer parameter.

    2 (bf16 weights) + 4 (fp32 gradients) + 12 (AdamW and master weights), nothing sharded over data-parallel ranks.
    Leaves out embeddings, biases and norms.
    """
    return 18 * 12 * n_layers * d_model**2 / (tp * pp)


@section
class GptLayout:
    """The part of a layout on which the activations of a GPT depend."""

    tp: Tp = DEFAULT
    pp: Pp = DEFAULT
    micro_batch: MicroBatch = DEFAULT
    recompute: Recompute = DEFAULT
    interleave: Interleave = DEFAULT
    sequence_parallel: SequenceParallel = DEFAULT


@function(
    category="training memory",
    source=f"{KORTHIKANTI}, equations 1 to 4, table 2 and section 4.2.3",
    formula='seq * micro_batch * n_layers * if(recompute = "full", 2 * d_model / if(sequence_parallel, tp, 1), '
    "if(sequence_parallel, 0, 10 * d_model) + (if(sequence_parallel, 34, 24) * d_model "
    '+ if(recompute = "selective", 0, 5 * n_heads * seq)) / tp) '
    "* if(interleave = 1, 1, 1 + (pp - 1) / (pp * interleave))",
)
@holding('if(recompute = "every-other-matmul", 0, if(interleave = 1, 1, pp > 1))')
def activation_bytes(
    n_layers: NLayers, d_model: DModel, n_heads: NHeads, seq: Seq, layout: GptLayout = DEFAULT
) -> MemoryBytes:
    """Return the activations that the first pipeline stage of a GPT keeps for the backward pass, in bf16 with dropout.

    A layer keeps s b h (34 + 5 a s / h) / t with sequence parallelism, s b h (10 + 24 / t + 5 a s / (h t)) without;
    selective recomputation drops the 5 a s / h, full keeps 2 s b h (divided by t with sequence parallelism). The first
    stage holds pp micro-batches of L / pp layers, times 1 + (pp - 1) / (pp v) with v interleaved chunks. Leaves out
    embedding, final norm and logits; a flash attention kernel keeps what 'selective' does.
    """
    tp, pp, interleave, recompute = layout.tp, layout.pp, layout.interleave, layout.recompute
    closed_form_of(recompute)
    require(
        interleave == 1 or pp > 1,
        f"interleave needs a pipeline: got interleave {interleave} and pp {pp}, want pp above 1. Set interleave to 1.",
    )
    tokens = seq * layout.micro_batch
    scores = 0 if recompute == "selective" else 5 * n_heads * seq
    split = layout.sequence_parallel
    kept = (34 * d_model + scores) / tp if split else 10 * d_model + (24 * d_model + scores) / tp
    if recompute == "full":
        kept = 2 * d_model / (tp if split else 1)
    pipeline = 1 if interleave == 1 else 1 + (pp - 1) / (pp * interleave)
    return tokens * n_layers * kept * pipeline


@function(
    category="training memory",
    source=f"{KORTHIKANTI}, section 4.3: 4 s b v / t in fp32",
    formula="micro_batch * seq * vocab * bytes_each / tp",
)
def logits_bytes(
    vocab: Vocab, seq: Seq, tp: Tp = DEFAULT, micro_batch: MicroBatch = DEFAULT, bytes_each: LogitBytesEach = DEFAULT
) -> MemoryBytes:
    """Return the bytes of one copy of the logits of a micro-batch, fp32 unless said otherwise.

    Cross-entropy holds two or three such copies at its peak unless it is a fused kernel.
    """
    return micro_batch * seq * vocab * bytes_each / tp
