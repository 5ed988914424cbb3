"""Fine-tuning: adapters counted tensor by tensor, memory beside measured peaks, padding, and what is refused."""

import pytest

from sizebook.core.errors import InputError
from sizebook.models import catalog
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.plan import unchecked_plan
from sizebook.plans.training.work import work_of
from sizebook.tables.hardware import accelerator
from sizebook.training.adapters import adapter_parameters, targets, visited_parameters
from sizebook.training.layout import Layout
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Method, Recipe
from tests.plans.training.training_runs import run_of
from tests.row_lists import listed

GIB = 2**30


@pytest.mark.parametrize(*listed("plans/training", "test_memory_of_torchtune_is_what_was_measured"))
def test_memory_of_torchtune_is_what_was_measured(
    model: str, gpus: int, recipe: dict[str, object], seq: int, measured: float, within: float
) -> None:
    """With chunks of the loss and everything in bf16; an eager loss alone was 12 GiB for the 3B."""
    setup = Setup(
        architecture=catalog.architecture(model), gpu=accelerator("a100-sxm-80gb"), gpus=gpus,
        batches=Batches(batch=2 * gpus, seq=seq),
        method=Method(recipe=Recipe(stack="torchtune", **recipe)),  # type: ignore[arg-type]
    )  # fmt: skip
    layout = Layout(dp=gpus, micro_batch=2, zero_stage=3 if gpus > 1 else 0, recompute="full")
    assert work_of(setup, layout).fullest.allocated / GIB == pytest.approx(measured, rel=within)


def test_a_word_fills_rank_and_bits_and_keeps_what_is_given() -> None:
    assert (Recipe(tuning="qlora").lora_rank, Recipe(tuning="qlora").frozen_bytes) == (16, 0.516)
    assert (Recipe(tuning="qdora", lora_rank=64, frozen_bits=8).lora_rank, Recipe(tuning="dora").frozen_bytes) == (
        64,
        2,
    )
    assert Recipe(tuning="qdora", frozen_bits=8).frozen_bytes == 1
    assert [Recipe(tuning=word).trained for word in ("full", "lora", "qlora", "dora", "qdora")] == [
        "full", "lora", "qlora", "dora", "qdora",
    ]  # fmt: skip
    assert (Recipe().trained, Recipe(lora_rank=8).trained) == ("full", "lora")
    assert Recipe(lora_rank=8, frozen_weight_bytes=0.516).trained == "qlora"


@pytest.mark.parametrize(*listed("plans/training", "test_words_that_contradict_are_refused"))
def test_words_that_contradict_are_refused(recipe: dict[str, object], given: str) -> None:
    with pytest.raises(InputError) as refused:
        Recipe(**recipe)  # type: ignore[arg-type]
    assert str(refused.value) == f"two ways of tuning: got {given}, want one. Remove one of the two."


def test_a_token_passes_the_adapters_of_the_experts_that_it_visits() -> None:
    """Mixtral: 2 of 8 experts; the adapters of attention are whole."""
    mixtral = catalog.architecture("mixtral-8x7b")
    attention = 32 * 16 * (2 * (4096 + 4096) + 2 * (4096 + 1024))
    expert = 32 * 16 * 3 * (4096 + 14_336)
    assert adapter_parameters(mixtral, 16, "all", magnitudes=False) == attention + 8 * expert
    assert visited_parameters(mixtral, 16, "all") == attention + 2 * expert
    assert {each.name.split(".")[-1] for each in targets(mixtral, "query-value")} == {"q_proj", "v_proj"}


def test_padding_stretches_the_run_and_packing_avoids_it() -> None:
    """Examples of 512 tokens in sequences of 2048: three quarters of a step are padding, so it takes four times."""
    given = {"gpus": 8, "tokens": 1e8, "batch": 64, "seq": 2048, "price_usd_per_gpu_hour": 2.0, "lora_rank": 16}
    packed = unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **given, example_tokens=512))
    padded = unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **given, example_tokens=512, packed=False))
    long = unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **given, example_tokens=4096, packed=False))
    assert padded.middle.productive_seconds == pytest.approx(4 * packed.middle.productive_seconds, rel=1e-12)
    assert (packed.inputs.padding_share, packed.inputs.padding_avoided) == (0, 0.75)
    assert (padded.inputs.padding_share, padded.inputs.padding_avoided) == (0.75, 0)
    assert long.middle == packed.middle


def test_dora_trains_magnitudes_and_takes_longer() -> None:
    given = {"gpus": 8, "tokens": 1e8, "batch": 64, "seq": 2048, "price_usd_per_gpu_hour": 2.0}
    lora, dora = (unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **given, tuning=word)) for word in ("lora", "dora"))
    assert dora.trained_parameters - lora.trained_parameters == 32 * (4096 + 1024 + 1024 + 4096)
    assert lora.work.step.dequantize == 0 < dora.work.step.dequantize
    assert dora.fullest.total > lora.fullest.total


def test_frozen_weights_of_four_bits_are_expanded_before_each_product() -> None:
    """Three products with full recomputation, two without: expanding takes half as long again."""
    given = {"gpus": 1, "tokens": 1e8, "batch": 1, "seq": 2048, "price_usd_per_gpu_hour": 2.0, "tuning": "qlora"}
    two, three = (
        unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **given, recompute=kind)).work.step.dequantize
        for kind in ("none", "full")
    )
    assert three == pytest.approx(1.5 * two, rel=0.05)
