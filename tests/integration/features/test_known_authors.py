"""What is known of an author by name, where files number accounts in different ways."""

from math import log

import pytest
from literal_community import community_of
from literal_threads import Said, Thread
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from saved_folders import reloaded_group
from single_groups import compute_values, fit_and_compute

from cqa_spark.features.groups.author.author_activity import AuthorActivityV2
from cqa_spark.features.groups.author.author_quality import AuthorQualityV2
from cqa_spark.features.inputs import FeatureInputs

_GOOD, _BAD = {"relevant": True}, {"relevant": False}


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    """Rashid is U7 in training, and U70 where U7 is somebody else; T3 repeats T1; nobody knows the names in T2."""
    said = [
        Said("U7", "a", name="Rashid", **_GOOD),
        Said("U8", "b", name="peter", **_BAD),
        Said("U7", "c", name="Rashid", **_BAD),
        Said("U9", "d", **_BAD),
    ]
    again = [Said(one.author, one.text, name=one.name) for one in said]
    unnamed = [Said("U7", "e", **_GOOD), Said("U5", "f", **_GOOD), Said("U2", "g", **_BAD)]
    unseen = [
        Said("U70", "h", name="rashid"),
        Said("U7", "i", name="zed"),
        Said("U5", "j", name="carol"),
        Said("U3", "k", name="anonymous"),
        Said("U9", "l", name="mona"),
        Said("U7", "m"),
    ]
    return community_of(
        spark,
        [
            Thread("T1", "U9", said, category="Visas"),
            Thread("T2", None, unnamed),
            Thread("T3", "U9", again, category="Visas", same_as="T1"),
            Thread("D1", "U1", unseen, category="Visas", split="dev"),
        ],
    )


def test_activity_elsewhere(inputs: FeatureInputs) -> None:
    _, values = fit_and_compute(AuthorActivityV2, inputs, folds=2)
    rows = {row["candidate_id"]: row.asDict() for row in values.collect()}
    rashid = {
        "log_comments": log(4),
        "log_threads": log(3),
        "log_answers": log(4),
        "log_questions": 0.0,
        "answering": log(4),
        "comments_per_thread": 1.5,
        "first_share": 1.0,
        "log_sections": log(2),
        "section_share": 0.5,
    }
    assert {name: rows["D1_C1"][name] for name in rashid} == pytest.approx(rashid)
    assert {name: rows["D1_C6"][name] for name in rashid} == pytest.approx(rashid)
    assert {rows["D1_C2"][name] for name in rashid} == {0.0}
    assert rows["D1_C3"]["log_comments"] == pytest.approx(log(2))
    assert set(list(rows["D1_C4"].values())[3:]) == {None}
    assert (rows["D1_C5"]["log_comments"], rows["D1_C5"]["log_answers"]) == pytest.approx((log(2), 0.0))
    assert rows["D1_C5"]["answering"] == pytest.approx(log(1 / 2))


def test_activity_is_read_back(inputs: FeatureInputs, tmp_path) -> None:
    fitted, values = fit_and_compute(AuthorActivityV2, inputs, folds=2)
    again = reloaded_group(fitted, tmp_path)
    assert sorted(compute_values(again, inputs).collect()) == sorted(values.collect())


@pytest.mark.parametrize("here", ["T1_C1", "T3_C3"])
def test_the_own_thread_and_its_repeats_do_not_count(inputs: FeatureInputs, here: str) -> None:
    _, values = fit_and_compute(AuthorActivityV2, inputs, folds=2)
    (row,) = values.where(f"candidate_id = '{here}'").collect()
    assert (row["log_comments"], row["log_threads"], row["first_share"]) == pytest.approx((log(2), log(2), 1.0))
    assert (row["log_sections"], row["section_share"]) == (0.0, 0.0)


def test_quality_elsewhere(inputs: FeatureInputs, tmp_path) -> None:
    fitted, values = fit_and_compute(AuthorQualityV2, inputs, folds=2)
    rows = {row["candidate_id"]: row.asDict() for row in values.collect()}
    share = (2 + 5 * 3 / 6) / (3 + 5)
    rashid = {
        "relevant_share": share,
        "relevant_share_as_helper": (2 + 5 * 3 / 5) / (3 + 5),
        "relevant_share_in_section": (1 + 2 * share) / (2 + 2),
        "log_judged": log(4),
        "log_odds": log(3 / 2),
    }
    assert {name: rows["D1_C1"][name] for name in rashid} == pytest.approx(rashid)
    assert {name: rows["D1_C6"][name] for name in rashid} == pytest.approx(rashid)
    assert rows["D1_C2"]["relevant_share"] == pytest.approx(3 / 6)
    assert rows["D1_C2"]["log_judged"] == 0.0
    assert rows["D1_C3"]["log_odds"] == pytest.approx(log(2))
    assert set(list(rows["D1_C4"].values())[3:]) == {None}

    again = compute_values(reloaded_group(fitted, tmp_path), inputs.keep_examples(F.col("split") == "dev"))
    assert {row["candidate_id"]: row.asDict() for row in again.collect()} == {
        candidate: row for candidate, row in rows.items() if candidate.startswith("D1")
    }
