"""Trainable parameters in closed form: blocks, stacks and whole transformers.

Everything here is exact for the architecture that its docstring states. For a published model, whose layers may differ
from each other, count its config.json instead (`sizebook.models`).
"""

from typing import Annotated

from sizebook.core.errors import require
from sizebook.core.quantities import (
    Bias,
    DAttn,
    DFf,
    DHead,
    DIn,
    DModel,
    DOut,
    Gated,
    NHeads,
    NKvHeads,
    NLayers,
    NPositions,
    Parameters,
    Vocab,
)
from sizebook.core.registry import function, holding
from sizebook.core.sections import DEFAULT, Quantity, quantity, section

VASWANI = "Vaswani et al. 2017 (arXiv:1706.03762)"
KAPLAN = "Kaplan et al. 2020 (arXiv:2001.08361), section 2.1 and table 1"

NEntries = Annotated[int, Quantity("number of entries of the token table", minimum=1)]
FfnConvention = Annotated[
    str,
    Quantity(
        "'exact', or 'dashboard' for the bias count of the Transformers Dashboard post (d_model in place of d_ff)",
        choices=("exact", "dashboard"),
        default="exact",
    ),
]


@function(category="parameters", source=f"{VASWANI}, section 3.2.2", formula="4 * (d_model^2 + bias * d_model)")
def params_mha(d_model: DModel, bias: Bias = DEFAULT) -> Parameters:
    """Return the trainable parameters of one multi-head attention block.

    Query, key, value and output projections, each d_model x d_model, each with its bias. Assumes that the heads
    together are as wide as the model (n_heads d_head = d_model); PARAMS_ATTENTION takes them apart.
    """
    return 4 * (d_model**2 + bias * d_model)


@function(
    category="parameters",
    source=f"{VASWANI}, section 3.2.2; grouped heads: Ainslie et al. 2023 (arXiv:2305.13245)",
    formula="2 * d_model * d_head * (n_heads + n_kv_heads) + bias * (d_head * (n_heads + 2 * n_kv_heads) + d_model)",
    blanks={"n_kv_heads": "n_heads"},
)
@holding("n_heads = n_kv_heads * floor(n_heads / n_kv_heads)")
def params_attention(
    d_model: DModel, n_heads: NHeads, d_head: DHead, n_kv_heads: NKvHeads | None = DEFAULT, bias: Bias = DEFAULT
) -> Parameters:
    """Return the trainable parameters of one attention block with explicit heads, grouped where n_kv_heads is given.

    Query and output projections hold d_model x n_heads d_head each, key and value projections
    d_model x n_kv_heads d_head each. n_kv_heads must divide n_heads. Left out: query and key norms, rotary tables (no
    parameters).
    """
    kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    require(
        n_heads % kv_heads == 0,
        f"heads do not group: got n_heads {n_heads} and n_kv_heads {kv_heads}, want n_kv_heads to divide n_heads. "
        "Correct one of the two.",
    )
    weights = 2 * d_model * d_head * (n_heads + kv_heads)
    return weights + bias * (d_head * (n_heads + 2 * kv_heads) + d_model)


@function(
    category="parameters",
    source=f"{VASWANI}, section 3.3, equation 2; gated: Shazeer 2020 (arXiv:2002.05202)",
    formula="(2 + gated) * d_model * d_ff "
    '+ bias * ((1 + gated) * if(convention = "dashboard", d_model, d_ff) + d_model)',
)
def params_ffn(
    d_model: DModel, d_ff: DFf, bias: Bias = DEFAULT, gated: Gated = DEFAULT, convention: FfnConvention = DEFAULT
) -> Parameters:
    """Return the trainable parameters of one feed-forward block, plain (two matrices) or gated (three).

    The first bias has d_ff entries and the second d_model. Convention 'dashboard' counts both with d_model entries, as
    the Transformers Dashboard post does by mistake, so that its figures can be reproduced.
    """
    first_bias = d_model if convention == "dashboard" else d_ff
    return (2 + gated) * d_model * d_ff + bias * ((1 + gated) * first_bias + d_model)


@function(
    category="parameters",
    source="Ba et al. 2016 (arXiv:1607.06450), section 3; RMSNorm: Zhang and Sennrich 2019 (arXiv:1910.07467)",
    formula="(1 + bias) * d_model",
)
def params_ln(d_model: DModel, bias: Bias = DEFAULT) -> Parameters:
    """Return the trainable parameters of one layer norm: gain and bias; without bias it is an RMSNorm."""
    return (1 + bias) * d_model


@function(
    category="parameters",
    source=f"{VASWANI}, section 3.1 (encoder)",
    formula="n_layers * (4 * (d_model^2 + d_model) "
    '+ 2 * d_model * d_ff + if(convention = "dashboard", d_model, d_ff) + d_model + 4 * d_model)',
)
def params_encoder(n_layers: NLayers, d_model: DModel, d_ff: DFf, convention: FfnConvention = DEFAULT) -> Parameters:
    """Return the trainable parameters of the original encoder stack: attention, feed-forward and two norms a layer.

    Every projection and norm has its bias, heads are as wide as the model. Left out: embeddings.
    """
    layer = params_mha(d_model) + params_ffn(d_model, d_ff, convention=convention) + 2 * params_ln(d_model)
    return n_layers * layer


@function(
    category="parameters",
    source=f"{VASWANI}, section 3.1 (decoder)",
    formula="n_layers * (8 * (d_model^2 + d_model) "
    '+ 2 * d_model * d_ff + if(convention = "dashboard", d_model, d_ff) + d_model + 6 * d_model)',
)
def params_decoder(n_layers: NLayers, d_model: DModel, d_ff: DFf, convention: FfnConvention = DEFAULT) -> Parameters:
    """Return the trainable parameters of the original decoder stack: two attentions, feed-forward, three norms a layer.

    The attentions are self and cross. Every projection and norm has its bias, heads are as wide as the model. Left out:
    embeddings and output projection.
    """
    layer = 2 * params_mha(d_model) + params_ffn(d_model, d_ff, convention=convention) + 3 * params_ln(d_model)
    return n_layers * layer


@function(
    category="parameters",
    source=f"{VASWANI}, section 3.4 (linear transformation before the softmax)",
    formula="d_in * d_out + bias * d_out",
)
def params_linear(d_in: DIn, d_out: DOut, bias: Bias = DEFAULT) -> Parameters:
    """Return the trainable parameters of one linear projection: a d_in x d_out matrix and d_out biases."""
    return d_in * d_out + bias * d_out


TransformerConvention = Annotated[
    str,
    Quantity(
        "'exact' (stacks and output projection with bias; 'post' is an older spelling), 'tied' (as 'exact', no output "
        "bias), 'dashboard' (as 'exact', its feed-forward bias), 'weights' (no biases, no norms)",
        choices=("exact", "tied", "dashboard", "weights", "post"),
        default="exact",
    ),
]


@function(
    category="parameters",
    source=f"{VASWANI}, figure 1 and section 3.4; the sum as in the Transformers Dashboard post (2024)",
    formula="n_layers * (12 * d_model^2 + 4 * d_model * d_ff "
    '+ if(convention = "weights", 0, 2 * if(convention = "dashboard", d_model, d_ff) + 24 * d_model)) '
    '+ (vocab + n_positions) * d_model + if(convention = "weights", 0, if(convention = "tied", 0, vocab))',
)
def params_transformer(
    n_layers: NLayers,
    d_model: DModel,
    d_ff: DFf,
    vocab: Vocab,
    n_positions: NPositions = DEFAULT,
    convention: TransformerConvention = DEFAULT,
) -> Parameters:
    """Return the trainable parameters of an original encoder-decoder: both stacks and the vocabulary matrix once.

    Encoder + decoder + vocab x d_model (both embeddings and the output projection share it) + vocab output biases +
    n_positions x d_model. 'tied' leaves the output bias out, as the published models do; 'weights' leaves out every
    bias and norm (2 L d (2 d_attn + d_ff) for the encoder, 2 L d (4 d_attn + d_ff) for the decoder, Kaplan's way).
    """
    if convention == "weights":
        stacks = n_layers * (12 * d_model**2 + 4 * d_model * d_ff)
        return stacks + params_embedding(vocab, d_model, n_positions)
    ffn = "dashboard" if convention == "dashboard" else "exact"
    stacks = params_encoder(n_layers, d_model, d_ff, ffn) + params_decoder(n_layers, d_model, d_ff, ffn)
    return stacks + params_linear(d_model, vocab, bias=convention != "tied") + n_positions * d_model


@function(
    category="parameters",
    source=f"{KAPLAN}: n_vocab d_model + n_ctx d_model",
    formula="(n_entries + n_positions) * d_model",
)
def params_embedding(n_entries: NEntries, d_model: DModel, n_positions: NPositions = DEFAULT) -> Parameters:
    """Return the trainable parameters of the token table and, where positions are learned, the position table."""
    return (n_entries + n_positions) * d_model


@function(
    category="parameters",
    source=f"{KAPLAN}: N = 2 d_model n_layer (2 d_attn + d_ff)",
    formula="2 * n_layers * d_model * (2 * d_attn + d_ff)",
)
def params_non_embedding(n_layers: NLayers, d_model: DModel, d_attn: DAttn, d_ff: DFf) -> Parameters:
    """Return Kaplan's N: the weights of a decoder-only stack without embeddings, biases and norms.

    Attention 4 d_model d_attn and a plain feed-forward block 2 d_model d_ff a layer. With d_attn = d_model = d_ff / 4
    it is 12 n_layers d_model^2.
    """
    return 2 * n_layers * d_model * (2 * d_attn + d_ff)


@function(
    category="parameters",
    source="Brown et al. 2020 (arXiv:2005.14165), section 2.1 and table 2.1; derivation: Aizi 2023",
    formula="n_layers * d_model * (4 * n_heads * d_head + 8 * d_model) + (vocab + n_positions) * d_model",
)
def params_gpt(
    n_layers: NLayers, d_model: DModel, n_heads: NHeads, d_head: DHead, vocab: Vocab, n_positions: NPositions
) -> Parameters:
    """Return the weights of a GPT-3 model from the columns of its table: no biases, no norms, output projection tied.

    Attention 4 d_model n_heads d_head and a feed-forward block of d_ff = 4 d_model a layer, token and position tables.
    What is left out (biases and norms) is 0.01 % of GPT-3 175B.
    """
    d_attn = n_heads * d_head
    stack = params_non_embedding(n_layers, d_model, d_attn, 4 * d_model)
    return stack + params_embedding(vocab, d_model, n_positions)


@section
class Variant:
    """How a plain decoder-only model departs from the bare one."""

    projection_bias: bool = quantity(
        "whether the projections of attention and feed-forward carry a bias", default=False
    )
    tied: bool = quantity("whether the output projection shares the token embedding", default=True)
    final_norm: bool = quantity("whether a norm follows the last layer", default=False)


@function(
    category="parameters",
    source="GPT-2: Radford et al. 2019, section 2.3; the default counts as 'Calculating the Size of an LLM' does",
    formula="(vocab + n_positions) * d_model + n_layers * (4 * (d_model^2 + projection_bias * d_model) "
    "+ 2 * d_model * d_ff + projection_bias * (d_ff + d_model) + 4 * d_model) "
    "+ (1 - tied) * d_model * vocab + final_norm * 2 * d_model",
)
def params_decoder_only(
    n_layers: NLayers,
    d_model: DModel,
    d_ff: DFf,
    vocab: Vocab,
    n_positions: NPositions = DEFAULT,
    variant: Variant = DEFAULT,
) -> Parameters:
    """Return the trainable parameters of a plain decoder-only model: tables, attention, feed-forward, two norms.

    Heads are as wide as the model, norms carry gain and bias, the feed-forward block is plain. The defaults leave out
    projection biases, a separate output projection and the norm after the last layer; GPT-2 has projection_bias and
    final_norm.
    """
    bias, norm = variant.projection_bias, params_ln(d_model)
    layer = params_mha(d_model, bias) + params_ffn(d_model, d_ff, bias) + 2 * norm
    head = (1 - variant.tied) * params_linear(d_model, vocab, bias=False)
    return params_embedding(vocab, d_model, n_positions) + n_layers * layer + head + variant.final_norm * norm
