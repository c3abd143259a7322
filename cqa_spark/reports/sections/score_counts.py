"""The scores of systems, counted in bins by relevance and prediction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.reports.evaluation import evaluation
from cqa_spark.reports.reported_run import RankedSystem, ReportedRun

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
