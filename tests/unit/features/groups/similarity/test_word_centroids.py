"""Mean word vectors of query and candidate."""

from pathlib import Path

import pandas as pd
import pytest
from literal_batches import pairs_of, values
from literal_threads import Pair
from saved_folders import reloaded_group

from cqa_spark.features.groups.similarity.word_centroids import WordCentroidsV1
from cqa_spark.text.word_vectors import TrainedOn, WordVectors

_WORDS = pd.DataFrame(
    {
        "word": ["house", "villa", "flat"],
        "occurrences": [20, 10, 5],
        "document_frequency": [9, 9, 4],
        "vector": [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]],
    }
)
_GROUP = WordCentroidsV1(
    WordVectors(
        _WORDS, TrainedOn(splits=["train"], unit="words", documents=9, occurrences=35, sampled=9, common=[0.0, 0.0])
    )
)


def test_means_of_both_texts_and_their_cosine() -> None:
    (row,) = values(_GROUP, pairs_of([Pair("", "house", "flat flat villa")]))
    assert (row["query_0"], row["query_1"], row["query_2"]) == (1.0, 0.0, 0.0)
    assert (row["candidate_0"], row["candidate_1"]) == (pytest.approx(0.4), pytest.approx(2.6 / 3))
    assert row["cosine"] == pytest.approx(0.4 / (0.4**2 + (2.6 / 3) ** 2) ** 0.5)
    assert row["candidate_199"] == 0.0


def test_a_text_without_known_words_has_mean_and_cosine_0() -> None:
    (row,) = values(_GROUP, pairs_of([Pair("", "house", "unheard")]))
    assert (row["query_0"], row["candidate_0"], row["candidate_1"], row["cosine"]) == (1.0, 0.0, 0.0, 0.0)


def test_what_is_saved_is_what_is_read(tmp_path: Path) -> None:
    batch = pairs_of([Pair("house", "villa", "flat")])
    assert values(reloaded_group(_GROUP, tmp_path), batch) == values(_GROUP, batch)
