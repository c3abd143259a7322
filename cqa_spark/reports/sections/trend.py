"""A measure of a system over the published runs of a lake."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial

from cqa_spark.lake.run_log import RunRecord
from cqa_spark.reports.kit.blocks import NO_VALUE, Banner, Block, Cell, Plot, Span, Table, value_cell
from cqa_spark.reports.kit.svg import Picture, Whisker, curve_of, described
from cqa_spark.reports.kit.wording import count, counted, points, signed_points
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


def blocks(trend: Trend) -> list[Block]:
    """The curve, which the terminal shows in a line, and a table of the runs."""
    table = Table(
        title=f"{trend.measure} of {trend.system}",
        about=f"In percent, with its interval, over {counted(len(trend.points), 'published run')}; the change is from "
        "the run before; cqa runs compare tests it.",
        headings=("run", "end", trend.measure, "change"),
        rows=tuple(_rows(trend)),
        texts=("end",),
    )
    caption = f"{trend.measure} in percent by the end of the run (month and day), with its interval."
    line = f"{trend.measure} of {trend.system}: {sparkline([point.value for point in trend.points])}"
    return [Plot("trend", partial(plot_trend, trend), caption, line=line), table]


def plot_trend(trend: Trend, width: int) -> Picture:
    """Picture the measure by the time of the runs."""
    values = []
    for point in trend.points:
        # Without an interval, both ends are the value.
        low = point.value if point.low is None else point.low
        high = point.value if point.high is None else point.high
        values.append(Whisker(f"{point.ended_at:%m-%d}", point.value, low, high, "accent"))
    days = [point.ended_at.timestamp() / 86_400 for point in trend.points]
    description = f"{trend.measure} of {trend.system} by run, with intervals: {described(values)}."
    return Picture(curve_of(values, days, width), description)


def sparkline(values: list[float]) -> str:
    """A character for each value, at least one, the higher the greater."""
    low, high = min(values), max(values)
    return "".join(_LEVELS[round((value - low) / ((high - low) or 1) * (len(_LEVELS) - 1))] for value in values)


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


def banner(trend: Trend) -> Banner:
    """The value of the last run."""
    last = trend.points[-1]
    return Banner(
        title=f"{trend.measure} of {trend.system} · {trend.lake}",
        provenance=f"cqa-spark {trend.code_version}",
        eyebrow=(f"{trend.lake} · to run ", Span(last.run_id, "bold")),
        heading=f"{trend.measure} of {trend.system}",
        facts=[("last run", points(last.value)), ("published runs", count(len(trend.points)))],
    )


HEAD: Head[Trend, Trend] = Head(itself, banner)

SECTION: Section[Trend, Trend] = Section("trend", "Trend", itself, blocks)
