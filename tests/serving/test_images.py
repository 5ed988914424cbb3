"""Images in front of a decoder: their tokens by the rule of each processor, and the work of the encoder."""

from dataclasses import replace

import pytest

from sizebook.core.errors import InputError
from sizebook.models import catalog
from sizebook.models.towers import Tower
from sizebook.serving.case import case_of
from sizebook.serving.costs import costs_of
from sizebook.serving.images import Read, image_read, image_seconds
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import latency, load_of, prompts_of_others
from tests.refused import message_of


@pytest.mark.parametrize(
    ("model", "size", "read"),
    [
        ("qwen2.5-vl-7b", (1024, 1024), Read(37 * 37, 4 * 37 * 37)),  # 1024 / 28 = 36.6
        ("qwen3-vl-8b", (1024, 512), Read(32 * 16, 4 * 32 * 16)),  # sides of 32 pixels
        ("qwen2.5-vl-7b", (8000, 6000), Read(147 * 110, 4 * 147 * 110)),  # shrunk by 1.933 to 16,384 tokens at most
        ("gemma-3-4b", (3000, 200), Read(256, 64 * 64)),
        ("llava-1.5-7b", (3000, 200), Read(576, 576)),
        ("internvl2.5-8b", (1024, 1024), Read(10 * 256, 10 * 1024, tiles=10)),  # three by three, and a copy
        ("internvl2.5-8b", (400, 400), Read(256, 1024, tiles=1)),
        ("internvl2.5-8b", (1920, 1080), Read(9 * 256, 9 * 1024, tiles=9)),  # four by two, nearest to 16 by 9
        ("devstral-small-2-24b", (1024, 1024), Read(37 * 38, 4 * 37 * 37)),  # a break after each of 37 rows
        ("devstral-small-2-24b", (3080, 1540), Read(28 * 56, 4 * 55 * 28)),  # shrunk to 1,540 x 770
    ],
)
def test_the_processor_says_how_many_tokens_an_image_is(model: str, size: tuple[int, int], read: Read) -> None:
    assert image_read(model, *size) == read


@pytest.mark.parametrize(
    ("model", "size", "frames", "read"),
    [
        ("qwen2.5-vl-7b", (448, 448), 9, Read(5 * 256, 5 * 1024, tiles=5)),  # sides of 28: 16 x 16, five pairs
        ("qwen3-vl-8b", (640, 480), 60, Read(30 * 300, 30 * 1200, tiles=30)),  # sides of 32: 20 x 15, below 12,288
        # 64 pairs of 1,280 x 720 would be 64 x 40 x 22 = 56,320: shrunk by sqrt(921,600 / (192 x 1,024)) = 2.165 to
        # 591 x 332 pixels, 18 x 10.
        ("qwen3-vl-8b", (1280, 720), 128, Read(64 * 180, 64 * 720, tiles=64)),
    ],
)
def test_a_video_is_read_two_frames_at_a_time(model: str, size: tuple[int, int], frames: int, read: Read) -> None:
    assert image_read(model, *size, frames=frames) == read


def test_a_video_without_a_known_rule_is_refused() -> None:
    assert message_of(InputError, image_read, "gemma-3-4b", 896, 896, frames=60) == (
        "unknown rule of videos: got image_frames 60 for gemma-3-4b, want 1. Set image_frames to 1 and "
        "images to videos x frames."
    )


def test_a_model_without_a_known_rule_is_refused() -> None:
    assert message_of(InputError, image_read, "llama-3.1-8b", 1024, 1024) == (
        "unknown rule of images: got images for llama-3.1-8b, want a model type of data/image_rules.csv. Add their "
        "tokens to input_tokens."
    )


def test_the_encoder_multiplies_each_patch_and_attends_within_a_tile() -> None:
    """Ten tiles of 1,024 patches: 2 x weights x 10,240, and 4 x 1,024 wide x 24 layers x 10 x 1,024^2."""
    (tower,) = (t for t in catalog.architecture("internvl2.5-8b").inputs if isinstance(t, Tower))
    weights = sum(w.size * w.copies for w in tower.weights if w.use == "matmul")
    case = case_of("internvl2.5-8b", "h100-sxm", Replica(tp=2))
    flops = 2 * weights * 10_240 + 4 * 1024 * 24 * 10 * 1024**2
    rate = case.half_peak * case.rates["product_compute"] * 2
    assert image_seconds("internvl2.5-8b", case, Read(2560, 10_240, tiles=10)) == pytest.approx(flops / rate)
    assert weights == pytest.approx(0.33e9, rel=0.05)


def test_images_are_work_of_each_prompt() -> None:
    """Ten milliseconds more each: for one alone in its first token, for 32 in what others are waited for."""
    case = case_of("qwen2.5-vl-7b", "h100-sxm", Replica())
    more = replace(case, encode_seconds=0.01)
    alone, many = Demand(concurrency=1), Demand()
    assert latency(more, alone).ttft_seconds - latency(case, alone).ttft_seconds == pytest.approx(0.01)
    assert latency(more, alone).tpot_seconds == pytest.approx(latency(case, alone).tpot_seconds)
    work = {each: prompts_of_others(costs_of(each), load_of(each, many, 32)).work for each in (case, more)}
    assert work[more] - work[case] == pytest.approx(0.31)
