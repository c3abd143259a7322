"""Scores of official prediction files, without Spark: what ``cqa evaluate-file`` prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.official_files import ranked_queries

if TYPE_CHECKING:
    from cqa_spark.process.terminal import TextTable


class FileScores(TypedDict):
    """The official measures of one prediction file, as fractions in full precision.

    ``file`` is the path as given, ``queries`` the number of queries that were scored.
    """

    file: str
    queries: int
    map: float
    avg_rec: float
    mrr: float
    precision: float
    recall: float
    f1: float
    accuracy: float


def evaluate_file(gold: Path, prediction: Path) -> FileScores:
    """Score a prediction file as the official scorer of SemEval Task 3 does.

    Raises:
        InputError: a file cannot be understood, or the files do not belong together.
    """
    queries = ranked_queries(gold, prediction).values()

    def score(written: str) -> float:
        measure = parse_measure(written)
        return measure.total(measure.components(query) for query in queries)

    return FileScores(
        file=str(prediction),
        queries=len(queries),
        map=score("MAP@10"),
        avg_rec=score("AvgRec@10"),
        mrr=score("MRR@10"),
        precision=score("Precision"),
        recall=score("Recall"),
        f1=score("F1"),
        accuracy=score("Accuracy"),
    )


def evaluate_files(gold: Path, predictions: Sequence[Path]) -> list[FileScores]:
    """Score prediction files against one gold file, in the order given.

    Raises:
        InputError: a file cannot be understood, or the files do not belong together.
    """
    return [evaluate_file(gold, prediction) for prediction in predictions]


def to_json(scores: Sequence[FileScores]) -> str:
    """The scores as a JSON array, one object per prediction file."""
    return json.dumps(scores, indent=2, ensure_ascii=False)


def to_table(scores: Sequence[FileScores]) -> TextTable:
    """The scores as the official scorer prints them: fractions with four decimals, MRR times 100 with two."""
    from cqa_spark.process.terminal import TextTable, number

    table = TextTable("File", *map(number, ("Queries", "MAP", "AvgRec", "MRR", "P", "R", "F1", "Acc")))
    for row in scores:
        fractions = (row["precision"], row["recall"], row["f1"], row["accuracy"])
        table.add_row(
            Path(row["file"]).name,
            str(row["queries"]),
            f"{row['map']:.4f}",
            f"{row['avg_rec']:.4f}",
            f"{100 * row['mrr']:.2f}",
            *(f"{fraction:.4f}" for fraction in fractions),
        )
    return table
