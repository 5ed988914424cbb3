"""Quantities of fine-tuning: what is trained, the rank of adapters and where they sit, how examples fill sequences."""

from typing import Annotated

from sizebook.core.errors import InputError
from sizebook.core.sections import Quantity, quantity, section
from sizebook.core.texts import text

# Matrices that carry adapters; `sizebook.training.adapters` says which tensors they are.
TARGETS = ("query-value", "attention", "mlp", "all")
USUAL_TARGETS = "attention"
# What is trained, by its key, as a reader writes it.
TUNING_NAMES = {
    "full": text("Full fine-tuning"),
    **{name.casefold(): name for name in ("LoRA", "QLoRA", "DoRA", "QDoRA")},
}
TUNINGS = tuple(TUNING_NAMES)
USUAL_RANK = 16  # torchtune's recipes of 70B and 405B and MLPerf's LoRA benchmark
Tuning = Annotated[
    str | None,
    Quantity(
        "what is trained: full (the whole model), lora, qlora (frozen weights in 4 bits), dora and qdora (with "
        "magnitudes); blank: by rank and bits",
        choices=TUNINGS,
        default=None,
        label="Fine-tuning",
    ),
]
LoraRank = Annotated[
    int,
    Quantity(
        f"rank of low-rank adapters, 0 to train the whole model, or {USUAL_RANK} where tuning names adapters",
        minimum=0,
        maximum=1_000_000,
        default=0,
        label="Rank of adapters",
        source="neutral: the whole model is trained",
    ),
]
LoraOn = Annotated[
    str,
    Quantity(
        "matrices that carry adapters: query-value, attention, mlp (experts too), all of a layer",
        choices=TARGETS,
        default=USUAL_TARGETS,
        label="Adapters on",
        source="LoRA, arXiv:2106.09685: attention alone is adapted",
    ),
]
WEIGHT_BYTES = 2.0  # in bf16


@section
class Examples:
    """How training examples fill sequences: packed end to end, or one each with padding behind it."""

    example_tokens: float | None = quantity(
        "mean tokens of a training example, blank where every sequence is full",
        "tokens",
        above=0,
        maximum=1e9,
        default=None,
        label="Tokens of an example",
    )
    packed: bool = quantity(
        "whether examples share a sequence; otherwise each is padded to its whole length",
        default=True,
        label="Examples are packed",
        source="assumption: as pre-training packs",
    )

    def __post_init__(self) -> None:
        if not self.packed and self.example_tokens is None:
            raise InputError(
                "no length of examples: got packed FALSE and no example_tokens, want the mean tokens of an example. "
                "Give example_tokens, or remove packed."
            )

    def padding_unpacked(self, seq: int) -> float:
        """Return the share of a step's tokens that would be padding with one example a sequence; longer ones are cut
        off."""
        return 0.0 if self.example_tokens is None else max(0.0, 1 - self.example_tokens / seq)

    def padding_share(self, seq: int) -> float:
        """Return the share of a step's tokens that is padding: none where examples are packed."""
        return 0.0 if self.packed else self.padding_unpacked(seq)
