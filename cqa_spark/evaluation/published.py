"""Result tables of papers, ``conf/published/NAME.yaml``, and the rank that a new run would have had in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, model_validator

from cqa_spark.errors import InputError
from cqa_spark.evaluation.evaluate import JudgedRanking, evaluate, intervals
from cqa_spark.evaluation.files.scores import score_intervals
from cqa_spark.settings.conf_files import read_conf_file
from cqa_spark.settings.sections import SettingsSection

Runs = Mapping[str, tuple[float | None, ...]]
"""The values of each run, in the order and unit of the table's columns; None where the paper has none."""


class PublishedTable(SettingsSection):
    """A table of results as printed.

    Attributes:
        name: the file's name without ``.yaml``.
        about: what was evaluated, on which queries.
        source: paper and table.
        transcribed_from: text that the values were copied from.
        task: how ``cqa evaluate-file`` measures a run for it, its setting ``--task``.
        unit: of the values.
        queries: number of queries that were evaluated; of STS the pairs of each set; None if the paper does not say.
        ranked_runs: what the ranked runs are, such as ``primary runs``.
        complete: whether the table has all runs of the paper.
        columns: measures by our names, the official one first; of STS the sets, and the mean over them.
        ranked: runs that have a rank, in its order.
        further: contrastive, late and corrected runs.
        baselines: orders and constant answers by the organisers.
        ours: runs of this project that were evaluated on the same queries.
        ours_measured: who evaluated them, at which commit, with which file of labels.
    """

    name: str
    about: str
    source: str
    transcribed_from: str
    task: Literal["ranking", "duplicate", "sts"]
    unit: Literal["percent", "fraction"]
    queries: int | Mapping[str, int] | None = None
    ranked_runs: str
    complete: bool = True
    columns: tuple[str, ...] = Field(min_length=1)
    ranked: Runs = Field(default_factory=dict)
    further: Runs = Field(default_factory=dict)
    baselines: Runs = Field(default_factory=dict)
    ours: Runs = Field(default_factory=dict)
    ours_measured: str = ""

    @model_validator(mode="after")
    def _has_a_value_for_each_column(self) -> PublishedTable:
        for runs in (self.ranked, self.further, self.baselines, self.ours):
            for run, values in runs.items():
                if len(values) != len(self.columns):
                    raise ValueError(f"{run} has {len(values)} values for {len(self.columns)} columns")
        return self

    @property
    def scale(self) -> float:
        """What a fraction is multiplied by to give a value of the table."""
        return 100.0 if self.unit == "percent" else 1.0

    @property
    def decimals(self) -> int:
        """Number of decimals of the printed values."""
        of_runs = (*self.ranked.values(), *self.baselines.values())
        printed = {f"{value!r}".partition(".")[2] for values in of_runs for value in values if value}
        return max((len(digits) for digits in printed), default=2)

    def values(self, runs: Runs, column: str) -> dict[str, float]:
        """The values of some of its runs in a column, in the unit of the table, without those that have none."""
        position = self.columns.index(column)
        return {run: value for run, values in runs.items() if (value := values[position]) is not None}


def read_published_table(name: str) -> PublishedTable:
    """Read and check a published table.

    Args:
        name: the table's name.

    Raises:
        ConfigError: there is no such table, or its file has mistakes.
    """
    return read_conf_file(PublishedTable, "published", name, "published table")


class Standing(NamedTuple):
    """Where a run would stand in a column of a published table; fractions throughout.

    Attributes:
        file: prediction file.
        measure: the column.
        value: its value.
        low: lower bound of its 95 % bootstrap interval, over topics, or pairs of sentences.
        high: upper bound.
        rank: 1 plus the number of ranked runs with a higher value, as printed.
        of: number of ranked runs.
        best_rank: the rank at the upper bound.
        worst_rank: the rank at the lower bound.
        rank_of_all: the rank among all runs, contrastive and late ones included.
        all_runs: number of all runs.
        above: ranked run or baseline with the next higher value, and this value, as printed; empty if there is none.
        equal: ranked runs and baselines with the same value, as printed.
        below: ranked run or baseline with the next lower value, and this value, as printed; empty if there is none.
    """

    file: str
    measure: str
    value: float
    low: float
    high: float
    rank: int
    of: int
    best_rank: int
    worst_rank: int
    rank_of_all: int
    all_runs: int
    above: str
    equal: str
    below: str


def standing(table: PublishedTable, column: str, file: str, value: float, low: float, high: float) -> Standing:
    """The rank that a value would have had.

    Values are compared at the printed precision, so a published run has its own rank.

    Args:
        table: the published table.
        column: one of its columns.
        file: name of the run.
        value: its value, a fraction.
        low: lower bound of the value's interval.
        high: upper bound.
    """
    decimals = table.decimals
    ranked = table.values(table.ranked, column)
    every = [*ranked.values(), *table.values(table.further, column).values()]
    neighbours = table.values({**table.ranked, **table.baselines}, column)

    def printed(fraction: float) -> float:
        return round(fraction * table.scale, decimals)

    def rank(fraction: float, published: Sequence[float]) -> int:
        return 1 + sum(other > printed(fraction) for other in published)

    def named(run: str) -> str:
        return f"{run} {neighbours[run]:.{decimals}f}"

    own = printed(value)
    higher = [run for run, other in neighbours.items() if other > own]
    lower = [run for run, other in neighbours.items() if other < own]
    return Standing(
        file,
        column,
        value,
        low,
        high,
        rank(value, [*ranked.values()]),
        len(ranked),
        rank(high, [*ranked.values()]),
        rank(low, [*ranked.values()]),
        rank(value, every),
        len(every),
        named(min(higher, key=neighbours.__getitem__)) if higher else "",
        ", ".join(run for run, other in neighbours.items() if other == own),
        named(max(lower, key=neighbours.__getitem__)) if lower else "",
    )


def ranking_standings(
    table: PublishedTable, rankings: Sequence[JudgedRanking], measures: Sequence[str] = ()
) -> list[Standing]:
    """Where rankings stand by some measures.

    Args:
        table: a table of rankings.
        rankings: the rankings with their judgments.
        measures: columns of the table; empty for the official one.

    Raises:
        InputError: the judgments are of another number of queries, or the table lacks a measure.
    """
    if absent := [measure for measure in measures if measure not in table.columns]:
        raise InputError(f"{table.name} has no {', '.join(absent)}", f"its measures: {', '.join(table.columns)}")
    rows = []
    for ranking in rankings:
        _require_queries(table, table.queries, len(ranking.queries), "queries")
        for measure in measures or table.columns[:1]:
            value = evaluate(ranking, [measure])[measure]
            if value is None:
                raise InputError(f"{ranking.name} predicts no labels, which {measure} needs", "name another measure")
            ends = intervals(ranking, [measure])[measure]
            rows.append(standing(table, measure, ranking.name, value, float(ends.low[0]), float(ends.high[0])))
    return rows


def score_standings(table: PublishedTable, gold: Path, predictions: Mapping[str, Path]) -> list[Standing]:
    """Where predicted similarities stand: for each set of the gold that is a column, and for the mean over all sets.

    Args:
        table: a table of STS.
        gold: file of gold scores, or folder with one for each set.
        predictions: files of predictions, or folders with one for each set, by name.

    Raises:
        InputError: no set is a column, or one has another number of pairs; or the files cannot be read.
    """
    rows = []
    for name, file in predictions.items():
        correlations = score_intervals(gold, file)
        sets = {row.set: row.pairs for row, *_ in correlations}
        pairs = table.queries if isinstance(table.queries, Mapping) else {}
        is_whole = set(pairs) <= set(sets)
        columns = [column for column in table.columns if column in sets and (column in pairs or is_whole)]
        if not columns:
            raise InputError(
                f"{table.name} has no column for {', '.join(sets)}", f"its columns: {', '.join(table.columns)}"
            )
        for row, low, high in correlations:
            if row.set in columns:
                _require_queries(table, pairs.get(row.set), row.pairs, f"scored pairs of {row.set}")
                rows.append(standing(table, row.set, name, row.pearson, low, high))
    return rows


def shown_standings(table: PublishedTable, standings: Sequence[Standing]) -> Iterator[dict[str, Any]]:
    """The standings as records for readers: ranks in words, values in the unit and precision of the table."""
    for row in standings:
        value, low, high = (f"{table.scale * number:.{table.decimals}f}" for number in (row.value, row.low, row.high))
        worst = "" if row.best_rank == row.worst_rank else f" (95 %: {row.best_rank} to {row.worst_rank})"
        yield {
            "file": row.file,
            "measure": row.measure,
            "value": value,
            "95 % interval": f"[{low}, {high}]",
            "rank": f"{row.rank} beside {row.of} {table.ranked_runs}{worst}",
            "of all": f"{row.rank_of_all} beside {row.all_runs}",
            "above": row.above,
            "equal": row.equal,
            "below": row.below,
        }


def _require_queries(table: PublishedTable, published: Any, judged: int, of: str) -> None:
    if published is not None and judged != published:
        raise InputError(
            f"the gold file has {judged:,} {of}, and {table.name} is of {published:,}",
            f"give the gold file of: {table.about}",
        )
