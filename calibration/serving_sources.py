"""Figures of servers that others published, over what a fit says of them: how far a source that no fit saw may lie.

Each source on each accelerator is a group of its own. Left out were runs whose time to first token shows that they
compiled while they were measured, queues of half a minute, every row of the exam, and pages of vendors that an exam
kept back may hold (NVIDIA NIM, Vultr): with them no score moves by more than 0.01.
"""

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serving_exam import Row, asked_of, figures_of
from serving_fit import scheduled
from serving_recipes import rows_of

from sizebook.serving.band import UNSEEN, band_setting, known_of
from sizebook.serving.time import Latency, tokens_per_second
from sizebook.tables.hardware import accelerator

TABLES = ("servers_amd.csv", "servers_nvidia.csv", "servers_others.csv")


@dataclass(frozen=True)
class Published:
    """One published figure: its source, the group it counts in, measured over predicted, and the bases of its band."""

    source: str
    group: str
    figure: str
    ratio: float
    bases: tuple[str, ...]

    @property
    def basis(self) -> str:
        """The basis whose band it helps to make: what is known of its accelerator, or of its load where all is."""
        return self.bases[-1] if self.bases[0] == UNSEEN else self.bases[0]


def published_of(theta: Any, combinations: Container[str]) -> list[Published]:
    """Return all published figures beside those of a fit, but of combinations that servers were measured in."""
    rows = [row for table in TABLES for row in rows_of(Path(__file__).parent / table)]
    return [each for row in rows for each in _published(row, scheduled(theta, row["engine"]), combinations)]


def _published(row: Row, rates: dict[str, float], combinations: Container[str]) -> list[Published]:
    case, ours, demand, replica = asked_of(row, rates)
    gpu, setting = accelerator(row["gpu"]).key, band_setting(case, replica, demand)
    if " ".join((*setting.key, gpu, replica.engine)) in combinations:
        return []
    bases = (known_of(gpu, setting), *setting.strains)
    source = row["source"].split(" (")[0].split(": ")[0].split(" results")[0]
    found = {figure: published / value for figure, published, value in figures_of(row, ours, demand, replica)}
    if row["ttft"] and row["tpot"] and "throughput" not in found:
        measured = tokens_per_second(Latency(float(row["ttft"]), float(row["tpot"])), demand)
        found["throughput"] = float(measured / ours.tokens_per_second)
    group = f"{row['source']} {gpu}"
    return [Published(source, group, figure, ratio, bases) for figure, ratio in found.items()]
