"""Gemma 3n's audio encoder, whose first convolutions a file describes by lists."""

from dataclasses import replace

from sizebook.models.architecture import Brick, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.towers.rows import tower
from sizebook.models.towers import Tower


def gemma3n_audio(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """Gemma 3n's audio encoder: two convolutions over time and frequency, then the conformer of Gemma 4."""
    d_model, channels = config.integer("hidden_size"), config.integers("sscp_conv_channel_size")
    kernels, strides = (_pairs(config, f"sscp_conv_{key}_size", usual) for key, usual in (("kernel", 3), ("stride", 2)))
    if len(channels) != 2:
        raise config.unknown("sscp_conv_channel_size", channels, "two numbers: the tower has two such convolutions")
    stem: list[Brick] = []
    d_in, bins = 1, config.integer("input_feat_size")
    for i, d_out in enumerate(channels):
        stem += [linear(f"conv_{i}", d_in * kernels[i][0] * kernels[i][1], d_out, bias=False), Norm(f"norm_{i}", d_out)]
        d_in, bins = d_out, (bins + 2 - kernels[i][1]) // strides[i][1] + 1
    stem.append(linear("input_proj_linear", d_in * bins, d_model, bias=False))
    return replace(tower("gemma3n_audio", config, *projector), stem=tuple(stem))


def _pairs(config: Config, key: str, usual: int) -> list[list[int]]:
    """Return height and width of both convolutions' kernels or strides."""
    pairs = config.entries(key, list, "pairs") or [[usual, usual]] * 2
    whole = [n for pair in pairs if isinstance(pair, list) for n in pair if isinstance(n, int) and n > 0]
    if len(pairs) != 2 or len(whole) != 4 or any(len(pair) != 2 for pair in pairs):
        raise config.unknown(key, pairs, "two pairs of whole numbers of 1 or more")
    return pairs
