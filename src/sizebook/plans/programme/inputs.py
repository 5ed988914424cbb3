"""Inputs of a programme: its phases, each a training plan, and what they share: experiments, data, storage."""

from datetime import date
from typing import Annotated

from sizebook.core.quantities import Gpu, Model
from sizebook.core.sections import DEFAULT, TABLES, ReadSection, quantity, section
from sizebook.plans.training.inputs import TrainingInputs
from sizebook.serving.quantities import WEIGHT_DTYPES

MOST_PHASES = 12

_OWN = "assumption, to replace with your own"

# A phase --------------------------------------------------------------------------------------------------------------

TRAINING, PREFERENCE, REINFORCEMENT = "training", "preference", "reinforcement"
_METHODS = {
    TRAINING: ("pretraining", "pre-training", "annealing", "sft", "fine-tuning"),
    PREFERENCE: ("dpo", "ipo", "kto"),
    REINFORCEMENT: ("rl", "rlhf", "rlvr", "ppo", "grpo"),
}
# DPO runs the reference model over every token; policy gradients run it and the policy that generated.
FORWARD_PASSES = {TRAINING: 0.0, PREFERENCE: 1.0, REINFORCEMENT: 2.0}


@section
class Rollouts:
    """Answers that a reinforcement phase generates with the serving model, on the phase's kind of accelerator."""

    rollout_input_tokens: int = quantity(
        "mean tokens of a prompt",
        "tokens",
        minimum=1,
        default=1024,
        label="Tokens of a rollout's prompt",
        source="assumption: type your own lengths",
    )
    rollout_output_tokens: int = quantity(
        "mean tokens of a generated answer",
        "tokens",
        minimum=1,
        default=1024,
        label="Tokens of a rollout's answer",
        source="assumption: type your own lengths",
    )
    rollout_reuse: float = quantity(
        "times that each answer is trained on",
        above=0,
        maximum=1000,
        default=1,
        label="Training on each answer",
        source="neutral: each answer once",
    )
    rollout_gpus: int | None = quantity(
        "GPUs that generate beside training, blank to generate on the phase's GPUs before each step",
        "GPUs",
        minimum=1,
        maximum=1_000_000,
        default=None,
        label="GPUs that generate",
    )
    rollout_tp: int = quantity(
        "tensor-parallel degree of a replica that generates",
        minimum=1,
        maximum=1_000_000,
        default=1,
        label="Tensor parallel of a replica that generates",
        source="neutral: nothing is split",
    )
    rollout_concurrency: int | None = quantity(
        "answers in flight on a replica, blank for as many as its cache holds",
        "requests",
        minimum=1,
        maximum=1_000_000_000,
        default=None,
        label="Answers in flight on a replica",
    )
    rollout_weight_dtype: str | None = quantity(
        "format of the weights of a replica that generates, blank for the published one",
        choices=WEIGHT_DTYPES,
        default=None,
        label="Weights of a replica that generates",
        source="data/models.csv",
    )
    rollout_tail: float = quantity(
        "time until the last answer of a step over a steady load's",
        "ratio",
        minimum=1,
        maximum=100,
        default=1,
        label="Last answer over a steady load",
        source="neutral: no answer is waited for",
    )

    @property
    def tokens(self) -> int:
        """Tokens of one prompt with its answer."""
        return self.rollout_input_tokens + self.rollout_output_tokens


@section
class Phase(ReadSection):
    """One training run of a programme, and what it needs besides: reference models, generated answers, checkpoints."""

    name: str = quantity("name of the phase, for tables and charts", label="Name", source="a name: type your own")
    kind: str = quantity(
        "training (tokens of data), preference (DPO: pairs and a reference model) or reinforcement (answers are "
        "generated first)",
        choices=tuple(_METHODS),
        also=tuple((word, kind) for kind, words in _METHODS.items() for word in words),
        default=TRAINING,
        label="Kind of phase",
        source="assumption: a phase trains on tokens",
    )
    model: Model
    gpu: Gpu
    inputs: TrainingInputs
    forward_passes: float | None = quantity(
        "forward passes over each token besides training, blank for 0 in training, 1 in preference (reference "
        "model), 2 in reinforcement (reference and old policy)",
        minimum=0,
        maximum=100,
        default=None,
        label="Forward passes besides training",
    )
    rollouts: Rollouts = DEFAULT
    gap_days: float = quantity(
        "idle days before the phase",
        "days",
        minimum=0,
        maximum=3650,
        default=0,
        label="Days before it starts",
        source="neutral: none",
    )
    kept_checkpoints: float = quantity(
        "checkpoints of the phase that are kept",
        minimum=0,
        maximum=1e6,
        default=10,
        label="Checkpoints kept",
        source=_OWN,
    )

    @property
    def passes(self) -> float:
        """Forward passes over each token besides training."""
        return FORWARD_PASSES[self.kind] if self.forward_passes is None else self.forward_passes


# What phases share ----------------------------------------------------------------------------------------------------


@section
class Experiments:
    """What runs beside the phases and is thrown away or measures them, as shares of their GPU-hours."""

    ablation_share: float = quantity(
        "GPU-hours of ablations and failed runs over those of the phases: half in OLMo 2, 4.6 times in Olmo 3",
        "ratio",
        minimum=0,
        maximum=100,
        default=0.5,
        label="Ablations and failed runs",
        source="OLMo, arXiv:2503.05804: 459 MWh of development, 913 MWh of final training; read 2026-11-22",
    )
    evaluation_share: float = quantity(
        "GPU-hours of separate evaluation over those of the phases",
        "ratio",
        minimum=0,
        maximum=100,
        default=0,
        label="Evaluation",
        source="neutral: none",
    )

    @property
    def together(self) -> float:
        return self.ablation_share + self.evaluation_share


@section
class Data:
    """What preparing the data costs."""

    data_cpu_hours: float = quantity(
        "CPU-hours that prepare data",
        "CPU-hours",
        minimum=0,
        maximum=1e12,
        default=0,
        label="Data preparation",
        source="neutral: none",
    )
    usd_per_cpu_hour: float = quantity(
        "price of one virtual processor's hour",
        "USD/CPU-hour",
        minimum=0,
        maximum=1e4,
        default=0.05,
        label="Price of a CPU-hour",
        source=_OWN,
    )
    licences_usd: float = quantity(
        "licences, annotation, other data costs",
        "USD",
        minimum=0,
        maximum=1e12,
        default=0,
        label="Licences and annotation",
        source="neutral: none",
    )

    @property
    def usd(self) -> float:
        return self.data_cpu_hours * self.usd_per_cpu_hour + self.licences_usd


@section
class Storage:
    """What is kept of the phases, for how long, and what leaves the provider."""

    checkpoint_bytes_per_parameter: float = quantity(
        "bytes of a checkpoint per trained parameter: weights, master weights and two moments",
        "bytes",
        above=0,
        maximum=64,
        default=14,
        label="Checkpoint of a trained parameter",
        source="arithmetic: 2 (bf16) + 4 (fp32 master) + 8 (two moments in fp32)",
    )
    retention_months: float = quantity(
        "months that a kept checkpoint is stored",
        "months",
        minimum=0,
        maximum=1200,
        default=12,
        label="Checkpoints are stored for",
        source="assumption: a year",
    )
    usd_per_tb_month: float = quantity(
        "price of storing a terabyte (10^12 bytes) for a month",
        "USD/TB-month",
        minimum=0,
        maximum=1e6,
        default=23,
        label="Storage of a terabyte",
        source="Amazon S3 Standard, price list of 2022-07-07 (docs/programmes.md)",
    )
    egress_tb: float = quantity(
        "terabytes (10^12 bytes) that leave the provider",
        "TB",
        minimum=0,
        maximum=1e9,
        default=0,
        label="Egress",
        source="neutral: none",
    )
    usd_per_egress_tb: float = quantity(
        "price of a terabyte that leaves",
        "USD/TB",
        minimum=0,
        maximum=1e6,
        default=90,
        label="Egress of a terabyte",
        source="Amazon, first 10 TB of a month, bill of June 2026, read 2026-11-22 (docs/programmes.md)",
    )

    @property
    def egress_usd(self) -> float:
        return self.egress_tb * self.usd_per_egress_tb


@section
class ProgrammeTerms:
    """What all phases share: the first day, experiments, data, storage."""

    start: date | None = quantity(
        "day on which the first run starts, in the first month; blank to number the months",
        default=None,
        label="First day",
    )
    experiments: Experiments = DEFAULT
    data: Data = DEFAULT
    storage: Storage = DEFAULT


@section
class ProgrammeInputs:
    """Everything that a programme depends on."""

    phases: Annotated[tuple[Phase, ...], TABLES]
    terms: ProgrammeTerms = DEFAULT
