"""Images and videos in front of a decoder: the tokens that one becomes, and the seconds of the encoder that reads it.

Tokens follow from the rule of the model's processor (``data/image_rules.csv``), of a video for every few frames that it
joins. The encoder multiplies every patch with all of its weights, and each patch of an image, a tile or joined frames
attends to all others of it:

    FLOPs = 2 x weights x patches + 4 x width x layers x patches^2 / tiles

at the share of the peak that other matrix products reach. Nothing of it was measured.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.tables import Row, by_key
from sizebook.models import catalog
from sizebook.models.towers import Tower
from sizebook.serving.case import Case, Number

_ENOUGH = 0.5  # of the pixels of more tiles, from which an image takes them where their shape is as near


@dataclass(frozen=True)
class Read:
    """An image or video as a model reads it: tokens of the prompt, patches of the encoder, parts that see only
    themselves.
    """

    tokens: int
    patches: int
    tiles: int = 1


def image_read(model: str, width: int, height: int, *, frames: int = 1) -> Read:
    """Return an image of so many pixels as a model reads it, or a video of several frames.

    Errors: a model whose rule is not known.
    """
    config = catalog.config(model)
    row = by_key("image_rules", "model_type").get(str(config.get("model_type")))
    if row is None:
        raise InputError(
            f"unknown rule of images: got images for {model}, want a model type of data/image_rules.csv. Add their "
            "tokens to input_tokens."
        )
    vision = config.get("thinker_config", config).get("vision_config", {})
    if frames == 1:
        return _RULES[row["rule"]](row, vision, width, height)
    if not row["frames"]:
        raise InputError(
            f"unknown rule of videos: got image_frames {frames} for {model}, want 1. Set image_frames to 1 "
            "and images to videos x frames."
        )
    joined = math.ceil(frames / int(row["frames"]))
    most = float(row["most_video"]) / joined if row["most_video"] else row["most"]
    one = _RULES[row["rule"]]({**row, "most": str(most)}, vision, width, height)
    return Read(one.tokens * joined, one.patches * joined, one.tiles * joined)


def _number(row: Row, name: str, vision: dict[str, Any]) -> int:
    """Return a number of a rule: what stands there, or what the config says under that key."""
    return int(row[name] if row[name].isdigit() else vision[row[name]])


def _grid(row: Row, vision: dict[str, Any], width: int, height: int) -> Read:
    merge, most = _number(row, "merge", vision), float(row["most"])
    side = _number(row, "patch", vision) * merge
    across, down = (max(1, round(pixels / side)) for pixels in (width, height))
    if across * down > most:
        shrunk = math.sqrt(width * height / (most * side * side))
        across, down = (max(1, math.floor(pixels / shrunk / side)) for pixels in (width, height))
    return Read(across * down, across * down * merge**2)


def _rows(row: Row, vision: dict[str, Any], width: int, height: int) -> Read:
    merge, most = _number(row, "merge", vision), _number(row, "side", vision)
    side, shrunk = _number(row, "patch", vision) * merge, max(width / most, height / most, 1.0)
    across, down = (math.ceil(math.floor(pixels / shrunk) / side) for pixels in (width, height))
    return Read((across + 1) * down, across * down * merge**2)


def _fixed(row: Row, vision: dict[str, Any], _width: int, _height: int) -> Read:
    return Read(int(row["tokens"]), (_number(row, "side", vision) // _number(row, "patch", vision)) ** 2)


def _tiles(row: Row, vision: dict[str, Any], width: int, height: int) -> Read:
    side, most = _number(row, "side", vision), int(row["most"])
    grids = [(a, d) for a in range(1, most + 1) for d in range(1, most // a + 1)]
    across, down, nearest = 1, 1, math.inf
    for a, d in sorted(grids, key=lambda grid: grid[0] * grid[1]):
        off = abs(width / height - a / d)
        if off < nearest or (off == nearest and width * height > _ENOUGH * side**2 * a * d):
            across, down, nearest = a, d, off
    tiles = across * down + (across * down > 1)
    patches = tiles * (side // _number(row, "patch", vision)) ** 2
    return Read(patches // _number(row, "merge", vision) ** 2, patches, tiles)


_RULES = {"grid": _grid, "rows": _rows, "fixed": _fixed, "tiles": _tiles}


def image_seconds(model: str, case: Case, read: Read) -> Number:
    """Return the seconds that the encoder of a model takes for one image, split over tensor parallelism."""
    towers = [t for t in catalog.architecture(model).inputs if isinstance(t, Tower) and t.kind == "vision"]
    weights = sum(w.size * w.copies for tower in towers for w in tower.weights if w.use == "matmul")
    attended = sum(4 * tower.d_model * tower.n_layers for tower in towers) * read.patches**2 / read.tiles
    flops = 2 * weights * read.patches + attended
    return flops / (case.half_peak * case.rates["product_compute"] * case.tp)


def with_images(model: str, case: Case, image: tuple[Read, float] | None) -> Case:
    """Return a case whose requests have so many of an image, as it is where they have none."""
    if image is None:
        return case
    read, each = image
    return replace(case, encode_seconds=each * image_seconds(model, case, read))
