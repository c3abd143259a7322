"""A measure of a system over the published runs of a lake."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial

from markupsafe import Markup

from cqa_spark.lake.run_log import RunRecord
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.page import grid_table, plot, rendering, section
from cqa_spark.reports.kit.svg import Plot, Whisker, curve_of, described, draw_both
from cqa_spark.reports.kit.tables import NO_VALUE, Cell, Grid, print_grid, value_cell
from cqa_spark.reports.kit.wording import counted, points, signed_points
from cqa_spark.reports.section import Head, Reported, Section, itself

_LEVELS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class TrendPoint:
    """The measure in a run.

    Attributes:
        run_id: the run.
        ended_at: end of the run, UTC.
        value: a fraction.
        low: lower end of the interval; None if unknown.
        high: upper end of the interval; None if unknown.
    """

    run_id: str
    ended_at: datetime
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Trend(Reported):
    """A measure over runs.

    Attributes:
        lake: location of the lake.
        code_version: version of the code that collected it.
        system: name of the system.
        measure: name of the measure.
        points: the runs, the earliest first; at least one.
    """

    lake: str
    code_version: str
    system: str
    measure: str
    points: tuple[TrendPoint, ...]


def points_of(records: Iterable[RunRecord], system: str, measure: str) -> tuple[TrendPoint, ...]:
    """A measure of a system in those runs that have it.

    Args:
        records: those of the runs, the earliest first.
        system: name of the system.
        measure: name of the measure.
    """
    return tuple(
        TrendPoint(record.run_id, record.ended_at or record.recorded_at, score.value, score.low, score.high)
        for record in records
        for score in record.scores
        if (score.system, score.measure) == (system, measure)
    )


def page(trend: Trend) -> Markup:
    """The curve, and a table of the runs."""
    figure = draw_both(partial(plot_trend, trend), "trend")
    caption = f"{trend.measure} in percent by the end of the run (month and day), with its interval."
    return section("trend", "Trend", [plot(figure, caption), grid_table(_grid(trend))])


def console(trend: Trend, terminal: Terminal) -> None:
    """Print the curve in a line, and the table."""
    print_grid(_grid(trend), terminal)
    terminal.line(f"{trend.measure} of {trend.system}: {sparkline([point.value for point in trend.points])}")


def plot_trend(trend: Trend, width: int) -> Plot:
    """Plot the measure by the time of the runs."""
    values = [
        Whisker(
            f"{point.ended_at:%m-%d}",
            point.value,
            point.value if point.low is None else point.low,
            point.value if point.high is None else point.high,
            "accent",
        )
        for point in trend.points
    ]
    days = [point.ended_at.timestamp() / 86_400 for point in trend.points]
    description = f"{trend.measure} of {trend.system} by run, with intervals: {described(values)}."
    return Plot(curve_of(values, days, width), description)


def sparkline(values: list[float]) -> str:
    """A character for each value, at least one, the higher the greater."""
    low, high = min(values), max(values)
    return "".join(_LEVELS[round((value - low) / ((high - low) or 1) * (len(_LEVELS) - 1))] for value in values)


def _grid(trend: Trend) -> Grid:
    return Grid(
        title=f"{trend.measure} of {trend.system}",
        about=f"In percent, with its interval, over {counted(len(trend.points), 'published run')}; the change is from "
        "the run before; cqa runs compare tests it.",
        headings=("run", "end", trend.measure, "change"),
        rows=tuple(_rows(trend)),
        texts=("end",),
    )


def _rows(trend: Trend) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    before = None
    for point in trend.points:
        has_interval = point.low is not None and point.high is not None
        yield (
            point.run_id,
            (
                Cell(f"{point.ended_at:%Y-%m-%d %H:%M}"),
                value_cell(point.value, point.low or 0.0, point.high or 0.0)
                if has_interval
                else Cell(points(point.value)),
                NO_VALUE if before is None else Cell(signed_points(point.value - before)),
            ),
        )
        before = point.value


def trend_json(trend: Trend) -> str:
    """The runs with their values."""
    runs = [asdict(point) | {"ended_at": point.ended_at.isoformat()} for point in trend.points]
    return json.dumps({"system": trend.system, "measure": trend.measure, "runs": runs}, indent=2)


HEAD: Head[Trend, Trend] = Head(
    itself,
    rendering("sections/trend_header.html.j2", "trend"),
    title=lambda trend: f"{trend.measure} of {trend.system} · {trend.lake}",
    provenance=lambda trend: f"cqa-spark {trend.code_version}",
)

SECTION: Section[Trend, Trend] = Section("trend", "Trend", itself, page, console)
