"""Likelihoods of query and candidate as translations of each other."""

from math import log

import numpy as np
import pytest
from literal_batches import pairs_of, values
from literal_threads import Pair
from saved_folders import reloaded_group

from cqa_spark.errors import ContractError
from cqa_spark.features.groups.similarity.translation_probability import TranslationProbabilityV1
from cqa_spark.text.translation_model import TranslationModel

STEMS = ["car", "garage"]
BATCH = pairs_of([Pair("car", "", "garage garage"), Pair("plane", "", "garage"), Pair("car", "", "")])


def group_of(*cells: tuple[int, int, float]) -> TranslationProbabilityV1:
    return TranslationProbabilityV1(TranslationModel(STEMS, np.array(cells)))


@pytest.fixture(scope="module")
def group() -> TranslationProbabilityV1:
    return group_of((0, 1, 0.6), (1, 0, 0.9), (2, 0, 0.3), (2, 1, 0.2))


def test_the_empty_word_is_part_of_every_text(group: TranslationProbabilityV1) -> None:
    known, *unknown = values(group, BATCH)
    assert known["query"] == pytest.approx(log((2 * 0.9 + 0.3) / 3))
    assert known["candidate"] == pytest.approx(log((0.6 + 0.2) / 2))
    assert [(row["query"], row["candidate"]) for row in unknown] == [(None, None)] * 2


def test_what_was_learned_is_read_back(group: TranslationProbabilityV1, tmp_path) -> None:
    assert values(reloaded_group(group, tmp_path), BATCH) == values(group, BATCH)


@pytest.mark.parametrize("cell", [(3, 0, 0.5), (0, 2, 0.5), (-1, 0, 0.5), (0.5, 0, 0.5), (0, 1, -0.5)])
def test_probabilities_of_no_words_are_refused(cell: tuple[int, int, float], tmp_path) -> None:
    with pytest.raises(ContractError, match="words outside the vocabulary"):
        reloaded_group(group_of(cell), tmp_path)
