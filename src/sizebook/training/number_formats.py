"""What the matrices of an accelerator multiply in while a model is trained: data/generations.csv, `training_formats`.

A format that a generation has no units for is refused: frameworks refuse it too, or run it at the rate of another.
"""

from functools import lru_cache

from sizebook.core.errors import RangeError
from sizebook.core.tables import by_key
from sizebook.tables.hardware import Accelerator

# The peak of data/hardware.csv that products in a format are held against.
PEAKS = {
    "bf16": "bf16",
    "fp16": "fp16",
    "fp8": "fp8",
    "int8": "int8",
    "mxfp8": "fp8",
    "nvfp4": "fp4",
    "mxfp4": "fp4",
}
FORMATS = tuple(PEAKS)
WIDE_FORMATS = ("bf16", "fp16")  # the formats of activations: nothing is cast
BLOCK_FORMATS = ("mxfp8", "nvfp4", "mxfp4")  # one scale for 16 or 32 neighbours


@lru_cache(maxsize=256)
def formats_of(gpu: Accelerator) -> tuple[str, ...]:
    """Return the formats that models are trained in on an accelerator, its usual one first; of a generation that the
    table does not know, those without blocks whose peaks are stated."""
    row = by_key("generations", "generation").get(gpu.generation)
    known = row["training_formats"].split() if row else [name for name in FORMATS if name not in BLOCK_FORMATS]
    peaks = gpu.peaks
    return tuple(name for name in known if PEAKS[name] in peaks)


def format_of(gpu: Accelerator, asked: str | None) -> str:
    """Return the format that is asked for, or the usual one of the accelerator where none is; refuse what it has no
    units for."""
    has = formats_of(gpu)
    if asked in has:
        return asked
    if not has:
        raise RangeError(f"no peak known: got '{gpu.key}', want one with a bf16 or fp16 peak. Choose another gpu.")
    if asked is None:
        return has[0]
    wanted = f"one of {', '.join(has)}" if len(has) > 1 else has[0]
    raise RangeError(
        f"no {asked} units: got compute_dtype '{asked}' on '{gpu.key}', want {wanted}. "
        f"Leave compute_dtype blank for {has[0]}, or choose another gpu."
    )


def training_peak(gpu: Accelerator, asked: str | None) -> float:
    """Return the dense peak that MFU is measured against: of the format that the matrices multiply in."""
    return gpu.peak_flop_per_s(PEAKS[format_of(gpu, asked)])
