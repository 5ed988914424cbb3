"""What catalogs of prices answer, each read by a function of its own: bytes of a saved answer in, listed offers out.

An offer keeps the catalog's own words. What they mean stands in ``data/market_offers.csv``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.intake.files import decoded
from sizebook.intake.text_formats import json_object, text_rows


@dataclass(frozen=True)
class Offer:
    """One price as a catalog lists it: the whole instance for an hour, in USD, on a day."""

    provider: str
    instance: str
    model: str
    gpus: float
    region: str
    term: str
    usd_per_hour: float
    day: str


def _rows(content: bytes, where: str) -> Iterator[dict[str, Any]]:
    return text_rows(decoded(content, where, "a CSV file"), Path(where), "a CSV file")


def gpu_price_index(content: bytes, where: str, named: Mapping[str, str]) -> Iterator[Offer]:
    """Yield the offers of a day of ewyluda/gpu-price-index (``data/observations``)."""
    for row in _rows(content, where):
        yield Offer(
            provider=row["provider"],
            instance=row["sku"].strip(),
            model=row["gpu_model"],
            gpus=float(row["gpu_count"]),
            region=row["region"],
            term=row["pricing"],
            usd_per_hour=float(row["usd_per_hour"]),
            day=row["date"],
        )


def skypilot(content: bytes, where: str, named: Mapping[str, str]) -> Iterator[Offer]:
    """Yield the offers of SkyPilot's ``vms.csv`` of one provider; the file's name says which, and the day.

    Machines without accelerators have no name of one. A blank price is no offer in that term.
    """
    for row in _rows(content, where):
        for term, price in (("on_demand", row["Price"]), ("spot", row["SpotPrice"])):
            if row["AcceleratorName"] and price:
                yield Offer(
                    provider=named["provider"],
                    instance=row["InstanceType"],
                    model=row["AcceleratorName"],
                    gpus=float(row["AcceleratorCount"]),
                    region=row["Region"],
                    term=term,
                    usd_per_hour=float(price),
                    day=named["day"],
                )


def data_receipts_vendors(content: bytes, where: str, named: Mapping[str, str]) -> Iterator[Offer]:
    """Yield the offers of datareceipts/data-receipts' ``vendors.json``: on demand, one accelerator each."""
    for vendor in json_object(content, where, "the vendors of data-receipts")["vendors"]:
        for row in vendor["rows"]:
            memory = f"{row['gpu_memory_gb']} GB"
            price = float(row["usd_per_gpu_hour"])
            yield Offer(vendor["vendor"], row["gpu"], memory, 1, "all", "on_demand", price, vendor["read_on"])


def data_receipts_instances(content: bytes, where: str, named: Mapping[str, str]) -> Iterator[Offer]:
    """Yield the offers of datareceipts/data-receipts' ``hyperscalers.json``: instances, on demand."""
    answer = json_object(content, where, "the instances of data-receipts")
    for row in answer["rows"]:
        yield Offer(
            provider=row["vendor"],
            instance=row["instance"],
            model=f"{row['gpu']} {row['gpu_memory_gb']} GB",
            gpus=float(row["gpu_count"]),
            region=row["region"],
            term="on_demand",
            usd_per_hour=float(row["usd_per_hour"]),
            day=answer["retrieved"],
        )


Importer = Callable[[bytes, str, Mapping[str, str]], Iterator[Offer]]
IMPORTERS: dict[str, Importer] = {
    importer.__name__: importer
    for importer in (gpu_price_index, skypilot, data_receipts_vendors, data_receipts_instances)
}


def offers(importer: str, content: bytes, where: str, named: Mapping[str, str]) -> list[Offer]:
    """Return the offers of a saved answer. Errors: an answer without the columns or the numbers of its catalog."""
    try:
        found = list(IMPORTERS[importer](content, where, named))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"broken answer: got {type(error).__name__} {error} in {where}, want the columns and numbers of "
            f"{importer}. Save the answer again; if the catalog has changed, its importer must follow."
        ) from error
    if not found:
        raise InputError(f"empty answer: got no offers in {where}, want at least one. Save the answer again.")
    return found
