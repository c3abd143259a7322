"""Rows of official files: ties are separated by rank."""

from cqa_spark.evaluation.files.semeval import OfficialRow
from cqa_spark.steps.predictions import official_rows

COLUMNS = ("site", "query_id", "candidate_id", "score", "rank", "predicted")


def test_tied_candidates_are_ranked_as_by_the_system() -> None:
    rows = [
        ("s", "Q1", "C1", 0.5, 3, False), ("s", "Q1", "C2", 0.5, 2, True), ("s", "Q1", "C3", 0.75, 1, True),
        ("s", "Q2", "C4", 0.5, 1, False), ("t", "Q2", "C4", 0.75, 1, True),
    ]  # fmt: skip
    assert [*official_rows(dict(zip(COLUMNS, row, strict=True)) for row in rows)] == [
        OfficialRow("Q1", "C1", 0.5 - 2**-54, False),
        OfficialRow("Q1", "C2", 0.5, True),
        OfficialRow("Q1", "C3", 0.75, True),
        OfficialRow("Q2", "C4", 0.5, False),
        OfficialRow("Q2", "C4", 0.75, True),
    ]
