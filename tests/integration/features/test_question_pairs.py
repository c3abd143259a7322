"""What two questions, and the comments below one of them, have in common."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path

import pytest
from literal_pairs import comment, example, inputs_of, post
from pyspark.sql import Row, SparkSession
from saved_folders import reloaded_group

from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.groups.thread.thread_similarity import ThreadSimilarityV1
from cqa_spark.features.groups.thread.title_similarity import TitleSimilarityV1
from cqa_spark.features.inputs import FeatureInputs


def _inputs(spark: SparkSession, partitions: int = 2) -> FeatureInputs:
    """A new question, three related ones, and below two of them comments; a comment is a candidate too."""
    return inputs_of(
        spark,
        posts=[
            post("Q1", "visa cost", "for family"),
            post("Q1_R1", "cost of visa", "today"),
            post("Q1_R2", "visa cost", "gym"),
            post("Q1_R3", "school", "fees"),
        ],
        comments=[
            comment("Q1_R1_C1", "Q1_R1", "family visa", position=1),
            comment("Q1_R1_C2", "Q1_R1", "gym", position=2),
            comment("Q1_R2_C1", "Q1_R2", "no", position=1),
        ],
        examples=[
            *[example("question_question", "Q1", f"Q1_R{n}", f"Q1_R{n}") for n in (1, 2, 3)],
            example("external_comment", "Q1", "Q1_R1_C1", "Q1_R1"),
        ],
        partitions=partitions,
    )


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    return _inputs(spark)


def _by_candidate(rows: list[Row]) -> dict[str, Row]:
    return {row.candidate_id: row for row in rows}


@pytest.fixture(scope="module")
def titles(inputs: FeatureInputs) -> dict[str, Row]:
    return _by_candidate(fit_and_compute(TitleSimilarityV1, inputs, folds=2)[1].collect())


@pytest.fixture(scope="module")
def threads(inputs: FeatureInputs) -> dict[str, Row]:
    return _by_candidate(fit_and_compute(ThreadSimilarityV1, inputs, folds=2)[1].collect())


# Distinct texts of the training documents that hold each stem: four posts and three comments, none twice.
_IDF = {
    stem: log((1 + 7) / (1 + holding)) + 1
    for stem, holding in {"visa": 4, "cost": 3, "for": 1, "family": 2, "of": 1}.items()
}


def test_subjects_are_compared_with_subjects(titles: dict[str, Row]) -> None:
    found = titles["Q1_R1"]
    assert (found.subject_words_jaccard, found.subject_words_answered, found.subject_words_repeated) == (
        2 / 3,
        1.0,
        2 / 3,
    )
    assert found.subject_bigrams_jaccard == 0.0
    # "visa cost" holds 7 runs of three characters, "cost of visa" 10; "vis", "isa", "cos", "ost" are in both.
    assert found.subject_char3_jaccard == 4 / (7 + 10 - 4)
    assert found.subject_lengths == pytest.approx(log(4 / 3))
    assert found.same_subject == 0.0
    assert found.subject_edits == pytest.approx(1 - 9 / 12)


def test_subjects_are_compared_by_the_rarity_of_their_stems(titles: dict[str, Row]) -> None:
    found = titles["Q1_R1"]
    asked, said = sqrt(_IDF["visa"] ** 2 + _IDF["cost"] ** 2), _IDF["visa"] ** 2 + _IDF["cost"] ** 2 + _IDF["of"] ** 2
    assert found.subject_cosine == pytest.approx(asked / sqrt(said))
    assert found.subject_covered == 1.0
    whole = sum(_IDF[stem] for stem in ("visa", "cost", "for", "family"))
    assert found.query_covered == pytest.approx((_IDF["visa"] + _IDF["cost"]) / whole)


def test_equal_subjects(titles: dict[str, Row]) -> None:
    found = titles["Q1_R2"]
    assert found.same_subject == found.subject_edits == found.subject_char3_jaccard == 1.0
    assert found.subject_cosine == pytest.approx(1.0)


def test_a_candidate_without_a_subject_is_left_out(titles: dict[str, Row]) -> None:
    assert sorted(titles) == ["Q1_R1", "Q1_R2", "Q1_R3"]


def test_comments_below_a_question_are_looked_at_together(threads: dict[str, Row]) -> None:
    found = threads["Q1_R1"]
    query = {stem: _IDF[stem] for stem in ("visa", "cost", "for", "family")}
    said = sqrt(_IDF["family"] ** 2 + _IDF["visa"] ** 2)
    first = said / sqrt(sum(idf**2 for idf in query.values()))
    assert found.query_cosine_max == found.query_cosine_first == pytest.approx(first)
    assert found.query_cosine_mean == pytest.approx(first / 2)
    assert found.query_covered_max == pytest.approx((_IDF["family"] + _IDF["visa"]) / sum(query.values()))
    assert found.subject_covered_max == pytest.approx(_IDF["visa"] / (_IDF["visa"] + _IDF["cost"]))
    assert found.touched == 1 / 2
    assert found.log_comments == pytest.approx(log(3))


def test_a_thread_that_does_not_speak_of_the_query(threads: dict[str, Row]) -> None:
    found = threads["Q1_R2"].asDict()
    assert found.pop("log_comments") == pytest.approx(log(2))
    assert {value for name, value in found.items() if name not in ("site", "query_id", "candidate_id")} == {0.0}


def test_a_candidate_without_comments_is_left_out(threads: dict[str, Row]) -> None:
    assert sorted(threads) == ["Q1_R1", "Q1_R2"]


@pytest.mark.parametrize("group", [TitleSimilarityV1, ThreadSimilarityV1])
def test_partitions_and_saving_change_no_digit(spark: SparkSession, tmp_path: Path, group: type) -> None:
    fitted, values = fit_and_compute(group, _inputs(spark, 7), folds=2)
    again = compute_values(reloaded_group(fitted, tmp_path), _inputs(spark, 1))
    assert sorted(values.collect()) == sorted(again.collect())
