"""Images and videos of a plan's requests: tokens on top of the prompt, work of the encoder, what knows no images."""

from typing import Any

import pytest

import sizebook
from sizebook.core.errors import InputError
from sizebook.core.sections import put_together
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.inputs import ServingInputs, Traffic
from sizebook.plans.serving.pictures import Pictures
from sizebook.plans.serving.plan import plan_serving
from sizebook.plans.serving.remarks import warnings
from sizebook.plans.serving.sensitivity import sensitivities
from sizebook.serving.case import case_of
from sizebook.serving.images import Read, image_seconds
from sizebook.serving.quantities import Demand, Replica
from tests.refused import message_of

ASKED: dict[str, Any] = {
    "model": "qwen2.5-vl-7b", "gpu": "h100-sxm", "requests_per_day": 500_000, "months": 1, "input_tokens": 200,
    "output_tokens": 300, "concurrency": 32,
}  # fmt: skip


def figures(**given: Any) -> dict[str, Any]:
    return dict(sizebook.serving_figures(**{**ASKED, **given}))


def test_tokens_of_images_come_on_top_of_the_prompt() -> None:
    """Two of 37 x 37 tokens: 200 + 2,738. The encoder's seconds are those of two images."""
    found, text = figures(images=2), figures(input_tokens=2938)
    assert found["input_tokens"] == 2938
    case = case_of("qwen2.5-vl-7b", "h100-sxm", Replica())
    assert found["encode_seconds"] == pytest.approx(2 * image_seconds("qwen2.5-vl-7b", case, Read(1369, 5476)))
    assert found["held_tokens"] == text["held_tokens"]
    assert found["requests_per_second"] < text["requests_per_second"]


def test_a_video_is_read_frame_by_frame() -> None:
    """A minute at two frames a second, 640 x 480: 60 pairs of 23 x 17 tokens, 23,460 on top of 200."""
    found = figures(images=1, image_width=640, image_height=480, image_frames=120, concurrency=4)
    assert found["input_tokens"] == 23_660
    case = case_of("qwen2.5-vl-7b", "h100-sxm", Replica())
    read = Read(60 * 391, 60 * 1564, tiles=60)
    assert found["encode_seconds"] == pytest.approx(image_seconds("qwen2.5-vl-7b", case, read))


def test_images_are_read_once() -> None:
    """Plans read their inputs again where they are asked for again."""
    inputs = ServingInputs(
        traffic=Traffic(requests_per_day=1.0, demand=Demand(input_tokens=200)), pictures=Pictures(images=1)
    )
    once = inputs.read("qwen2.5-vl-7b")
    assert once.traffic.mean_demand.input_tokens == 1569
    assert once.read("qwen2.5-vl-7b") == once


def test_a_conversation_has_its_images_in_the_first_prompt() -> None:
    """1,569 tokens, then 400 more; half of the prompts have the image."""
    found = figures(images=1, turns=2, turn_tokens=100, concurrency=8)
    assert found["input_tokens"] == 1769
    assert found["encode_seconds"] == pytest.approx(figures(images=1)["encode_seconds"] / 2)


def test_requests_one_by_one_know_no_images() -> None:
    assert message_of(
        InputError, figures, images=1, concurrency=None, request_percentile="p90", ttft_target_seconds=2.0
    ) == (
        "images not supported here: got 1 images with a percentile of requests, two pools or an encoder, want one pool "
        "of a decoder and the mean of a steady load. Add their tokens to input_tokens."
    )


def test_sensitivities_add_the_tokens_of_images_once() -> None:
    """A fifth less traffic costs what a plan of a fifth less traffic costs."""
    prices = {"on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0}
    asked = {"months": 1, "input_tokens": 500, "output_tokens": 200, "concurrency": 16, "images": 4, **prices}
    plan, less = (
        plan_serving("qwen2.5-vl-7b", "h100-sxm", put_together(ServingInputs, {**asked, "requests_per_day": requests}))
        for requests in (1_000_000.0, 800_000.0)
    )
    found = {each.label: each for each in sensitivities(plan)}
    assert found["Requests a day, \u221220% to +20%"].low_usd == total_usd(less.months)


def test_a_plan_with_images_says_that_nothing_of_them_was_measured() -> None:
    said = "No server with images was measured: their tokens and the encoder's time are derived."
    plans = [
        plan_serving(
            "qwen2.5-vl-7b", "h100-sxm",
            ServingInputs(traffic=Traffic(requests_per_day=5e5, demand=Demand(input_tokens=200)), pictures=pictures),
        )
        for pictures in (Pictures(images=2), Pictures())
    ]  # fmt: skip
    assert [said in warnings(plan) for plan in plans] == [True, False]
    assert [plan.replica.bands["ttft"].basis for plan in plans] == ["nothing measured", "load beyond the fit"]
