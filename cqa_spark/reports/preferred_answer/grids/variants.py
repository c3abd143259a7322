"""The comparison of snapshot features with features as of the cut."""

from __future__ import annotations

from collections.abc import Iterator

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.kit.grid import Cell, Grid, difference_cell, value_cell
from cqa_spark.reports.preferred_answer.content import AnswerStudy
from cqa_spark.reports.preferred_answer.labels import (
    AS_OF,
    SNAPSHOT,
    is_baseline,
    ranker_and_variant,
    ranker_label,
)


def both_variants(study: AnswerStudy) -> Grid:
    """Both variants of each ranker, and the gain from the state of the dump."""
    return Grid(
        title="Snapshot and as-of features",
        about=(
            f"{study.measures[0]} of the same ranker with features as of the cut, and with features from the state of "
            "the dump. The difference comes from information after the cut, which is not available when new answers "
            "are ranked."
        ),
        headings=("ranker", "as of the cut", "snapshot", "difference"),
        rows=tuple(_rows(study)),
    )


def _rows(study: AnswerStudy) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for system in study.systems:
        ranker, variant = ranker_and_variant(system)
        twin = f"metadata_{ranker}_{SNAPSHOT}"
        if not is_baseline(system) and variant == AS_OF and twin in study.systems:
            yield ranker_label(ranker), (_main(study, system), _main(study, twin), _gain(study, system, twin))


def _main(study: AnswerStudy, system: str) -> Cell:
    figure = study.figure(system, EVERY, study.measures[0])
    return value_cell(figure.value, figure.low, figure.high)


def _gain(study: AnswerStudy, system: str, twin: str) -> Cell:
    return difference_cell(study.contrast(twin, system))
