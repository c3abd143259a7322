"""The differences between the best system and the baseline, query by query."""

from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.reports.kit.blocks import Block, Heading, Plot, Span, Text
from cqa_spark.reports.kit.svg import Picture, new_axes, sentinel
from cqa_spark.reports.kit.wording import MINUS, count, counted
from cqa_spark.reports.queries import measured_queries
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section

_HEIGHT = 270


@dataclass(frozen=True)
class Differences:
    """The differences between a system and the baseline, query by query.

    Attributes:
        system: name of the system.
        baseline: system that it is compared with.
        measure: measure that is compared.
        steps: (difference, number of queries), largest difference first. Differences are fractions, rounded to 0.001,
            which bounds the number of steps.
        unanswerable: number of queries without a relevant candidate.
    """

    system: str
    baseline: str
    measure: str
    steps: tuple[tuple[float, int], ...]
    unanswerable: int = 0

    @property
    def outcomes(self) -> tuple[int, int, int]:
        """Numbers of queries on which the system is better, equal (a difference of 0, rounded to 0.001), and worse."""
        better, equal, worse = (
            sum(queries for difference, queries in self.steps if (difference > 0) - (difference < 0) == sign)
            for sign in (1, 0, -1)
        )
        return better, equal, worse


def data(run: ReportedRun) -> Differences | None:
    """The main measure of the best system minus that of the baseline, by query; None without a comparison."""
    measured = run.once(measured_queries)
    if measured is None or not measured.steps or run.baseline is None or run.baseline == run.best_system:
        return None
    return Differences(run.best_system, run.baseline, run.main_measure, measured.steps, measured.unanswerable)


def blocks(differences: Differences) -> list[Block]:
    """The numbers of queries, and a bar for each query."""
    better, equal, worse = differences.outcomes
    keys = (
        Span(f"better on {counted(better, 'query', 'queries')}", "key", "yes"),
        Span(f"equal on {count(equal)}", "key", "even"),
        Span(f"worse on {count(worse)}", "key", "loss"),
    )
    caption = (
        f"{differences.measure} of {differences.system} minus that of {differences.baseline}, in percentage points: "
        "one bar per query, sorted by difference."
    )
    if differences.unanswerable:
        without = f" {count(differences.unanswerable)} have no relevant candidate,"
        caption += f"{without} so no order is better than another."
    plot = Plot("differences", partial(plot_differences, differences), caption)
    return [Heading("Differences by query", 2), Text(keys, "legend"), plot]


def plot_differences(differences: Differences, width: int) -> Picture:
    """Draw one bar per query, at least one, in percentage points, from the largest gain to the largest loss."""
    figure, axes = new_axes(width, _HEIGHT)
    ends = list(accumulate(queries for _, queries in differences.steps))
    edges = [0, *ends]
    gains = [max(value, 0.0) * 100 for value, _ in differences.steps]
    losses = [min(value, 0.0) * 100 for value, _ in differences.steps]
    axes.stairs(gains, edges, fill=True, color=sentinel("accent"), linewidth=0)
    axes.stairs(losses, edges, fill=True, color=sentinel("loss"), linewidth=0)
    axes.axhline(0, color=sentinel("ink"), linewidth=1)
    axes.set_xlim(0, ends[-1])
    axes.margins(y=0.12)
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks([])
    axes.yaxis.grid(True, color=sentinel("line"), linewidth=1)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:+.0f}".replace("-", MINUS) if value else "0")
    better, equal, worse = differences.outcomes
    description = (
        f"{differences.measure} of {differences.system} minus {differences.baseline} for each query, sorted: "
        f"better on {better}, equal on {equal}, worse on {worse} queries."
    )
    return Picture(figure, description)


SECTION = Section("differences", "Differences", data, blocks, products=(EXAMPLES, QUERY_METRICS), optional=(POSTS,))
