"""The label of a figure that several scenarios share: it heads a column of an index and a row of a comparison."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FigureLabel:
    """What a figure is called, its unit, and what one of that unit is in the unit of the plan's own figure."""

    label: str
    unit: str
    factor: float = 1.0

    @property
    def heading(self) -> str:
        """The figure with its unit, unless the label says it: GPU-hours; GPUs of a replica; GPUs, first month."""
        is_said = not self.unit or f"{self.label} ".startswith((f"{self.unit} ", f"{self.unit},"))
        return self.label if is_said else f"{self.label}, {self.unit}"
