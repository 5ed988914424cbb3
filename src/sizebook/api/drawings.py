"""What a notebook draws of a plan: a chart of its report, and the bridge from one plan to another."""

from dataclasses import dataclass

from sizebook.plans.bridges import Bridge


@dataclass(frozen=True, repr=False)
class Drawing:
    """A chart as SVG, its title, and what it shows in words, for those who do not see it."""

    title: str
    alt: str
    svg: str

    def __repr__(self) -> str:
        return self.alt

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, repr=False)
class PlanBridge(Bridge):
    """A bridge that prints as ``sizebook bridge`` does: ``start``, ``bars`` and ``end`` are its amounts."""

    def __repr__(self) -> str:
        from sizebook.batch.bridge import as_lines

        return "\n".join(as_lines(self))

    def _repr_svg_(self) -> str:
        from sizebook.reports.charts.svg import svg
        from sizebook.reports.variance.drawing import chart_of

        return svg(chart_of(self), for_browsers=True)
