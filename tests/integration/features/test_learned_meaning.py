"""Similarity by what is learned from texts: word vectors and topics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from literal_pairs import Pair, pairs_of
from pyspark.sql import Row, SparkSession
from saved_folders import reloaded_group, saved

from cqa_spark.errors import ContractError
from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.group import FittedFeatureGroup
from cqa_spark.features.groups.thread.embedding_similarity import EmbeddingSimilarityV1
from cqa_spark.features.groups.thread.topic_similarity import TopicSimilarityV1
from cqa_spark.features.inputs import FeatureInputs

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
_GROUPS = (EmbeddingSimilarityV1, TopicSimilarityV1)


def _inputs(spark: SparkSession, partitions: int) -> FeatureInputs:
    return pairs_of(spark, _PAIRS, partitions)


@pytest.fixture(scope="module", params=_GROUPS)
def fitted(spark: SparkSession, request: pytest.FixtureRequest) -> tuple[FittedFeatureGroup, dict[str, Row]]:
    group, values = fit_and_compute(request.param, _inputs(spark, 1), folds=2)
    return group, {row.query_id: row for row in values.collect()}


def test_what_is_of_a_kind_is_more_alike(fitted: tuple[FittedFeatureGroup, dict[str, Row]]) -> None:
    group, rows = fitted
    cosines = [column.name for column in group.columns if column.name in ("query_plain_cosine", "query_cosine")]
    for cosine in cosines:
        assert rows["Q25"][cosine] > rows["Q26"][cosine] + 0.2
        assert rows["Q28"][cosine] == pytest.approx(1.0)


def test_what_has_no_known_word_is_not_known(fitted: tuple[FittedFeatureGroup, dict[str, Row]]) -> None:
    group, rows = fitted
    assert {rows["Q27"][column.name] for column in group.columns} == {None}


def test_partitions_and_saving_change_no_digit(
    spark: SparkSession, fitted: tuple[FittedFeatureGroup, dict[str, Row]], tmp_path: Path
) -> None:
    group, rows = fitted
    spread = _inputs(spark, 7)
    again, values = fit_and_compute(type(group), spread, folds=2)
    assert {row.query_id: row for row in values.collect()} == rows
    read = compute_values(reloaded_group(again, tmp_path), spread)
    assert {row.query_id: row for row in read.collect()} == rows


def test_word_vectors_name_what_they_were_learned_from(fitted: tuple[FittedFeatureGroup, dict[str, Row]]) -> None:
    group, _ = fitted
    if isinstance(group, EmbeddingSimilarityV1):
        trained_on = group.vectors.trained_on.iloc[0]
        assert trained_on["splits"] == "train,unannotated"
        assert trained_on["unit"] == "content_words"
        texts = {text for pair in _PAIRS[:24] for text in (f"{pair.subject}\n{pair.body}", pair.comment)}
        assert trained_on["documents"] == trained_on["sampled"] == len(texts)
        assert sorted(group.vectors.words["word"]) == sorted(_FOOD + _VISAS)
        assert np.linalg.norm(group.vectors.vocabulary().vectors, axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("group", _GROUPS)
def test_too_few_texts_teach_nothing(spark: SparkSession, tmp_path: Path, group: type[FittedFeatureGroup]) -> None:
    fitted = group().fit(pairs_of(spark, _PAIRS[:1]))
    (row,) = compute_values(reloaded_group(fitted, tmp_path), pairs_of(spark, _PAIRS[:1])).collect()
    assert {row[column.name] for column in group.columns} == {None}


@pytest.mark.parametrize("group", _GROUPS)
def test_a_group_that_is_not_fitted_says_so(group: type[FittedFeatureGroup], tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="is not fitted"):
        saved(group(), tmp_path)
