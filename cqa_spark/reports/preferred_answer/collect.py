"""Collects the results of the experiment; its tables have a row per system, site and measure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TypeVar

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.reports.preferred_answer.content import AnswerStudy, Contrast, Figure, Search, Transfer

Found = TypeVar("Found", Figure, Contrast, Transfer)


def collect_study(tables: Mapping[str, DataFrame], measures: Sequence[str]) -> AnswerStudy:
    """Collect the results.

    Args:
        tables: site_metrics and comparisons, and transfers and trials if the run has them, by name.
        measures: measures in order; the first is the main measure.
    """
    figures = tables["site_metrics"].collect()
    contrasts = _of_measure(tables["comparisons"], measures[0])
    transfers = _of_measure(tables["transfers"], measures[0]) if "transfers" in tables else []
    return AnswerStudy(
        part=figures[0]["split"],
        baseline=figures[0]["baseline"],
        measures=tuple(measures),
        figures=_each(Figure, figures),
        contrasts=_each(Contrast, contrasts),
        transfers=_each(Transfer, transfers),
        searches=tuple(_searches(tables["trials"].collect())) if "trials" in tables else (),
    )


def _searches(trials: Sequence[Row]) -> Iterator[Search]:
    for system in sorted({row["system"] for row in trials}):
        of_system = [row for row in trials if row["system"] == system]
        chosen = next(row for row in of_system if row["chosen"])
        yield Search(
            system=system,
            tried=len(of_system),
            # Differences are against the default parameters.
            given=chosen["value"] - chosen["difference"],
            parameters=json.loads(chosen["parameters"]),
            **{name: chosen[name] for name in ("value", "low", "high", "difference", "p_value")},
        )


def _of_measure(table: DataFrame, measure: str) -> list[Row]:
    return table.where(F.col("measure") == measure).collect()


def _each(kind: type[Found], rows: Sequence[Row]) -> tuple[Found, ...]:
    names = [field.name for field in fields(kind)]
    return tuple(kind(**{name: row[name] for name in names}) for row in rows)
