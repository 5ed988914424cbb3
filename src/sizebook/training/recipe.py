"""What a training run does apart from its layout: the recipe, the format it multiplies in, its network.

A field added to a section is from then on an argument of functions, a key of scenario files, a column of sweeps and an
input of the workbook.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated

from sizebook.core.errors import InputError
from sizebook.core.sections import DEFAULT, Quantity, section
from sizebook.core.tables import by_key
from sizebook.tables.own_rates import RatesFile
from sizebook.training.kind_words import stated_kind
from sizebook.training.layers_again import LayersAgain, stated_layers
from sizebook.training.policies import Policy, stated_policy
from sizebook.training.tuning import (
    USUAL_RANK,
    WEIGHT_BYTES,
    FrozenBits,
    FrozenWeightBytes,
    LoraOn,
    LoraRank,
    Tuning,
    contradiction,
)

RECOMPUTE = ("lightest", "none", "selective", "every-other-matmul", "full")
MODULES = ("layernorm", "moe_act", "mla_up_proj", "mlp", "moe", "core_attn")
FORMATS = ("bf16", "fp16", "fp8", "mxfp8", "nvfp4", "mxfp4")
WIDE_FORMATS = FORMATS[:2]  # as activations are kept in: nothing is cast
BLOCK_FORMATS = FORMATS[3:]  # one scale for 16 or 32 neighbours


def optimizer_keys() -> tuple[str, ...]:
    """Return the optimizers of ``data/optimizers.csv``."""
    return tuple(by_key("optimizers", "optimizer"))


def stack_keys() -> tuple[str, ...]:
    """Return the frameworks of ``data/training_stacks.csv``."""
    return tuple(by_key("training_stacks", "stack"))


def _stacks_of_software() -> tuple[tuple[str, str], ...]:
    """Return other software with the framework that works as it does."""
    rows = by_key("training_stacks", "stack")
    return tuple((word, key) for key, row in rows.items() for word in row["also"].split(";"))


Recompute = Annotated[
    str,
    Quantity(
        "what the backward pass recomputes: lightest (what fits, none where no GPU is known), none, selective "
        "(attention scores), every-other-matmul, full (every layer)",
        kind="choice", choices=RECOMPUTE, default="lightest", label="Recomputation",
        source="rule: the lightest that fits",
    ),
]  # fmt: skip
RecomputeModules = Annotated[
    str,
    Quantity(
        f"modules that are recomputed, of {', '.join(MODULES)}, layers (block 2 layers, every 2nd layer), or a policy "
        "of JAX such as remat_policy=save_qkv_proj; other words are named as not read", kind="text",
        default="", label="Modules recomputed",
    ),
]  # fmt: skip
Offload = Annotated[
    str,
    Quantity(
        "what moves to the host: optimizer, activations, activations of N layers; other words are named as not read",
        kind="text", default="", label="Moved to the host",
    ),
]  # fmt: skip
STATE_FORMATS = ("fp32", "bf16", "fp8")
GradientDtype = Annotated[
    str | None,
    Quantity(
        "format in which gradients accumulate, blank for the framework's or bf16 where only that fits", kind="choice",
        choices=STATE_FORMATS[:2], default=None, label="Format of gradients",
        source="data/training_stacks.csv",
    ),
]  # fmt: skip
OptimizerDtype = Annotated[
    str | None,
    Quantity(
        "format of an optimizer's states, blank for the optimizer's own or bf16 where only that fits", kind="choice",
        choices=STATE_FORMATS, default=None, label="Format of optimizer states",
        source="data/optimizers.csv",
    ),
]  # fmt: skip
NicGbit = Annotated[
    float | None,
    Quantity(
        "network of one GPU, oversubscription taken off, blank for the reference system's", unit="Gbit/s", above=0,
        maximum=1e6, default=None, label="Network of a GPU",
        source="data/hardware.csv",
    ),
]  # fmt: skip
ComputeDtype = Annotated[
    str,
    Quantity(
        "format that matrices multiply in", kind="choice", choices=FORMATS, default="bf16",
        label="Format that matrices multiply in",
        source="assumption: mixed precision, as most published runs",
    ),
]  # fmt: skip
PowerLimitWatts = Annotated[
    float | None,
    Quantity(
        "power that a GPU is capped at, blank for its TDP", unit="watts", above=0, maximum=1e5, default=None,
        label="Power limit of a GPU",
        source="data/hardware.csv",
    ),
]  # fmt: skip
OptimizerName = Annotated[
    str,
    Quantity(
        "optimizer, a key of data/optimizers.csv", kind="choice", choices=optimizer_keys, default="adamw",
        label="Optimizer",
        source="data/optimizers.csv",
    ),
]  # fmt: skip
StackName = Annotated[
    str,
    Quantity(
        "training framework, a key of data/training_stacks.csv", kind="choice", choices=stack_keys,
        also=_stacks_of_software, default="megatron",
        label="Training framework",
        source="data/training_stacks.csv",
    ),
]  # fmt: skip
FlashAttention = Annotated[
    bool,
    Quantity(
        "whether attention keeps no scores (flash attention)",
        kind="flag",
        default=True,
        label="Flash attention",
        source="assumption: on, as current frameworks run",
    ),
]
FusedLoss = Annotated[
    bool | None,
    Quantity(
        "whether the loss is one kernel that keeps no logits in fp32, blank for where only that fits", kind="flag",
        default=None, label="Fused loss",
    ),
]  # fmt: skip
Fp8ActivationInputs = Annotated[
    bool | None,
    Quantity(
        "whether gated activation functions keep their inputs in 8 bits (activation_func_fp8_input_store of Megatron), "
        "blank for where Megatron multiplies in few bits and only that fits", kind="flag", default=None,
        label="Activation inputs in FP8",
    ),
]  # fmt: skip
Dropout = Annotated[bool, Quantity("whether dropout masks are kept", kind="flag", default=False, label="Dropout")]
ExpertImbalance = Annotated[
    float,
    Quantity(
        "tokens of the fullest expert over the mean", unit="ratio", minimum=1, maximum=1000, default=1,
        label="Fullest expert over the mean",
        source="neutral: experts are loaded alike",
    ),
]  # fmt: skip


# Words of what moves to the host: what it is, of which part, and where to.
_MOVED = re.compile(r"optimizer|states?|activations?|of|and|all|the|layers?|\w*mlp\w*|to|on|in|cpu|hosts?|memory|ram")
# Which activations move: all of them, or those of N layers.
_ACTIVATIONS = re.compile(r"activations?(?: of ([\d.]+) layers?)?")


@section
class Recipe:
    """What is trained and how, apart from the layout. ``lora_rank`` above 0 freezes the model and trains adapters.

    ``tuning`` says it in one word and fills what is left blank: rank 16, and 4 bits of a frozen weight in ``q...``.
    ``frozen_weight_bytes`` is what a frozen weight takes: 2 in bf16, 0.5 and scales for a 4-bit base (QLoRA, 4.127 bits
    with double quantisation: Dettmers et al. 2023, arXiv:2305.14314).
    """

    optimizer: OptimizerName = DEFAULT
    stack: StackName = DEFAULT
    flash_attention: FlashAttention = DEFAULT
    fused_loss: FusedLoss = DEFAULT
    dropout: Dropout = DEFAULT
    expert_imbalance: ExpertImbalance = DEFAULT
    tuning: Tuning = DEFAULT
    lora_rank: LoraRank = DEFAULT
    lora_on: LoraOn = DEFAULT
    frozen_weight_bytes: FrozenWeightBytes = DEFAULT
    frozen_bits: FrozenBits = DEFAULT
    optimizer_dtype: OptimizerDtype = DEFAULT
    gradient_dtype: GradientDtype = DEFAULT
    recompute_modules: RecomputeModules = DEFAULT
    offload: Offload = DEFAULT
    fp8_activation_inputs: Fp8ActivationInputs = DEFAULT

    def __post_init__(self) -> None:
        if self.offload and self.offloaded_layers is not None and self.offloaded_layers < 1:
            raise InputError(
                f"no such number of layers: got offload '{self.offload}', want at least 1 layer. Correct the number."
            )
        if len(set(_ACTIVATIONS.findall(self.offload.casefold()))) > 1:
            raise InputError(
                f"activations are moved twice: got offload '{self.offload}', want all of them or those of N layers. "
                "Remove one of the two."
            )
        self._check_bits()
        if self.tuning is None:
            self._check_adapters()
            return
        in_bits = self.frozen_bits is not None or self.frozen_weight_bytes != WEIGHT_BYTES
        if self.tuning == "full" and self.lora_rank:
            raise contradiction(self.tuning, f"lora_rank {self.lora_rank}")
        if self.tuning in ("lora", "dora") and self.frozen_bytes < 1:
            raise contradiction(self.tuning, f"{self.frozen_bytes:g} bytes of a frozen weight")
        if self.tuning in ("qlora", "qdora") and in_bits and self.frozen_bytes >= WEIGHT_BYTES:
            raise contradiction(self.tuning, f"{self.frozen_bytes:g} bytes of a frozen weight")
        if self.tuning != "full" and not self.lora_rank:
            object.__setattr__(self, "lora_rank", USUAL_RANK)
        if self.tuning.startswith("q") and not in_bits:
            object.__setattr__(self, "frozen_bits", 4.0)
        self._check_adapters()

    def _check_bits(self) -> None:
        """Refuse a frozen weight whose size is given in both of its spellings."""
        if self.frozen_bits is not None and self.frozen_weight_bytes != WEIGHT_BYTES:
            raise InputError(
                f"a frozen weight is given twice: got frozen_bits {self.frozen_bits:g} and frozen_weight_bytes "
                f"{self.frozen_weight_bytes:g}, want one. Remove one of the two."
            )

    def _check_adapters(self) -> None:
        """Refuse what is said of frozen weights where the whole model is trained; where adapters would sit may be said,
        as by workbooks that compare ways of tuning side by side."""
        if self.lora_rank:
            return
        said = {
            "frozen_bits": self.frozen_bits is not None and f"{self.frozen_bits:g}",
            "frozen_weight_bytes": self.frozen_weight_bytes != WEIGHT_BYTES and f"{self.frozen_weight_bytes:g}",
        }
        for name, value in said.items():
            if value:
                raise InputError(
                    f"no adapters: got {name} {value} where the whole model is trained, want adapters. Set tuning to "
                    f"qlora, or remove {name}."
                )

    @property
    def magnitudes(self) -> bool:
        """Whether adapters train a magnitude of each output too (DoRA)."""
        return self.tuning in ("dora", "qdora")

    @property
    def trained(self) -> str:
        """What is trained, in one word of `TUNINGS`."""
        if not self.lora_rank:
            return "full"
        if self.tuning is not None:
            return self.tuning
        return ("q" if self.frozen_bytes < 1 else "") + ("dora" if self.magnitudes else "lora")

    @property
    def frozen_bytes(self) -> float:
        """Bytes of a frozen weight; four bits carry their scales (QLoRA's 4.127 bits)."""
        if self.frozen_bits is None:
            return self.frozen_weight_bytes
        return 0.516 if self.frozen_bits == 4 else self.frozen_bits / 8

    @cached_property
    def modules(self) -> frozenset[str]:
        """The modules that are recomputed. What stands in brackets is a remark, so that published words can be kept."""
        return frozenset(re.split(r"[^a-z0-9_]+", self._on_recomputation)) & frozenset(MODULES)

    @cached_property
    def policy(self) -> Policy | None:
        """The policy by which layers are recomputed but for outputs that it keeps, None where none is named."""
        return stated_policy(self._on_recomputation) if self.recompute_modules else None

    @cached_property
    def layers_again(self) -> LayersAgain | None:
        """The layers that are recomputed where others are not, None where none are named; beside modules or a policy
        nobody could tell what a number of layers is of."""
        if not self.recompute_modules or self.modules or self.policy:
            return None
        return stated_layers(self._on_recomputation)

    @cached_property
    def kind_named(self) -> str:
        """The kind of recomputation that the modules' words name in place of modules, blank where they name none."""
        return stated_kind(self._on_recomputation) if self.recompute_modules else ""

    @property
    def _on_recomputation(self) -> str:
        return re.sub(r"\([^)]*\)?", " ", self.recompute_modules.casefold())

    @cached_property
    def offloads_optimizer(self) -> bool:
        return "optimizer" in self.offload.casefold()

    @property
    def offloaded_layers(self) -> float | None:
        counted = re.search(r"(-?[\d.]*\d)\s+layers?", self.offload)
        return float(counted[1]) if counted else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What stands in the settings of modules and of the host that no plan reads."""
        if self.kind_named:
            return tuple(filter(None, (self._unread_offload,)))
        named = self.policy or self.layers_again
        known = (*MODULES, "none", *(named.words if named else ()))
        unread = [word for word in re.findall(r"[a-z0-9_]+", self._on_recomputation) if word not in known]
        return tuple(filter(None, (" ".join(unread), self._unread_offload)))

    @property
    def _unread_offload(self) -> str:
        """What stands in the setting of the host that no plan reads: all of it, or the words beside what is moved."""
        moved = self.offload.casefold()
        if "optimizer" not in moved and "activation" not in moved:
            return "" if moved in ("", "none") else self.offload
        words = re.findall(r"[a-z_]+", re.sub(r"\([^)]*\)?", " ", moved))
        return " ".join(word for word in words if not _MOVED.fullmatch(word))

    def offloaded_share(self, n_layers: int) -> float:
        """Return the share of the kept activations that moves to the host: all of them, or those of N layers."""
        text = self.offload.casefold()
        if "activation" not in text:
            return 0.0
        if self.offloaded_layers is not None:
            return min(1.0, self.offloaded_layers / max(n_layers, 1))
        return FUSED_MLP_SHARE if "mlp" in text else 1.0


# What the inside of feed-forward blocks holds of a layer's activations, about: more in experts.
FUSED_MLP_SHARE = 0.6


@section
class Method:
    """The recipe, at what format and power a GPU multiplies, the network it has, and rates of one's own runs."""

    compute_dtype: ComputeDtype = DEFAULT
    power_limit_watts: PowerLimitWatts = DEFAULT
    nic_gbit_per_s: NicGbit = DEFAULT
    recipe: Recipe = DEFAULT
    rates_file: RatesFile = DEFAULT
