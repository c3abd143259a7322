"""The queries of an evaluation, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MeasuredQuery:
    """One query; the fields are the columns of the CSV file.

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


@dataclass(frozen=True)
class QueryTable:
    """The page.

    Attributes:
        run_id: the run.
        task: name of the task.
        split: split of the evaluation.
        measure: main measure.
        best_system: system of ``value``.
        baseline: system of ``baseline``; None if there is none.
        csv: name of the CSV file beside the page.
        queries: number of queries in the CSV file.
        shown: the queries of the page, the lowest values first.
    """

    run_id: str
    task: str
    split: str
    measure: str
    best_system: str
    baseline: str | None
    csv: str
    queries: int
    shown: tuple[MeasuredQuery, ...]
