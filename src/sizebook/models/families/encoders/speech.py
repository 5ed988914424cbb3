"""Encoders of sound alone: the convolutions over the wave, which lists of the file say, before a row's encoder."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.encoders.whole import ROWS
from sizebook.models.families.whole_rows import described
from sizebook.models.huggingface import model_type

# Seven convolutions that read 20 ms of sound at 16 kHz.
KERNELS = [10, 3, 3, 3, 3, 2, 2]


@model_type("wav2vec2", "hubert", "wavlm")
def speech(config: Config) -> Architecture:
    """wav2vec 2.0, HuBERT (arXiv:2106.07447) and WavLM."""
    heard, d_heard = _convolutions(config)
    whole = described(ROWS[f"_{config.text('model_type')}"], config, d_heard=d_heard)
    return replace(whole, inputs=(*heard, *whole.inputs))


def _convolutions(config: Config) -> tuple[list[Brick], int]:
    """Return the convolutions over the wave with their norms, and how wide the last is."""
    widths, kernels = config.integers("conv_dim", [512] * 7), config.integers("conv_kernel", KERNELS)
    if not widths or len(kernels) < len(widths) or not all((*widths, *kernels)):
        raise config.unknown("conv_kernel", kernels, f"{len(widths)} sizes, one for each of 'conv_dim'")
    bias, norms = config.flag("conv_bias", default=False), config.text("feat_extract_norm", default="group")
    config.only("feat_extract_norm", "group", "layer")
    bricks: list[Brick] = []
    for nth, (width, kernel) in enumerate(zip(widths, kernels, strict=False)):
        before = widths[nth - 1] if nth else 1
        bricks.append(linear(f"conv_layers.{nth}.conv", before * kernel, width, bias=bias))
        if norms == "layer" or not nth:
            bricks.append(Norm(f"conv_layers.{nth}.layer_norm", width, bias=True))
    return bricks, widths[-1]
