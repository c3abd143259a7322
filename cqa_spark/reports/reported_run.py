"""What the sections of a run's report read: the run's tables, restricted to one task and split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, of_population
from cqa_spark.reports.reasons import FeatureContribution
from cqa_spark.reports.section import Reported

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_OF_POPULATIONS = {METRICS.name, COMPARISONS.name}

Value = TypeVar("Value", bound="DataclassInstance")


@dataclass(frozen=True)
class RankedSystem:
    """The rankings of one system on one split of a task.

    Attributes:
        task: name of the task.
        split: name of the split.
        system: name of the system.
        queries: number of ranked queries.
        candidates: number of ranked candidates.
        low: lowest score.
        high: highest score.
        has_one_label: whether it calls all candidates relevant, or none.
        served: number of queries whose order a night serves.
    """

    task: str
    split: str
    system: str
    queries: int
    candidates: int
    low: float
    high: float
    has_one_label: bool = False
    served: int = 0


def ranked_systems(rankings: DataFrame) -> tuple[RankedSystem, ...]:
    """The systems of the table ``rankings``, by task, split and name, from one pass over it."""
    counted = rankings.groupBy("task", "split", "system").agg(
        F.count_if(F.col("rank") == 1).alias("queries"),
        F.count(F.lit(1)).alias("candidates"),
        F.min("score").alias("low"),
        F.max("score").alias("high"),
        (F.min("predicted") == F.max("predicted")).alias("has_one_label"),
        F.count_if((F.col("rank") == 1) & F.col("served")).alias("served"),
    )
    systems = (RankedSystem(**row.asDict()) for row in counted.collect())
    return tuple(sorted(systems, key=lambda ranked: (ranked.task, ranked.split, ranked.system)))


class Unranked(NamedTuple):
    """What a night is about whose sites are young: no question has enough answers to be ranked.

    Attributes:
        system: the system that nights rank with.
        task: its task.
        min_answers: number of answers from which a question is ranked.
    """

    system: str
    task: str
    min_answers: int

    @property
    def ranked(self) -> RankedSystem:
        """The system, without rankings."""
        return RankedSystem(self.task, UNANNOTATED, self.system, queries=0, candidates=0, low=0.0, high=0.0)


@dataclass(frozen=True)
class Caution:
    """A limitation of feature groups, without a full stop, that affects the results of the systems that use them."""

    text: str
    groups: tuple[str, ...]
    systems: tuple[str, ...]


@dataclass(frozen=True)
class MeasuredQuery:
    """One query; the fields are the columns of the CSV file of queries.

    Attributes:
        site: site of the query.
        query_id: id within the site.
        title: title of the question; empty if unknown.
        candidates: number of candidates.
        relevant: number of relevant candidates.
        value: main measure of the best system, a fraction; None if it was not measured.
        baseline: main measure of the baseline.
    """

    site: str
    query_id: str
    title: str
    candidates: int
    relevant: int
    value: float | None
    baseline: float | None

    @property
    def difference(self) -> float | None:
        """The best system minus the baseline."""
        return None if self.value is None or self.baseline is None else self.value - self.baseline


class QueryLinks(NamedTuple):
    """Names of the files beside the page that hold every query."""

    page: str
    csv: str


Query = tuple[str, str]
"""Site and id."""

Pair = tuple[str, str, str]
"""Site, id of the query, and id of the candidate."""


def _unexplained(system: str, queries: Sequence[Query]) -> Mapping[Pair, tuple[FeatureContribution, ...]]:
    return {}


@dataclass(frozen=True)
class ReportedRun(Reported):
    """The tables of one run, restricted to one task and split, and what its systems say about themselves.

    Attributes:
        record: record of the run. Its rankings are all rows of the table, because a nightly run keeps unaffected
            rankings of earlier runs.
        tables: declared tables by name (``cqa_spark.lake.schemas``), without those that the run did not write;
            ``rankings`` is required.
        journal: entries of journal tables by name, without those that the run did not write.
        ranked: the systems in the rankings, of all tasks and splits.
        split: split of the evaluation.
        best_system: system that the page presents first.
        baseline: system that the others are compared with; None if there is none.
        main_measure: measure that orders the systems.
        measures: order of the columns; other measures follow alphabetically.
        descriptions: what a system is, by its name.
        meanings: by system, the meanings of its feature columns.
        cautions: limitations of the feature groups of the systems.
        contributions: given a system and a few queries, the features that contribute most to the score of candidates.
        write_queries: reads every query of the evaluation once, the lowest values first; None if no reader is needed.
        shown_queries: number of best and of worst queries.
        unranked: what a night without rankings is about; None if there are rankings.

    Raises:
        ContractError: there are no rankings of the best system for this task and split.
    """

    record: RunRecord
    tables: Mapping[str, DataFrame]
    journal: Mapping[str, Sequence[Entry]]
    ranked: Sequence[RankedSystem]
    split: str
    best_system: str
    baseline: str | None = None
    main_measure: str = "MAP@10"
    measures: Sequence[str] = ()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()
    contributions: Callable[[str, Sequence[Query]], Mapping[Pair, tuple[FeatureContribution, ...]]] = _unexplained
    write_queries: Callable[[ReportedRun, Iterable[MeasuredQuery]], QueryLinks] | None = None
    shown_queries: int = 3
    unranked: Unranked | None = None

    def __post_init__(self) -> None:
        """Name the tables of the run, and require rankings of the best system."""
        object.__setattr__(self, "products", frozenset({*self.tables, *self.journal}))
        if self.best_system not in self.systems:
            raise ContractError(
                f"run {self.record.run_id} has no ranking of {self.best_system} for {self.task} on {self.split}; "
                f"it has {', '.join(self.systems) or 'none'}",
                "name a system that the run scored on this split",
            )

    @property
    def systems(self) -> dict[str, RankedSystem]:
        """The systems that are ranked on this task and split, by name."""
        return {
            ranked.system: ranked for ranked in self.ranked if (ranked.task, ranked.split) == (self.task, self.split)
        }

    def table(self, name: str) -> DataFrame | None:
        """The rows of a table for the task and split; None if the run did not write it."""
        frame = self.tables.get(name)
        if frame is None:
            return None
        return frame.where((F.col("task") == self.task) & (F.col("split") == self.split))

    def rankings(self) -> DataFrame:
        """The rankings of all systems."""
        rankings = self.table("rankings")
        assert rankings is not None, "its systems were counted"
        return rankings

    def entries(self, name: str) -> list[Entry]:
        """The entries of a journal table for the task and split, where it has these columns; empty if it is absent.

        Measures of parts of a split are left out.
        """
        covered = {"task": self.task, "split": self.split}
        entries = self.journal.get(name, ())
        return [
            entry
            for entry in (of_population(entries, None) if name in _OF_POPULATIONS else entries)
            if all(entry[column] == value for column, value in covered.items() if column in entry)
        ]

    def main_entries(self, name: str) -> list[Entry]:
        """The entries of a journal table about the main measure."""
        return [entry for entry in self.entries(name) if entry["measure"] == self.main_measure]


def from_entry(kind: type[Value], entry: Entry) -> Value:
    """A dataclass with the values of the columns that are named as its fields."""
    return kind(**{field.name: entry[field.name] for field in fields(kind)})
