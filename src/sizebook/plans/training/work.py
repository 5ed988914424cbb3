"""The memory of each GPU and the time of a step in a layout; tokens and prices play no part here."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from sizebook.core.degrees import largest_divisor
from sizebook.core.errors import UnknownKeyError, require
from sizebook.core.hints import unknown_key
from sizebook.core.units import gibibytes
from sizebook.models.architecture import Architecture
from sizebook.models.counting import count
from sizebook.models.flops import (
    ADAPTER_CONVENTIONS,
    CONVENTIONS,
    adapter_hardware_flops_per_token,
    fine_tuning_flops_per_token,
    forward,
    train_flops_per_token,
)
from sizebook.plans.training.inputs import Setup
from sizebook.tables.hardware import Accelerator
from sizebook.tables.own_rates import basis_of
from sizebook.training.adapters import adapter_parameters, visited_parameters
from sizebook.training.applicability import (
    by_layers,
    check_recipe,
    policy_of,
    settings_without_effect,
    without_sequence_parallel,
)
from sizebook.training.bands import Band, band_of
from sizebook.training.layout import Layout, check, micro_batches, stage_layers
from sizebook.training.machine import check_power_limit, rates_of, setup_of
from sizebook.training.memory import Memory, memory, memory_by_stage
from sizebook.training.policy_effects import saved_share
from sizebook.training.profile import ModelProfile, model_profile
from sizebook.training.recipe import Recipe
from sizebook.training.recipe_choice import Settled, lightest_that_fits, recipe_text, with_cache_cut
from sizebook.training.time import StepTime, step_time

HARDWARE = "hardware"
Timing = tuple[float, tuple[float, float, float]]  # seconds of a step, and the factors of its band


@dataclass(frozen=True)
class Work:
    """A layout that can run the model: its memory, its step, its FLOPs. Each is worked out once, when it is asked.

    ``fullest`` is the rank of the pipeline stage that needs most memory; ``stated`` is the recipe before its blanks
    were settled; ``searched`` says that the search chose the layout.
    """

    setup: Setup
    layout: Layout
    fullest: Memory
    stated: Recipe = field(compare=False)
    searched: bool = field(default=False, compare=False)
    _counts: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    _timings: dict[str, Timing] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def profile(self) -> ModelProfile:
        """The model on sequences of the run's length."""
        return model_profile(self.setup.architecture, self.setup.batches.seq)

    @property
    def micro_batches(self) -> int:
        """Micro-batches that each pipeline runs in one step."""
        return micro_batches(self.layout, self.setup.batches.batch)

    @cached_property
    def stages(self) -> tuple[Memory, ...]:
        """The memory of one rank of every pipeline stage."""
        found = memory_by_stage(self.profile, self.layout, self.setup.method, n_micro=self.micro_batches)
        return tuple(with_cache_cut(each, self.setup.capacity_bytes) for each in found)

    @property
    def needed_bytes(self) -> float:
        """What the fullest rank needs in all."""
        return self.fullest.total

    @property
    def fits(self) -> bool:
        return self.needed_bytes <= self.setup.capacity_bytes

    @property
    def misfit(self) -> str:
        """By how much the fullest rank exceeds what a GPU has, in words; blank where it fits."""
        short = self.needed_bytes - self.setup.capacity_bytes
        return "" if self.fits else f"does not fit: {gibibytes(short)} too much a GPU"

    @cached_property
    def said(self) -> str:
        """What to know of the layout: that it was searched, and by how much it does not fit."""
        return "; ".join(
            filter(None, (f"layout chosen by search: {self.layout.name}" if self.searched else "", self.misfit))
        )

    @cached_property
    def step(self) -> StepTime:
        """The predicted seconds of one optimizer step by cause."""
        rates = rates_of(self.setup.gpu, self.setup.method)
        return step_time(self.profile, self.layout, self.setup.method, rates=rates, n_micro=self.micro_batches)

    @property
    def unread(self) -> tuple[str, ...]:
        """What was stated of the recipe that no plan reads."""
        return settings_without_effect(self.stated, self.layout, self.setup.architecture)

    @cached_property
    def recipe(self) -> str:
        """What is done to save memory, stated or settled, in words."""
        return recipe_text(self.layout, self.setup.method.recipe, self.setup.architecture, unread=self.unread)

    def rates_basis(self, utilization: float | None) -> str:
        """Return which rates the step is timed with, in words: shipped, a file of own ones, or none beside an MFU."""
        if utilization is not None:
            return "none: the step follows from the MFU given"
        return self._rates_basis

    @cached_property
    def _rates_basis(self) -> str:
        method = self.setup.method
        return basis_of(method.rates_file, setup_of(self.setup.gpu, method))

    @cached_property
    def band(self) -> Band:
        """How far measured steps of such runs lie from predicted ones."""
        return band_of(self.profile, self.setup.gpu, self.setup.method)

    @property
    def flops_per_token(self) -> dict[str, float]:
        """Training FLOPs of one token under every convention that knows the recipe."""
        return {name: self.counted(name) for name in self.meanings}

    def _count(self, convention: str, recompute: str = "none") -> float:
        """Count the FLOPs of one token; no convention counts magnitudes, which multiply element by element."""
        architecture, seq, recipe = self.setup.architecture, self.setup.batches.seq, self.setup.method.recipe
        if not recipe.lora_rank:
            return train_flops_per_token(architecture, seq, convention, recompute=recompute)
        adapters = visited_parameters(architecture, recipe.lora_rank, recipe.lora_on)
        if convention == HARDWARE:
            return adapter_hardware_flops_per_token(architecture, seq, adapters, recompute=recompute)
        return fine_tuning_flops_per_token(architecture, seq, 0.0, adapters=adapters)

    @property
    def _computed_flops(self) -> float:
        """FLOPs of one token that this layout computes, what it recomputes included."""
        return sum(share * self._count(HARDWARE, kind) for share, kind in self._recomputed) - self._spared_flops

    @property
    def _spared_flops(self) -> float:
        """FLOPs of one token that full recomputation does and a policy leaves out, as ``hardware`` counts them."""
        policy = policy_of(self.setup.method.recipe, self.layout)
        if policy is None:
            return 0.0
        architecture, layers = self.setup.architecture, self.profile.whole
        share = saved_share(layers, policy, architecture.d_model)
        scores = forward(architecture, self.setup.batches.seq, causal=False).scores
        products = share.matrices * layers.matrices + share.experts * layers.active_experts
        return 2 * products + share.scores * scores

    @property
    def meanings(self) -> dict[str, str]:
        """What each convention that knows the recipe counts."""
        return ADAPTER_CONVENTIONS if self.setup.method.recipe.lora_rank else CONVENTIONS

    @property
    def _recomputed(self) -> tuple[tuple[float, str], ...]:
        """What is recomputed of which shares of all layers; flash attention keeps no scores that could be recomputed
        alone."""
        recipe, n_layers = self.setup.method.recipe, self.profile.n_layers
        found: dict[str, float] = {}
        for held in stage_layers(n_layers, self.layout.pp):
            for share, layout in by_layers(held, self.layout, recipe):
                kind = "none" if layout.recompute == "selective" and recipe.flash_attention else layout.recompute
                found[kind] = found.get(kind, 0.0) + share * held / n_layers
        return tuple((share, kind) for kind, share in found.items())

    def counted(self, convention: str) -> float:
        """Return training FLOPs of one token under a convention, or refuse one that does not know adapters."""
        if convention not in self._counts:
            self._refuse_unknown(convention)
            found = self._computed_flops if convention == HARDWARE else self._count(convention)
            self._counts[convention] = found
        return self._counts[convention]

    def _refuse_unknown(self, convention: str) -> None:
        if convention not in CONVENTIONS:
            raise unknown_key("flops_convention", convention, CONVENTIONS)
        if convention not in self.meanings:
            raise UnknownKeyError(
                f"no such count of adapters: got flops_convention '{convention}' and lora_rank "
                f"{self.setup.method.recipe.lora_rank}, want {' or '.join(self.meanings)}, which leave out the "
                "gradients of frozen weights. Use matmul."
            )

    def timing(self, utilization: float | None, convention: str) -> Timing:
        """Return the seconds of a step, predicted or at a given utilisation, and the factors of its band; no end of it
        is faster than the peak."""
        if utilization is None:
            return self._predicted(convention)
        setup = self.setup
        n_flops = setup.batches.tokens * self.counted(convention)
        require(
            0 < utilization <= 1,
            f"rate above the peak: got achieved_tflops {utilization * setup.peak_flop_per_s / 1e12:g} and a peak of "
            f"{setup.peak_flop_per_s / 1e12:g} TFLOP/s ({setup.gpu.key}, {setup.method.compute_dtype}), want no more. "
            "Give the TFLOP/s of one GPU, without sparsity.",
        )
        return n_flops / (setup.gpus * setup.peak_flop_per_s * utilization), (1.0, 1.0, 1.0)

    def _predicted(self, convention: str) -> Timing:
        if convention not in self._timings:
            setup, seconds = self.setup, self.step.total
            n_flops = setup.batches.tokens * self.counted(convention)
            at_peak = n_flops / (setup.gpus * setup.peak_flop_per_s * seconds)
            self._timings[convention] = seconds, (max(self.band.low, min(1.0, at_peak)), 1.0, self.band.high)
        return self._timings[convention]


def trained_parameters(architecture: Architecture, recipe: Recipe) -> int:
    """Return the parameters that a recipe trains: those of the adapters, or all of the model's."""
    if not recipe.lora_rank:
        return count(architecture).total
    return adapter_parameters(architecture, recipe.lora_rank, recipe.lora_on, magnitudes=recipe.magnitudes)


def work_of(setup: Setup, layout: Layout) -> Work:
    """Return the work of a layout with what it leaves blank settled, or refuse one that cannot run the model."""
    found = settled_work(setup, layout)
    used = setup if found.method is setup.method else replace(setup, method=found.method)
    return Work(used, found.layout, found.fullest, stated=setup.method.recipe)


def settled_work(setup: Setup, layout: Layout) -> Settled:
    """Return the layout and the method that a work runs with, and its memory."""
    check(layout, setup.architecture, gpus=setup.gpus, batches=setup.batches)
    check_recipe(setup.method.recipe, setup.architecture)
    check_power_limit(setup.gpu, setup.method.power_limit_watts)
    profile = model_profile(setup.architecture, setup.batches.seq)
    n_micro = micro_batches(layout, setup.batches.batch)
    layout = layout_as_run(layout, setup.gpu, setup.method.recipe)
    return lightest_that_fits(
        layout, setup.method, setup.capacity_bytes, needed=lambda each, how: memory(profile, each, how, n_micro=n_micro)
    )


def layout_as_run(layout: Layout, gpu: Accelerator, recipe: Recipe) -> Layout:
    """Return the layout as accelerator and framework run it: hybrid shards as wide as a scale-up domain holds, unless
    it says how wide they are, and no sequence parallelism where the framework has none."""
    if layout.sequence_parallel and without_sequence_parallel(recipe, layout):
        layout = replace(layout, sequence_parallel=False)
    if not layout.hsdp or layout.fsdp is not None:
        return layout
    widest = max(1, min(layout.dp, gpu.scale_up_domain // (layout.tp * layout.cp)))
    return replace(layout, fsdp=largest_divisor(layout.dp, widest))
