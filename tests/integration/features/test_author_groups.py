"""What is known of a comment's author from other threads."""

from math import log
from typing import Any

import pytest
from literal_threads import Said, Thread
from pyspark.sql import DataFrame
from saved_folders import reloaded_group
from single_groups import compute_values, fit_and_compute

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class


@pytest.fixture
def inputs(community) -> FeatureInputs:
    good, bad = {"relevant": True}, {"relevant": False}
    return community(
        [
            Thread("Q1", "U9", [Said("U7", "a", **good), Said("U8", "b", **bad), Said("U7", "c", **bad)]),
            Thread("Q2", "U7", [Said("U7", "d", **bad), Said("U2", "e", **good), Said(None, "f", **good)]),
            Thread("Q3", "U9", [Said("U8", "g"), Said("U7", "h")], split="unannotated"),
            Thread("Q4", "U9", [Said("U7", "i", **good), Said("U6", "j", **bad), Said("U2", "k")], split="dev"),
        ]
    )


def _known(values: DataFrame) -> dict[str, dict[str, Any]]:
    """The values of the candidates of which any is known."""
    rows = {row["candidate_id"]: row.asDict() for row in values.drop("site", "query_id").collect()}
    known = {candidate: {name: row[name] for name in row if name != "candidate_id"} for candidate, row in rows.items()}
    return {candidate: row for candidate, row in known.items() if set(row.values()) != {None}}


def test_activity_counts_training_and_unannotated_threads(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(group_class("author_activity_v1"), inputs, folds=2)
    rows = _known(values)
    assert set(rows) == {"Q1_C1", "Q1_C2", "Q1_C3", "Q2_C1", "Q3_C1", "Q3_C2", "Q4_C1", "Q4_C2"}
    assert rows["Q1_C1"] == rows["Q2_C1"] == rows["Q4_C1"]
    names = ("log_comments", "log_threads", "log_questions", "comments_per_thread", "mean_position", "first_share")
    counted = (log(1 + 4), log(1 + 3), log(1 + 1), 4 / 3, (1 + 3 + 1 + 2) / 4, 0.5)
    assert rows["Q4_C1"] == pytest.approx({"known": 1.0, **dict(zip(names, counted, strict=True))})
    assert rows["Q4_C2"] == {"known": 1.0, **dict.fromkeys(names, 0.0)}


def test_quality_of_a_development_author_comes_from_all_training_threads(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(group_class("author_quality_v1"), inputs, folds=2)
    rows = _known(values)
    prior, helper_prior = 1 / 4, 1 / 3
    assert rows["Q4_C1"] == pytest.approx({
        "relevant_share": (1 + 5 * prior) / (3 + 5), "relevant_share_as_helper": (1 + 5 * helper_prior) / (2 + 5),
        "log_judged": log(1 + 3), "log_relevant": log(1 + 1), "log_irrelevant": log(1 + 2),
    })  # fmt: skip
    assert rows["Q4_C2"]["relevant_share"] == pytest.approx(prior)
    assert rows["Q4_C2"]["log_judged"] == 0.0
    assert {"Q2_C2", "Q2_C3", "Q4_C3"}.isdisjoint(rows)


def test_what_was_learned_is_read_back(inputs: FeatureInputs, tmp_path) -> None:
    fitted, _ = fit_and_compute(group_class("author_activity_v2"), inputs, folds=2)
    again = reloaded_group(fitted, tmp_path)
    assert sorted(compute_values(again, inputs).collect()) == sorted(compute_values(fitted, inputs).collect())
