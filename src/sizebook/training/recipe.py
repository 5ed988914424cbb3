"""How a training run works, apart from its layout: the recipe, number format, power limit and network.

Every field of a section here is an argument of functions, a key of scenario files, a column of sweeps and an input of
the workbook.
"""

from functools import cached_property
from typing import Annotated

from sizebook.core.errors import InputError
from sizebook.core.sections import DEFAULT, Quantity, quantity, section
from sizebook.core.tables import by_key
from sizebook.models.flops import RECOMPUTE
from sizebook.tables.own_rates import RatesFile
from sizebook.training.number_formats import FORMATS, WIDE_FORMATS
from sizebook.training.recipe_grammar import MODULES, Offload, Recomputation, read_offload, read_recomputation
from sizebook.training.tuning import USUAL_RANK, WEIGHT_BYTES, LoraOn, LoraRank, Tuning

STATE_FORMATS = ("fp32", "bf16", "fp8")

_OPTIMIZERS, _STACKS, _HARDWARE = "data/optimizers.csv", "data/training_stacks.csv", "data/hardware.csv"


def _stacks_of_software() -> tuple[tuple[str, str], ...]:
    """Return the names of other software, each with the framework that works like it."""
    rows = by_key("training_stacks", "stack")
    return tuple((word, key) for key, row in rows.items() for word in filter(None, row["also"].split(";")))


Recompute = Annotated[
    str,
    Quantity(
        "what the backward pass recomputes: lightest (what fits, none where no GPU is known), none, selective "
        "(attention scores), every-other-matmul, full (every layer)",
        choices=RECOMPUTE,
        default="lightest",
        label="Recomputation",
        source="rule: the lightest that fits",
    ),
]
OptimizerName = Annotated[
    str,
    Quantity(
        f"optimizer, a key of {_OPTIMIZERS}",
        choices=lambda: tuple(by_key("optimizers", "optimizer")),
        default="adamw",
        label="Optimizer",
        source=_OPTIMIZERS,
    ),
]


@section
class Recipe:
    """What is trained and how, apart from the layout. A ``lora_rank`` above 0 freezes the model and trains adapters.

    ``tuning`` names it in one word and sets what is left blank: rank 16, and 4 bits of a frozen weight in ``q...``.
    ``frozen_weight_bytes`` is the size of a frozen weight: 2 in bf16, 0.5 and scales for a 4-bit base (QLoRA, 4.127
    bits with double quantisation: Dettmers et al. 2023, arXiv:2305.14314).
    """

    optimizer: OptimizerName = DEFAULT
    stack: str = quantity(
        f"training framework, a key of {_STACKS}",
        choices=lambda: tuple(by_key("training_stacks", "stack")),
        also=_stacks_of_software,
        default="megatron",
        label="Training framework",
        source=_STACKS,
    )
    flash_attention: bool = quantity(
        "whether attention keeps no scores (flash attention)",
        default=True,
        label="Flash attention",
        source="assumption: on, as current frameworks run",
    )
    fused_loss: bool | None = quantity(
        "whether the loss is one kernel that keeps no logits in fp32, blank: only where nothing else fits",
        default=None,
        label="Fused loss",
    )
    dropout: bool = quantity(
        "whether dropout masks are kept",
        default=False,
        label="Dropout",
        source="assumption: none, as current models are trained",
    )
    expert_imbalance: float = quantity(
        "tokens of the fullest expert over the mean",
        "ratio",
        minimum=1,
        maximum=1000,
        default=1,
        label="Fullest expert over the mean",
        source="neutral: experts are loaded alike",
    )
    tuning: Tuning = DEFAULT
    lora_rank: LoraRank = DEFAULT
    lora_on: LoraOn = DEFAULT
    frozen_weight_bytes: float = quantity(
        "bytes of a frozen weight under adapters: 2 in bf16, 0.516 in 4 bits",
        "bytes",
        minimum=0.125,
        maximum=4,
        default=WEIGHT_BYTES,
        label="Bytes of a frozen weight",
        source="data/dtypes.csv: bf16",
    )
    frozen_bits: float | None = quantity(
        "bits of a frozen weight under adapters (16, 8, 4), in place of its bytes",
        minimum=1,
        maximum=32,
        default=None,
        label="Bits of a frozen weight",
    )
    optimizer_dtype: str | None = quantity(
        "format of an optimizer's states, blank: the optimizer's own, or bf16 where nothing else fits",
        choices=STATE_FORMATS,
        default=None,
        label="Format of optimizer states",
        source=_OPTIMIZERS,
    )
    gradient_dtype: str | None = quantity(
        "format in which gradients accumulate, blank: the framework's, or bf16 where nothing else fits",
        choices=STATE_FORMATS[:2],
        default=None,
        label="Format of gradients",
        source=_STACKS,
    )
    recompute_modules: str = quantity(
        f"what is recomputed: modules ({', '.join(MODULES)}), layers (block 2 layers, every 2nd layer) or a policy "
        "of JAX (remat_policy=save_qkv_proj); other words have no effect and are named as not read",
        default="",
        label="Modules recomputed",
    )
    offload: str = quantity(
        "what moves to the host: optimizer, activations, activations of N layers; other words have no effect and "
        "are named as not read",
        default="",
        label="Moved to the host",
    )
    fp8_activation_inputs: bool | None = quantity(
        "whether gated activation functions keep their inputs in 8 bits (activation_func_fp8_input_store of "
        "Megatron), blank: only where Megatron multiplies in few bits and nothing else fits",
        default=None,
        label="Activation inputs in FP8",
    )

    def __post_init__(self) -> None:
        self._check_offload()
        self._check_tuning()
        if self.tuning not in (None, "full"):
            if not self.lora_rank:
                object.__setattr__(self, "lora_rank", USUAL_RANK)
            if self.quantised and not self._frozen_size_given:
                object.__setattr__(self, "frozen_bits", 4.0)
        if not self.lora_rank:
            self._refuse_frozen_weights()

    def _check_offload(self) -> None:
        moved = self.offloaded
        if moved.layers is not None and moved.layers < 1:
            raise InputError(
                f"no such number of layers: got offload '{self.offload}', want at least 1 layer. Correct the number."
            )
        if len(set(moved.activations)) > 1:
            raise InputError(
                f"activations are moved twice: got offload '{self.offload}', want all of them or those of N layers. "
                "Remove one of the two."
            )

    def _check_tuning(self) -> None:
        """Refuse a frozen weight given in bits and in bytes, and a tuning that rank or bits contradict."""
        if self.frozen_bits is not None and self.frozen_weight_bytes != WEIGHT_BYTES:
            raise InputError(
                f"a frozen weight is given twice: got frozen_bits {self.frozen_bits:g} and frozen_weight_bytes "
                f"{self.frozen_weight_bytes:g}, want one. Remove one of the two."
            )
        too_narrow = self.tuning in ("lora", "dora") and self.frozen_bytes < 1
        too_wide = self.quantised and self._frozen_size_given and self.frozen_bytes >= WEIGHT_BYTES
        contradicting = f"{self.frozen_bytes:g} bytes of a frozen weight" if too_narrow or too_wide else ""
        if self.tuning == "full" and self.lora_rank:
            contradicting = f"lora_rank {self.lora_rank}"
        if contradicting:
            raise InputError(
                f"two ways of tuning: got tuning '{self.tuning}' and {contradicting}, want one. Remove one of the two."
            )

    def _refuse_frozen_weights(self) -> None:
        """Refuse a size of frozen weights where the whole model is trained. ``lora_on`` may stay: workbooks that
        compare ways of tuning side by side state it for all of them."""
        sizes = {
            "frozen_bits": self.frozen_bits,
            "frozen_weight_bytes": None if self.frozen_weight_bytes == WEIGHT_BYTES else self.frozen_weight_bytes,
        }
        for name, value in sizes.items():
            if value is not None:
                raise InputError(
                    f"no adapters: got {name} {value:g} where the whole model is trained, want adapters. Set tuning to "
                    f"qlora, or remove {name}."
                )

    @property
    def quantised(self) -> bool:
        """Whether ``tuning`` names frozen weights in 4 bits."""
        return self.tuning in ("qlora", "qdora")

    @property
    def _frozen_size_given(self) -> bool:
        return self.frozen_bits is not None or self.frozen_weight_bytes != WEIGHT_BYTES

    @property
    def magnitudes(self) -> bool:
        """Whether adapters also train a magnitude of each output (DoRA)."""
        return self.tuning in ("dora", "qdora")

    @property
    def trained(self) -> str:
        """What is trained, in one word of `TUNINGS`."""
        if not self.lora_rank:
            return "full"
        return self.tuning or ("qlora" if self.frozen_bytes < 1 else "lora")

    @property
    def frozen_bytes(self) -> float:
        """Bytes of a frozen weight; four bits include their scales (QLoRA's 4.127 bits)."""
        if self.frozen_bits is None:
            return self.frozen_weight_bytes
        return 0.516 if self.frozen_bits == 4 else self.frozen_bits / 8

    @cached_property
    def recomputed(self) -> Recomputation:
        """What ``recompute_modules`` states."""
        return read_recomputation(self.recompute_modules)

    @cached_property
    def offloaded(self) -> Offload:
        """What ``offload`` states."""
        return read_offload(self.offload)

    @property
    def unread(self) -> tuple[str, ...]:
        """The words of both that lie outside their grammars."""
        return tuple(filter(None, (self.recomputed.unread, self.offloaded.unread)))


@section
class Method:
    """The recipe, the format and power of a GPU, its network, and rates fitted to own runs."""

    compute_dtype: str | None = quantity(
        "format of matrix products, blank for bf16, or fp16 where the accelerator has no bf16",
        choices=FORMATS,
        default=None,
        label="Format that matrices multiply in",
        source="data/generations.csv",
    )
    power_limit_watts: float | None = quantity(
        "power limit of a GPU, blank for its TDP",
        "watts",
        above=0,
        maximum=1e5,
        default=None,
        label="Power limit of a GPU",
        source=_HARDWARE,
    )
    nic_gbit_per_s: float | None = quantity(
        "network of one GPU, less oversubscription, blank for the reference system's",
        "Gbit/s",
        above=0,
        maximum=1e6,
        default=None,
        label="Network of a GPU",
        source=_HARDWARE,
    )
    recipe: Recipe = DEFAULT
    rates_file: RatesFile = DEFAULT

    @property
    def narrow(self) -> bool:
        """Whether matrices multiply in fewer bits than activations have."""
        return self.compute_dtype not in (None, *WIDE_FORMATS)
