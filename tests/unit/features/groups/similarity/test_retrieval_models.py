"""BM25, translation-based language model and soft cosine."""

from math import log, sqrt
from pathlib import Path

import pandas as pd
import pytest
from literal_batches import pairs_of, values
from literal_threads import Pair
from saved_folders import reloaded_group

from cqa_spark.features.groups.similarity.retrieval_models import RetrievalModelsV1
from cqa_spark.text.terms import Collection
from cqa_spark.text.word_vectors import TrainedOn, WordVectors

# "house" and "villa" have a cosine of 0.6, so a similarity of 0.36; "tax" has no vector, and "alone" no neighbours.
_WORDS = pd.DataFrame(
    {
        "word": ["house", "villa", "school", "alone"],
        "occurrences": [20, 10, 5, 5],
        "document_frequency": [9, 4, 4, 1],
        "vector": [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
    }
)
_TRAINED_ON = TrainedOn(
    splits=["train"], unit="content_words", documents=9, occurrences=40, sampled=9, common=[0.0, 0.0, 0.0]
)
_GROUP = RetrievalModelsV1(
    Collection({"house": 9, "villa": 4, "school": 4, "tax": 2}, 9, 40), WordVectors(_WORDS, _TRAINED_ON)
)
_SIZE = 9 + 4 + 4 + 2 + 5


def test_likelihood_by_hand() -> None:
    (row,) = values(_GROUP, pairs_of([Pair("", "villa tax", "house tax")]))
    villa = 0.9 * 5 / _SIZE + 0.1 * (0.1 * 0.36 / 2)
    tax = 0.9 * 3 / _SIZE + 0.1 * (0.9 / 2)
    assert row["log_likelihood"] == pytest.approx(log(villa) + log(tax))


def test_soft_cosine_by_hand_ignores_words_without_a_vector() -> None:
    (row,) = values(_GROUP, pairs_of([Pair("", "villa school tax", "house")]))
    villa, school = (log(10 / (1 + holding)) + 1 for holding in (4, 4))
    assert row["soft_cosine"] == pytest.approx(0.36 * villa / sqrt(villa**2 + school**2))


def test_bm25_counts_content_words_themselves() -> None:
    similar, same = values(_GROUP, pairs_of([Pair("", "villa", "house"), Pair("", "villa", "villa house")]))
    assert similar["bm25"] == 0.0
    assert same["bm25"] > 0.0


@pytest.mark.parametrize("candidate", ["", "unheard", "alone"])
def test_of_a_text_without_known_words_only_the_collection_speaks(candidate: str) -> None:
    (row,) = values(_GROUP, pairs_of([Pair("", "villa", candidate)]))
    assert (row["bm25"], row["soft_cosine"]) == (0.0, 0.0)
    assert row["log_likelihood"] == pytest.approx(log(0.9 * 5 / _SIZE))


def test_what_is_saved_is_what_is_read(tmp_path: Path) -> None:
    batch = pairs_of([Pair("house", "villa tax", "school house")])
    assert values(reloaded_group(_GROUP, tmp_path), batch) == values(_GROUP, batch)
