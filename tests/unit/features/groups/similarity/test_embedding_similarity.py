"""Similarity by the vectors of words."""

from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread
from saved_folders import reloaded_group, saved

from cqa_spark.errors import ContractError
from cqa_spark.features.groups.dialogue.sentence_context import SentenceContextV1
from cqa_spark.features.groups.quality.sentence_quality import SentenceQualityV1, ridge
from cqa_spark.features.groups.similarity.embedding_similarity import (
    MODEL,
    EmbeddingSimilarityV1,
    SentenceSimilarityV1,
)
from cqa_spark.features.groups.similarity.question_similarity import QuestionSimilarityV1
from cqa_spark.text.encoders.model import EmbeddingModel
from cqa_spark.text.word_vectors import TrainedOn, WordVectors

_VECTORS = WordVectors(
    pd.DataFrame(
        {
            "word": ["house", "villa", "flat"],
            "occurrences": [20, 10, 5],
            "document_frequency": [9, 9, 4],
            "vector": [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]],
        }
    ),
    TrainedOn(splits=["train"], unit="content_words", documents=9, occurrences=1000, sampled=9, common=[0.0, 0.0]),
)
_GROUP = EmbeddingSimilarityV1(_VECTORS)


def test_query_and_subject_are_compared_with_the_candidate() -> None:
    found, unknown = values(_GROUP, pairs_of([Pair("house", "villa", "flat"), Pair("house", "", "unheard")]))
    assert found["query_plain_cosine"] == pytest.approx(1.4 / sqrt(2))
    assert found["subject_plain_cosine"] == pytest.approx(0.6)
    assert found["subject_movers_distance"] == pytest.approx(sqrt(0.8))
    assert found["titles_plain_cosine"] is None
    assert {unknown[column.name] for column in EmbeddingSimilarityV1.columns} == {None}


def test_titles_are_compared_with_titles() -> None:
    threads = [Thread(name, None, [], question=f"{name} villa", subject=name) for name in ("house", "flat")]
    (found,) = values(_GROUP, batch_of(threads, [("house", "flat", "flat")]))
    assert found["titles_plain_cosine"] == pytest.approx(0.6)
    assert found["subject_plain_cosine"] == pytest.approx(0.6 / sqrt(0.36 + 1.8**2))


def test_other_queries_change_no_digit() -> None:
    said = [Said(None, text) for text in ("flat", "villa flat", "unheard", "house")]
    one, other = (Thread(name, None, said, question=text) for name, text in (("Q1", "house"), ("Q2", "villa flat")))
    apart = [row for thread in (one, other) for row in values(_GROUP, batch_of([thread]))]
    assert apart == values(_GROUP, batch_of([one, other]))


def test_what_is_saved_is_what_is_read(tmp_path: Path) -> None:
    batch = pairs_of([Pair("house", "villa", "flat")])
    assert values(reloaded_group(_GROUP, tmp_path), batch) == values(_GROUP, batch)


# Groups that compare embeddings, on vectors of two components.

EAST, NORTH, BETWEEN, WEST = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [-1.0, 0.0]
VERSION = EmbeddingModel.read(MODEL).version


def test_vectors_of_texts_that_have_none_are_not_known() -> None:
    batch = batch_of([Thread("Q1", None, [Said(None, "b"), Said(None, "c")])], vectors={"b": BETWEEN})
    found = batch.texts.vectors(MODEL)
    assert found.dtype == np.float32
    assert np.array_equal(found, np.array([BETWEEN, [np.nan] * 2, [np.nan] * 2], np.float32), equal_nan=True)


def test_pairs_without_any_vector_have_no_values() -> None:
    batch = batch_of([Thread("Q1", None, [Said(None, "b")], question="q")], vectors={})
    (only,) = values(SentenceSimilarityV1(VERSION), batch)
    assert [only[column.name] for column in SentenceSimilarityV1.columns] == [None] * 6


def test_a_comment_is_compared_with_its_question_and_with_the_other_comments() -> None:
    thread = Thread("Q1", None, [Said(None, "b"), Said(None, "c"), Said(None, "d")], question="q", subject="s")
    batch = batch_of([thread], vectors={"q": EAST, "s": NORTH, "b": BETWEEN, "c": WEST})
    first, second, third = values(SentenceSimilarityV1(VERSION), batch)
    assert first == {
        "query_id": "Q1",
        "candidate_id": "Q1_C1",
        "query_cosine": 0.6,
        "query_above_mean": 0.8,
        "query_place": 1.0,
        "subject_cosine": 0.8,
        "subject_above_mean": 0.4,
        "subject_place": 1.0,
    }
    assert (second["query_cosine"], second["query_above_mean"], second["query_place"]) == (-1.0, -0.8, 2.0)
    assert all(third[column.name] is None for column in SentenceSimilarityV1.columns)


def test_a_comment_is_compared_with_those_before_and_after_it() -> None:
    said = [Said("U1", "b"), Said("U3", "c"), Said("U1", "d")]
    batch = batch_of([Thread("Q1", "U1", said, question="q")], vectors={"q": EAST, "b": EAST, "c": BETWEEN, "d": NORTH})
    first, second, third = values(SentenceContextV1(VERSION), batch)
    names = [column.name for column in SentenceContextV1.columns]
    assert names == ["question", "centroid", "previous", "following", "earlier_most", "later_most", "asker_most"]
    assert [first[name] for name in names] == pytest.approx([1, 0.6 / 3.6**0.5, None, 0.6, None, 0.6, 0.0])
    assert [second[name] for name in names] == pytest.approx([0.6, 1.4 / 2**0.5, 0.6, 0.8, 0.6, 0.8, 0.8])
    assert [third[name] for name in names] == pytest.approx([0, 0.8 / 3.2**0.5, 0.8, None, 0.8, None, None])


def test_the_only_comment_of_a_thread_is_compared_with_its_question_alone() -> None:
    batch = batch_of([Thread("Q1", None, [Said(None, "b")], question="q")], vectors={"q": EAST, "b": WEST})
    (only,) = values(SentenceContextV1(VERSION), batch)
    assert [only[column.name] for column in SentenceContextV1.columns] == [-1.0, *[None] * 6]


def test_questions_are_compared_in_all_their_parts() -> None:
    asked = Thread("Q1", None, [], question="q", subject="s")
    related = Thread("R1", None, [Said(None, "b"), Said(None, "c")], question="r", subject="t")
    vectors = {"q": EAST, "s": NORTH, "r": EAST, "t": BETWEEN, "b": WEST, "c": BETWEEN}
    batch = batch_of([asked, related], [("Q1", "R1", "R1")], task="question_question", vectors=vectors)
    (row,) = values(QuestionSimilarityV1(VERSION), batch)
    assert [row[column.name] for column in QuestionSimilarityV1.columns] == pytest.approx(
        [0.8, 0.6, 1.0, 0.6, 0.0, 1.0, 0.6, -0.2, -1.0]
    )


def test_questions_without_any_comment_are_compared_in_their_other_parts() -> None:
    asked, related = (Thread(name, None, [], question=name, subject="s") for name in ("Q1", "R1"))
    vectors = {"Q1": EAST, "s": NORTH, "R1": BETWEEN}
    batch = batch_of([asked, related], [("Q1", "R1", "R1")], task="question_question", vectors=vectors)
    (row,) = values(QuestionSimilarityV1(VERSION), batch)
    names = ("subjects", "query_subject", "highest", "comment_most", "comment_mean", "comment_first")
    assert [row[name] for name in names] == [1.0, 0.0, 1.0, None, None, None]


def test_the_weights_of_the_rest_of_a_fold_do_not_depend_on_its_labels() -> None:
    random = np.random.default_rng(1)
    inputs = np.concatenate([np.ones((60, 1)), random.normal(size=(60, 4))], axis=1)
    fold, relevant = np.arange(60) % 3, inputs[:, 1] > 0
    found = ridge(inputs, relevant, fold, 3)
    assert len(found.on_rests) == 3
    flipped = ridge(inputs, np.where(fold == 1, ~relevant, relevant), fold, 3)
    assert found.on_rests[1] == pytest.approx(flipped.on_rests[1])
    assert np.abs(found.on_all - flipped.on_all).max() > 0.1
    assert found.on_all[:, 1].min() > 5 * np.abs(found.on_all[:, 2:]).max()  # the first component decides
    assert (found.on_all[0, 3:] == 0).all()  # of the comment alone


def test_a_saved_regression_gives_the_same_values(tmp_path: Path) -> None:
    dimension = EmbeddingModel.read(MODEL).dimension
    weights = np.zeros((2, 1 + 2 * dimension))
    weights[:, 0], weights[1, 1 + dimension] = 0.25, 1.0
    vectors = {"q": [1.0, *[0.0] * (dimension - 1)], "b": [0.5, *[0.0] * (dimension - 1)]}
    batch = batch_of([Thread("Q1", None, [Said(None, "b"), Said(None, "c")], question="q")], vectors=vectors)
    group = reloaded_group(SentenceQualityV1(VERSION, weights), tmp_path)
    first, second = values(group, batch)
    assert (first["comment"], first["pair"]) == pytest.approx((0.25, 0.25 + 0.5 * dimension))
    assert (second["comment"], second["pair"]) == (None, None)


def test_another_version_of_the_model_is_refused(tmp_path: Path) -> None:
    folder = saved(SentenceSimilarityV1("another"), tmp_path)
    with pytest.raises(ContractError, match="was trained with version another of the embedding model bge_small_en"):
        SentenceSimilarityV1.load(folder)
