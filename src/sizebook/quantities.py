"""The quantities that functions share: one name, meaning, unit and range each, for arguments and results alike.

An argument's type is one of these, so `d_model` means the same in every function, wizard and error message.
"""

from __future__ import annotations

from typing import Annotated

from sizebook.registry import Quantity
from sizebook.tables import by_key

# Dimensions of a model -----------------------------------------------------------------------------------------------

DModel = Annotated[int, Quantity("hidden size: width of the residual stream", kind="integer", minimum=1)]
DFf = Annotated[int, Quantity("inner width of the feed-forward block", kind="integer", minimum=1)]
DHead = Annotated[int, Quantity("width of one attention head", kind="integer", minimum=1)]
DAttn = Annotated[int, Quantity("summed width of all attention heads", kind="integer", minimum=1)]
DIn = Annotated[int, Quantity("width of the input of a projection", kind="integer", minimum=1)]
DOut = Annotated[int, Quantity("width of the output of a projection", kind="integer", minimum=1)]
NLayers = Annotated[int, Quantity("number of layers (blocks) in the stack", kind="integer", minimum=1)]
NHeads = Annotated[int, Quantity("number of query heads", kind="integer", minimum=1)]
NKvHeads = Annotated[
    int, Quantity("number of key and value heads, blank for as many as query heads", kind="integer", minimum=1)
]
Vocab = Annotated[int, Quantity("number of entries in the vocabulary", kind="integer", minimum=1)]
NPositions = Annotated[
    int, Quantity("number of learned positions, 0 for none (rotary or sinusoidal)", kind="integer", minimum=0)
]

# How a model is built ------------------------------------------------------------------------------------------------

Bias = Annotated[bool, Quantity("whether projections carry a bias", kind="flag")]
Gated = Annotated[
    bool, Quantity("whether the feed-forward block is gated (SwiGLU, GEGLU): three matrices", kind="flag")
]
Tied = Annotated[bool, Quantity("whether the output projection shares the token embedding", kind="flag")]
FinalNorm = Annotated[bool, Quantity("whether a norm follows the last layer", kind="flag")]

# Published models ----------------------------------------------------------------------------------------------------

Model = Annotated[
    str,
    Quantity("published model of the catalog, in any case, with or without its organisation", kind="text"),
]

# Storage -------------------------------------------------------------------------------------------------------------


def dtype_keys() -> tuple[str, ...]:
    """Return the number formats of ``data/dtypes.csv``."""
    return tuple(by_key("dtypes", "dtype"))


Dtype = Annotated[str, Quantity("number format that weights are stored in", kind="choice", choices=dtype_keys)]
ParameterCount = Annotated[int, Quantity("number of parameters", unit="parameters", kind="integer", minimum=0)]

# Results -------------------------------------------------------------------------------------------------------------

Parameters = Annotated[int, Quantity("trainable parameters", unit="parameters", kind="integer")]
Bytes = Annotated[int, Quantity("memory or storage", unit="bytes", kind="integer")]
Bits = Annotated[float, Quantity("storage per weight, scales included", unit="bits")]

# Hardware ------------------------------------------------------------------------------------------------------------


def gpu_keys() -> tuple[str, ...]:
    """Return the accelerators of ``data/hardware.csv``."""
    return tuple(by_key("hardware", "key"))


# Text, not a choice: `sizebook.formulas.hardware.accelerator` forgives spellings and names the candidates.
Gpu = Annotated[str, Quantity("accelerator, form factor included, such as h100-sxm", kind="text", choices=gpu_keys)]
