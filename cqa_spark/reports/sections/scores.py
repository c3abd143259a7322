"""How well the scores of the systems separate relevant candidates from the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.kit.blocks import BREAK, Block, Cell, Columns, Heading, Plot, Span, Table, Text
from cqa_spark.reports.kit.svg import Picture, new_axes, sentinel, shares_of_bins
from cqa_spark.reports.kit.wording import count
from cqa_spark.reports.reported_run import RankedSystem, ReportedRun
from cqa_spark.reports.section import Section

# The scores of systems, counted in bins by relevance and prediction.

BINS = 24
"""Number of bins of a histogram."""

_PAIR = ("site", "task", "query_id", "candidate_id")

FEWEST = 10
"""Number of candidates below which a share or a mean is not shown, because it would mostly be chance."""


@dataclass(frozen=True)
class ScoreHistogram:
    """Number of candidates in equal-width bins between the lowest and the highest score of a system."""

    system: str
    low: float
    high: float
    relevant: tuple[int, ...]
    not_relevant: tuple[int, ...]
    unjudged: tuple[int, ...]

    @property
    def edges(self) -> tuple[float, ...]:
        """The edges of the bins, one more than bins."""
        bins = len(self.relevant)
        span = (self.high - self.low) or 1.0
        return tuple(self.low + span * number / bins for number in range(bins + 1))

    @property
    def centres(self) -> tuple[float, ...]:
        """The centres of the bins."""
        return tuple((low + high) / 2 for low, high in pairwise(self.edges))

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores are between 0 and 1."""
        return self.low >= 0 and self.high <= 1

    @property
    def calibration(self) -> tuple[tuple[float, float, int], ...]:
        """Centre, share of relevant candidates and number of judged ones, of the bins with at least ``FEWEST``."""
        judged = zip(self.centres, self.relevant, self.not_relevant, strict=True)
        return tuple(
            (centre, relevant / (relevant + others), relevant + others)
            for centre, relevant, others in judged
            if relevant + others >= FEWEST
        )


@dataclass(frozen=True)
class Confusion:
    """Number of judged candidates of a system, by prediction and relevance."""

    system: str
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int


@dataclass(frozen=True)
class Scores:
    """The scores of all systems, and how those of the best system relate to relevance.

    Attributes:
        histograms: of all systems, best first.
        best: of the best system; its judged candidates give the calibration.
        confusion: None for a system that gives all candidates one label, or without judgments.
    """

    histograms: tuple[ScoreHistogram, ...]
    best: ScoreHistogram
    confusion: Confusion | None = None


def count_scores(run: ReportedRun) -> Scores:
    """Count scores per bin in Spark, so that a bounded number of rows reaches the driver."""
    ranked = [run.systems[system] for system in run.once(evaluation).systems]
    binned = _with_relevance(run).withColumn("bin", _bin(ranked))
    counted = binned.groupBy("system", "bin", "relevant", "predicted").agg(F.count(F.lit(1)).alias("candidates"))
    rows = counted.collect()
    histograms = {system.system: _histogram(system, rows) for system in ranked}
    confusion = None if run.systems[run.best_system].has_one_label else _confusion(run.best_system, rows)
    return Scores(tuple(histograms.values()), histograms[run.best_system], confusion)


def _histogram(ranked: RankedSystem, rows: Iterable[Row]) -> ScoreHistogram:
    counts: dict[bool | None, list[int]] = {relevant: [0] * BINS for relevant in (True, False, None)}
    for row in rows:
        if row.system == ranked.system:
            counts[row.relevant][row.bin] += row.candidates
    return ScoreHistogram(
        ranked.system, ranked.low, ranked.high, *(tuple(counts[relevant]) for relevant in (True, False, None))
    )


def _confusion(system: str, rows: Iterable[Row]) -> Confusion | None:
    """The judged candidates of a system by prediction and relevance; None without judgments."""
    counts = {(predicted, relevant): 0 for predicted in (True, False) for relevant in (True, False)}
    for row in rows:
        if row.system == system and row.relevant is not None:
            counts[row.predicted, row.relevant] += row.candidates
    confusion = Confusion(system, counts[True, True], counts[True, False], counts[False, True], counts[False, False])
    return confusion if any(counts.values()) else None


def _bin(ranked: Sequence[RankedSystem]) -> Column:
    """The bin of a score between the lowest and the highest score of its system; 0 if these are equal."""
    low, high = (
        F.create_map(*[F.lit(value) for system in ranked for value in (system.system, getattr(system, end))])[
            F.col("system")
        ]
        for end in ("low", "high")
    )
    share = (F.col("score") - low) / (high - low)
    return F.least(F.coalesce(F.floor(share * BINS), F.lit(0)), F.lit(BINS - 1)).cast("int")


def _with_relevance(run: ReportedRun) -> DataFrame:
    rankings = run.rankings().select("system", *_PAIR, "score", "predicted")
    examples = run.table("examples")
    if examples is None:
        return rankings.withColumn("relevant", F.lit(None).cast("boolean"))
    return rankings.join(examples.select(*_PAIR, "relevant"), on=list(_PAIR), how="left")


def data(run: ReportedRun) -> Scores | None:
    """The scores of all systems, by relevance; None if nothing is ranked."""
    return None if run.unranked is not None else run.once(count_scores)


_HISTOGRAM_HEIGHT = 170
"""In CSS pixels."""


def blocks(scores: Scores) -> list[Block]:
    """The histograms of all systems; calibration and confusion of the best one."""
    histograms, best = scores.histograms, scores.best
    keys = []
    about = "Share of the candidates by score, for each system."
    if any(sum(histogram.relevant) for histogram in histograms):
        about = (
            "Share of the relevant candidates, and of the others, by score, for each system. The less the two "
            "histograms overlap, the better the score separates them."
        )
        keys = [
            Span("relevant, above the axis", "key", "yes"),
            Span("not relevant, below the axis", "key", "loss"),
        ]
    if any(sum(histogram.unjudged) for histogram in histograms):
        keys.append(Span("unjudged, above the axis", "key", "unjudged"))
    plots = [
        Plot(f"scores{number}", partial(plot_scores, histogram), histogram.system, small=True)
        for number, histogram in enumerate(histograms)
    ]
    of_best: list[Block] = []
    if any(best.relevant) and best.calibration:
        meaning = "The scores are not probabilities, but the share should rise with the score."
        if best.are_probabilities:
            meaning = "Calibrated probabilities lie on the dotted line."
        explanation = (
            f"Share of relevant candidates by score. {meaning} A dot stands for at least {FEWEST} candidates; its "
            "area is proportional to their number."
        )
        calibration = partial(plot_calibration, best)
        of_best.append(Plot("calibration", calibration, "Calibration", small=True, about=explanation))
    if scores.confusion:
        of_best.append(_confusion_table(scores.confusion))
    shown: list[Block] = [Text(about, "legend"), Text(tuple(keys), "legend"), Columns(plots)]
    if of_best:
        shown += [Heading(f"Scores of {best.system}"), Columns(of_best, "row roomy")]
    return shown


def _confusion_table(confusion: Confusion) -> Table:
    def cells(relevant: int, others: int, *roles: str) -> list[Cell]:
        return [Cell(count(number), role=role) for number, role in zip((relevant, others), roles, strict=True)]

    about = (
        Span("Confusion", "bold"), BREAK, "Number of candidates by prediction and judgment; ",
        Span("correct", role="better"), " and ", Span("wrong", role="worse"), " predictions.",
    )  # fmt: skip
    rows = [
        ("predicted relevant", cells(confusion.true_positives, confusion.false_positives, "better", "worse")),
        ("predicted not relevant", cells(confusion.false_negatives, confusion.true_negatives, "worse", "better")),
    ]
    return Table("", about, ("", "relevant", "not relevant"), rows, style="confusion")


def plot_scores(histogram: ScoreHistogram, width: int) -> Picture:
    """Draw the share of relevant, other and unjudged candidates per score; a rare kind shows as well as others."""
    figure, axes = new_axes(width, _HISTOGRAM_HEIGHT)
    edges = histogram.edges
    axes.stairs(_shares(histogram.relevant), edges, fill=True, color=sentinel("accent"), linewidth=0)
    below = [-share for share in _shares(histogram.not_relevant)]
    axes.stairs(below, edges, fill=True, color=sentinel("loss"), linewidth=0)
    if any(histogram.unjudged):
        axes.stairs(_shares(histogram.unjudged), edges, color=sentinel("muted"), linewidth=1.5)
    axes.axhline(0, color=sentinel("ink"), linewidth=1)
    axes.set_xlim(edges[0], edges[-1])
    axes.locator_params(axis="x", nbins=5)
    axes.set_yticks([])
    axes.spines["bottom"].set_visible(False)
    return Picture(figure, _described_histogram(histogram))


def _shares(candidates: Sequence[int]) -> list[float]:
    """The number of candidates in each bin, as a share of all."""
    total = sum(candidates) or 1
    return [number / total for number in candidates]


def _described_histogram(histogram: ScoreHistogram) -> str:
    parts = [
        ("relevant", histogram.relevant),
        ("not relevant", histogram.not_relevant),
        ("unjudged", histogram.unjudged),
    ]
    counts = ", ".join(f"{count(sum(numbers))} {name}" for name, numbers in parts if any(numbers))
    return f"Scores of {histogram.system} from {histogram.low:.3g} to {histogram.high:.3g}: {counts} candidates."


def plot_calibration(histogram: ScoreHistogram, width: int) -> Picture:
    """Draw the percentage of relevant candidates in each bin of scores; the area of a dot is the number of candidates.

    Scores that are probabilities should lie on the dotted diagonal; other scores should rise from left to right. At
    least one bin has a ``calibration``.
    """
    centres, shares, totals = zip(*histogram.calibration, strict=True)
    percentages = [100 * share for share in shares]
    certain = 1.0 if histogram.are_probabilities else None
    figure, axes = shares_of_bins(centres, percentages, totals, width, certain=certain)
    axes.plot(centres, percentages, color=sentinel("line"), linewidth=1.5, zorder=2)
    axes.locator_params(axis="x", nbins=5)
    parts = "; ".join(
        f"{100 * share:.0f} % of {count(total)} at {centre:.3g}" for centre, share, total in histogram.calibration
    )
    return Picture(figure, f"Relevant candidates of {histogram.system} by score: {parts}.")


SECTION = Section("scores", "Scores", data, blocks, optional=(RANKINGS, EXAMPLES))
