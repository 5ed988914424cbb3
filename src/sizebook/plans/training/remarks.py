"""Warnings that every surface shows beside the figures of a training plan."""

import math
from collections.abc import Iterator

from sizebook.core.texts import text
from sizebook.core.units import gibibytes, grouped, percent, significant
from sizebook.plans.training.plan import TrainingPlan
from sizebook.tables.hardware import dear_prices, own_row
from sizebook.tables.price_rows import no_power, price_sentences
from sizebook.training.bands import highest_mfu
from sizebook.training.whole_run import default, fewest_gpus

_LARGEST_STEP = 2e8  # tokens; several times the largest step of published runs: tokens were typed for sequences
LITTLE_ROOM = 0.05  # of a GPU's memory, below which a reader is told


def warnings(plan: TrainingPlan) -> tuple[str, ...]:
    """Return what to check of the run, and what its price is."""
    return (*of_the_run(plan), *price_sentences([("", plan.inputs.costs.basis)], plan.paid_range.price_share))


def of_the_run(plan: TrainingPlan) -> tuple[str, ...]:
    """Return what to check: memory that is nearly full, padding, sequences, a factor of other runs, the count, and what
    of the recipe no plan reads."""
    found = (_of_memory, _of_rate, _of_sequences, _of_whole_run, _of_accelerator, _of_count, _of_recipe)
    return tuple(said for each in found for said in each(plan))


def _of_memory(plan: TrainingPlan) -> Iterator[str]:
    room = plan.room_bytes
    if room == 0:
        yield text(
            "The fullest GPU has no memory left: {memory} of it is cache, less than the allocator usually keeps. "
            "A longer sequence may not fit.",
            memory=gibibytes(plan.fullest.fragmentation),
        )
    elif room < 0:
        yield text("The run does not fit: the fullest GPU lacks {memory}.", memory=gibibytes(-room))
    elif room < LITTLE_ROOM * plan.capacity_bytes:
        yield text("The fullest GPU has {memory} left: a longer sequence may not fit.", memory=gibibytes(room))


def _of_rate(plan: TrainingPlan) -> Iterator[str]:
    """Say where the predicted rate is above all that was published of such runs."""
    inputs = plan.inputs
    reached = highest_mfu(plan.work.profile, inputs.gpu, inputs.method) if plan.step else None
    share = plan.middle.tokens_per_s_per_gpu * plan.work.counted("matmul") / inputs.peak_flop_per_s
    if reached and share > reached[1]:
        yield text(
            "{share} of the peak is more than any published run of its class reached ({name}: {highest}). Take the "
            "high case.",
            share=percent(share),
            name=reached[0],
            highest=percent(reached[1]),
        )


def _of_sequences(plan: TrainingPlan) -> Iterator[str]:
    inputs, seq = plan.inputs, plan.inputs.batches.seq
    step = inputs.batches.batch * seq
    if step > _LARGEST_STEP or step > inputs.tokens:
        yield text(
            "A step of {step} tokens ({batch} sequences of {seq}) is unusually large for a run of {tokens}: batch "
            "counts sequences, tokens the whole run.",
            step=grouped(step),
            batch=grouped(inputs.batches.batch),
            seq=grouped(seq),
            tokens=grouped(inputs.tokens),
        )
    if inputs.padding_share:
        yield text("{share} of every step is padding: examples are not packed.", share=percent(inputs.padding_share))
    if not inputs.examples.packed and (inputs.examples.example_tokens or 0) > seq:
        yield text("Examples are longer than a sequence of {seq} tokens: the rest is cut off.", seq=grouped(seq))
    stated = inputs.context_tokens
    if stated is not None and seq > stated:
        yield text(
            "{seq} tokens a sequence are more than the {stated} that the model states.",
            seq=grouped(seq),
            stated=grouped(stated),
        )


def _of_whole_run(plan: TrainingPlan) -> Iterator[str]:
    """Say where the default factor of whole runs was measured on other runs: pre-training on many GPUs."""
    if plan.inputs.programme.programme_factor is not None:
        return
    factor, fewest = significant(default()), fewest_gpus()
    if plan.inputs.method.recipe.lora_rank:
        yield text(
            "No whole run that trains adapters is published: the factor of {factor} comes from pre-training. Give "
            "programme_factor.",
            factor=factor,
        )
    elif plan.inputs.gpus < fewest:
        yield text(
            "No whole run on fewer than {n} GPUs is published: the factor of {factor} comes from larger runs. Give "
            "programme_factor.",
            n=grouped(fewest),
            factor=factor,
        )


def _of_accelerator(plan: TrainingPlan) -> Iterator[str]:
    yield from own_row(plan.inputs.gpu.key)
    yield from dear_prices(plan.inputs.gpu.key, plan.inputs.costs.price_usd_per_gpu_hour)
    if math.isnan(plan.inputs.power.watts):
        yield no_power(plan.inputs.gpu.key)


def _of_count(plan: TrainingPlan) -> Iterator[str]:
    yield from (text("Count of the model: {note}.", note=note) for note in plan.notes)


def _of_recipe(plan: TrainingPlan) -> Iterator[str]:
    if plan.inputs.gpu.maker == "Google":
        yield text("On TPUs every framework is planned as XLA compiles it (stack xla), as MaxText runs.")
    yield from (text("Without effect in the recipe: {words}.", words=words) for words in plan.work.unread)
