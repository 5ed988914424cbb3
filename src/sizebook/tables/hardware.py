"""What an accelerator is: dense peaks, memory, links and power of ``data/hardware.csv``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Annotated

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.hints import unknown_key
from sizebook.core.quantities import Gpu
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.core.tables import Row, by_key, is_own, record, shipped
from sizebook.core.texts import Text, text


@dataclass(frozen=True)
class Accelerator:
    """One accelerator as sold: form factor and memory size included. None stands for a figure nobody published.

    Peaks are dense, with FP32 accumulation. Memory is the label in binary units (an "80 GB" H100 holds 80 GiB);
    ``usable_memory_bytes`` is what the driver leaves. Links are one way, per accelerator: ``scale_up`` joins the
    ``scale_up_domain`` (PCIe where there is no other link, and then the domain is 1), ``scale_out`` is the network of
    the maker's reference system.
    """

    key: str
    name: str
    maker: str
    generation: str
    form: str
    release_date: str | None
    memory_bytes: int
    usable_memory_bytes: int | None
    memory_bandwidth_bytes_per_s: int
    peak_fp32_flop_per_s: int | None
    peak_tf32_flop_per_s: int | None
    peak_bf16_flop_per_s: int | None
    peak_fp16_flop_per_s: int | None
    peak_fp8_flop_per_s: int | None
    peak_int8_op_per_s: int | None
    peak_fp6_flop_per_s: int | None
    peak_fp4_flop_per_s: int | None
    tdp_watts: int | None
    gpus_per_node: int
    scale_up_bytes_per_s: int | None
    scale_out_bytes_per_s: int | None
    pcie_bytes_per_s: int | None
    scale_up_domain: int
    launch_price_usd: int | None
    source: str
    retrieved: str

    def __hash__(self) -> int:
        return hash(self.key)  # what caches ask for many times a plan

    @cached_property
    def peaks(self) -> dict[str, int]:
        """The dense peaks that are known, in FLOP/s (OP/s for int8), by number format."""
        by_dtype = {
            "fp32": self.peak_fp32_flop_per_s,
            "tf32": self.peak_tf32_flop_per_s,
            "bf16": self.peak_bf16_flop_per_s,
            "fp16": self.peak_fp16_flop_per_s,
            "fp8": self.peak_fp8_flop_per_s,
            "int8": self.peak_int8_op_per_s,
            "fp6": self.peak_fp6_flop_per_s,
            "fp4": self.peak_fp4_flop_per_s,
        }
        return {dtype: peak for dtype, peak in by_dtype.items() if peak is not None}

    def peak_flop_per_s(self, dtype: str) -> int:
        """Return the dense peak of one number format, or raise with the formats this accelerator has."""
        peak = self.peaks.get(dtype)
        if peak is None:
            raise UnknownKeyError(
                f"no {dtype} peak: got '{self.key}', want an accelerator with {dtype} units. "
                f"It has {', '.join(self.peaks)}."
            )
        return peak


@cache
def accelerators() -> dict[str, Accelerator]:
    """Return every accelerator of ``data/hardware.csv`` by key, read once."""
    return {key: _parsed(row) for key, row in by_key("hardware", "key").items()}


def _parsed(row: Row) -> Accelerator:
    try:
        return record(Accelerator, row)
    except (KeyError, ValueError) as error:
        raise InputError(
            f"broken row of hardware: got {error} for '{row.get('key')}', want whole numbers. "
            "Run 'sizebook data check' on your own table and mend it."
        ) from error


def accelerator(key: str) -> Accelerator:
    """Return one accelerator by key or full name; case, spaces, ``_`` for ``-`` and the maker before it are forgiven.

    Errors: an unknown key with the nearest one, and a name that several forms share with all of them, since the
    form and the memory size change every answer.
    """
    folded = key.strip().casefold().replace("_", "-").replace(" ", "-")
    known = accelerators()
    maker, _, rest = folded.partition("-")
    if any(maker == each.maker.casefold() for each in known.values()):
        folded = rest
    if folded in known:
        return known[folded]
    if named := [each for each in known.values() if each.name.casefold().replace(" ", "-") == folded]:
        return named[0]
    sharing = _of_that_size(folded, known)
    if len(sharing) > 1:
        raise UnknownKeyError(
            f"ambiguous gpu: got '{key}', want its form and memory size too. Use one of {', '.join(sharing)}."
        )
    raise unknown_key("gpu", key, sharing or known, where="a key of data/hardware.csv")


def _of_that_size(folded: str, known: Mapping[str, Accelerator]) -> list[str]:
    """Return the keys that begin with a name; where a memory size ends it, such as h100-80gb, those of that size."""
    name, _, size = folded.rpartition("-")
    gib = int(size[:-2]) if re.fullmatch(r"\d{1,4}gb", size) else None
    begins = f"{folded if gib is None else name}-"
    return [
        key
        for key, each in known.items()
        if f"{key}-".startswith(begins) and (gib is None or each.memory_bytes == gib * 2**30)
    ]


def sheet_of(gpu: str) -> Text:
    """Return the table that an accelerator stands in, with its key: the planner's own or the shipped one."""
    if is_own("hardware", gpu):
        return text("your table of hardware, {gpu}", gpu=gpu)
    return text("data/hardware.csv, {gpu}", gpu=gpu)


def own_row(gpu: str) -> Iterator[Text]:
    """Yield that an accelerator is the planner's own row, as the warnings of every plan say it."""
    if is_own("hardware", gpu):
        replaces = any(row["key"] == gpu for row in shipped("hardware"))
        yield (
            text("{gpu} is your own row, in place of that of data/hardware.csv.", gpu=gpu)
            if replaces
            else text("{gpu} is your own row; nothing was measured on it.", gpu=gpu)
        )


def price_bounds(found: Accelerator) -> tuple[float, float] | None:
    """Return the least and most USD that an hour of such an accelerator costs; None where nobody has priced one."""
    row = by_key("generations", "generation").get(found.generation)
    card = "card_" if found.form == "pcie" else ""
    ends = [row[f"{end}_{card}usd_per_gpu_hour"] for end in ("lowest", "highest")] if row else [""]
    return (float(ends[0]), float(ends[1])) if all(ends) else None


def dear_prices(gpu: str, *usd_per_gpu_hour: float) -> Iterator[Text]:
    """Yield which prices are above all that such an accelerator costs: those of a month or in cents, most likely."""
    bounds = price_bounds(accelerator(gpu))
    for price in dict.fromkeys(usd_per_gpu_hour):
        if bounds is not None and price > bounds[1]:
            yield text(
                "A price of {price} USD a GPU-hour is unusually high. Such a GPU costs {most} USD at most.",
                price=f"{price:g}",
                most=f"{bounds[1]:g}",
            )


def spec_fields() -> tuple[str, ...]:
    """Return the fields that `gpu_spec` reads: the columns of ``data/hardware.csv`` after the key."""
    return tuple(field.name for field in fields(Accelerator))[1:]


def makers() -> tuple[str, ...]:
    """Return the makers of ``data/hardware.csv``."""
    return tuple(dict.fromkeys(row["maker"] for row in by_key("hardware", "key").values()))


GpuField = Annotated[
    str, Quantity("column of the accelerator table, such as memory_bytes", kind="text", choices=spec_fields)
]
Maker = Annotated[
    str | None, Quantity("maker of the accelerators, blank for all of them", choices=makers, default=None)
]
Figure = Annotated[
    int | str, Quantity("figure of the data sheet, in the unit the field names", kind="text", default="tpot")
]
Keys = Annotated[list[list[str]], Quantity("keys of accelerators, one a row")]


@function(category="hardware", source="data/hardware.csv, one source a row")
def gpu_spec(gpu: Gpu, field: GpuField) -> Figure:
    """Return one figure of an accelerator's data sheet in the unit its field names: bytes, bytes/s, FLOP/s, watts, USD.

    Peaks (peak_bf16_flop_per_s and its like) are dense, links are one way per accelerator, memory_bytes is the label in
    binary units and usable_memory_bytes what the driver leaves of it. A figure nobody published is an error, not 0.
    """
    name = field.strip().casefold()
    if name not in spec_fields():
        raise unknown_key("field", field, spec_fields(), where="a column of data/hardware.csv")
    found = accelerator(gpu)
    value: int | str | None = getattr(found, name)
    if value is None:
        raise UnknownKeyError(
            f"figure not published: got a blank {name} for '{found.key}', want a number. "
            "Type the figure of your own data sheet instead."
        )
    return value


@function(category="hardware", source="data/hardware.csv, one source a row")
def gpu_list(maker: Maker = DEFAULT) -> Keys:
    """Return the keys of the accelerators that are known, one a row, of one maker or of all.

    The list spills down; a drop-down list can take its choices from it.
    """
    return [[a.key] for a in accelerators().values() if maker in (None, a.maker)]
