"""Similarity by the vectors of words."""

from math import sqrt
from pathlib import Path

import pandas as pd
import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread
from saved_folders import reloaded_group

from cqa_spark.features.groups.similarity.embedding_similarity import EmbeddingSimilarityV1
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
