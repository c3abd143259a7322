"""The tables that steps read for feature groups."""

import pytest

from cqa_spark.features.inputs import Cut
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.table import Table
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.feature_inputs import as_cut, text_tables

WORDS, VECTORS, COUNTS = "lexicon_v2", "sentence_similarity_v1", "basic_u_asof_v1"


@pytest.mark.parametrize(
    ("groups", "words", "tables"),
    [
        ([COUNTS], False, ()),
        ([COUNTS], True, (DOCUMENTS, TEXTS)),
        ([COUNTS, WORDS], False, (DOCUMENTS, TEXTS)),
        ([VECTORS, COUNTS], False, (DOCUMENTS, TEXTS, EMBEDDINGS)),
        ([], False, ()),
    ],
)
def test_texts_and_vectors_are_read_if_a_group_or_the_ranker_does(
    groups: list[str], words: bool, tables: tuple[Table, ...]
) -> None:
    assert text_tables(groups, words=words) == tables


def test_the_cut_is_that_of_the_settings() -> None:
    assert as_cut(FeatureSettings(cut="answer", cut_hours=6)) == Cut("answer", 6)
