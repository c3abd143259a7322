"""What the lexicon says of the comments around a comment."""

from __future__ import annotations

from math import sqrt

import pytest
from literal_community import Said, Thread
from pyspark.sql import functions as F
from saved_folders import reloaded_group

from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.groups.text.lexicon import LexiconV1
from cqa_spark.features.groups.thread.thread_lexicon import ThreadLexiconV1


@pytest.fixture
def inputs(community):
    """Training threads in which the souq is relevant and a joke is not, and a thread to rank."""
    said = [Said("U7", "the souq has it", relevant=True), Said("U8", "lol the joke", relevant=False)]
    unseen = [Said("U7", "the souq"), Said("U9", "lol"), Said("U6", "zebra")]
    return community([*[Thread(f"Q{n}", "U9", said) for n in range(6)], Thread("Q9", "U9", unseen, split="dev")])


def test_values_follow_from_the_log_odds_of_the_thread(inputs, tmp_path) -> None:
    _, alone = fit_and_compute(LexiconV1, inputs, folds=2)
    fitted, around = fit_and_compute(ThreadLexiconV1, inputs, folds=2)
    odds = {row["candidate_id"]: row["log_odds"] for row in alone.collect()}
    rows = {row["candidate_id"]: row.asDict() for row in around.collect()}
    souq, lol, zebra = (odds[f"Q9_C{place}"] for place in (1, 2, 3))
    mean = (souq + lol + zebra) / 3
    deviation = sqrt(sum((one - mean) ** 2 for one in (souq, lol, zebra)) / 3)
    assert souq > zebra > lol
    assert rows["Q9_C2"] == pytest.approx(
        {
            "site": "qatarliving.com",
            "candidate_id": "Q9_C2",
            "previous": souq,
            "next": zebra,
            "others_mean": (souq + zebra) / 2,
            "helpers_mean": (souq + zebra) / 2,
            "gap_to_best": lol - souq,
            "z_score": (lol - mean) / deviation,
            "rank": 1.0,
            "rank_among_helpers": 1.0,
        }
    )
    assert rows["Q9_C1"]["previous"] == 0.0
    assert rows["Q9_C1"]["gap_to_best"] == pytest.approx(souq - zebra)
    assert rows["Q9_C1"]["rank"] == pytest.approx(1 / 3)
    assert rows["Q9_C3"]["next"] == 0.0
    assert {rows[f"Q{n}_C1"]["next"] == odds[f"Q{n}_C2"] for n in range(6)} == {True}

    again = compute_values(reloaded_group(fitted, tmp_path), inputs.keep_examples(F.col("split") == "dev"))
    assert {row["candidate_id"]: row.asDict() for row in again.collect()} == {
        candidate: row for candidate, row in rows.items() if candidate.startswith("Q9")
    }
