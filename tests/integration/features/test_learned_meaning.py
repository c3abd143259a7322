"""Similarity by topics, and word vectors that are learned from texts."""

from pathlib import Path

import numpy as np
import pytest
from literal_community import pairs_of
from literal_threads import Pair
from pyspark.sql import Row, SparkSession
from saved_folders import reloaded_group
from single_groups import compute_values, fit_and_compute

from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.groups.doc2vec import Doc2VecV1
from cqa_spark.features.groups.similarity.topic_similarity import TopicSimilarityV2
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.training_data import LEARNED_FROM, learned_texts
from cqa_spark.text.word_vectors import WordVectors, compare_meaning

_FOOD = ("rice", "dates", "fish", "lamb", "bread", "tea")
_VISAS = ("visa", "permit", "stamp", "sponsor", "passport", "fee")


def _said(words: tuple[str, ...], number: int) -> str:
    """Four of six words, in an order that is another for each of the numbers."""
    return " ".join(words[(number * 5 + step * (1 + number % 2)) % 6] for step in range(4))


_PAIRS = (
    *[Pair(_said(_FOOD, n), _said(_FOOD, n + 3), _said(_FOOD, n + 7)) for n in range(12)],
    *[Pair(_said(_VISAS, n), _said(_VISAS, n + 3), _said(_VISAS, n + 7)) for n in range(12)],
    Pair("rice lamb", "", "bread tea", split="dev"),
    Pair("rice lamb", "", "sponsor fee", split="dev"),
    Pair("rice lamb", "", "unheard", split="dev"),
    Pair("rice lamb", "", "rice lamb", split="dev"),
)


def _inputs(spark: SparkSession, partitions: int) -> FeatureInputs:
    return pairs_of(spark, _PAIRS, partitions)


@pytest.fixture(scope="module")
def fitted(spark: SparkSession) -> tuple[FeatureGroup, dict[str, Row]]:
    group, values = fit_and_compute(TopicSimilarityV2, _inputs(spark, 1), folds=2)
    return group, {row.query_id: row for row in values.collect()}


def test_what_is_of_a_kind_is_more_alike(fitted: tuple[FeatureGroup, dict[str, Row]]) -> None:
    _, rows = fitted
    assert rows["Q25"].query_cosine > rows["Q26"].query_cosine + 0.2
    assert rows["Q28"].query_cosine == pytest.approx(1.0)


def test_what_has_no_known_word_is_not_known(fitted: tuple[FeatureGroup, dict[str, Row]]) -> None:
    group, rows = fitted
    assert {rows["Q27"][column.name] for column in group.columns} == {None}


def test_partitions_and_saving_change_no_digit(
    spark: SparkSession, fitted: tuple[FeatureGroup, dict[str, Row]], tmp_path: Path
) -> None:
    group, rows = fitted
    spread = _inputs(spark, 7)
    again, values = fit_and_compute(type(group), spread, folds=2)
    assert {row.query_id: row for row in values.collect()} == rows
    read = compute_values(reloaded_group(again, tmp_path), spread)
    assert {row.query_id: row for row in read.collect()} == rows


@pytest.fixture(scope="module")
def vectors(spark: SparkSession) -> WordVectors:
    return WordVectors.learn(learned_texts(_inputs(spark, 1)), "content_words", LEARNED_FROM)


def test_word_vectors_name_what_they_were_learned_from(vectors: WordVectors) -> None:
    assert vectors.trained_on.splits == ["train", "unannotated"]
    assert vectors.trained_on.unit == "content_words"
    texts = {text for pair in _PAIRS[:24] for text in (f"{pair.subject}\n{pair.body}", pair.comment)}
    assert vectors.trained_on.documents == vectors.trained_on.sampled == len(texts)
    assert sorted(vectors.words["word"]) == sorted(_FOOD + _VISAS)
    assert np.linalg.norm(vectors.vocabulary.vectors, axis=1) == pytest.approx(1.0)


def test_words_of_a_kind_have_vectors_of_a_kind(vectors: WordVectors) -> None:
    food, tea, visa = (vectors.vocabulary.bag(words.split()) for words in ("rice lamb", "bread tea", "sponsor fee"))
    assert food is not None
    assert tea is not None
    assert visa is not None
    close, far = compare_meaning(food, [tea, visa], vectors.common)["plain_cosine"]
    assert close > far + 0.2


def test_partitions_change_no_digit_of_word_vectors(spark: SparkSession, vectors: WordVectors) -> None:
    again = WordVectors.learn(learned_texts(_inputs(spark, 7)), "content_words", LEARNED_FROM)
    assert again.trained_on == vectors.trained_on
    assert again.vocabulary.words == vectors.vocabulary.words
    assert (again.vocabulary.vectors == vectors.vocabulary.vectors).all()


def test_too_few_texts_teach_no_word_vectors(spark: SparkSession) -> None:
    vectors = WordVectors.learn(learned_texts(pairs_of(spark, _PAIRS[:1])), "content_words", LEARNED_FROM)
    assert vectors.vocabulary.bag(["rice"]) is None


@pytest.mark.neural
def test_partitions_and_saving_change_no_digit_of_paragraph_vectors(spark: SparkSession, tmp_path: Path) -> None:
    _, values = fit_and_compute(Doc2VecV1, _inputs(spark, 1), folds=2)
    rows = {row.query_id: row for row in values.collect()}
    again, values = fit_and_compute(Doc2VecV1, _inputs(spark, 5), folds=2)
    assert {row.query_id: row for row in values.collect()} == rows
    read = compute_values(reloaded_group(again, tmp_path), _inputs(spark, 1))
    assert {row.query_id: row for row in read.collect()} == rows
    assert rows["Q28"]["query_0"] == rows["Q25"]["query_0"] == rows["Q28"]["candidate_0"]
    assert rows["Q27"]["candidate_0"] is None
