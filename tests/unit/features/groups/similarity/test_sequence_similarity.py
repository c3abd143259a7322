"""Wording in the same order; the measures themselves have tests of their own."""

from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread

from cqa_spark.features.groups.similarity.sequence_similarity import SequenceSimilarityV1
from cqa_spark.text.string_similarity import compare_sequences

_NAMES = [column.name for column in SequenceSimilarityV1.columns]


def _expected(side: str, one: str, other: str) -> dict[str, float]:
    found = compare_sequences(one.lower().split(), other.lower().split(), one.lower(), other.lower())
    return {f"{side}_{field}": similarity for field, similarity in found.items()}


def test_both_sides_are_compared_with_the_candidate() -> None:
    said = "You can buy a car in Doha"
    [found] = values(SequenceSimilarityV1(), pairs_of([Pair("Buy a car", "in doha today", said)]))
    expected = _expected("query", "Buy a car in doha today", said) | _expected("subject", "Buy a car", said)
    assert {name: found[name] for name in expected} == expected
    assert set(expected) == set(_NAMES)
    assert found["query_tiled"] == 2 * 5 / (6 + 7)
    assert found["subject_substring"] == 1.0


def test_an_empty_comment_repeats_nothing() -> None:
    [found] = values(SequenceSimilarityV1(), pairs_of([Pair("gym", "", "")]))
    assert {found[name] for name in _NAMES} == {0.0}


def test_a_missing_subject_is_repeated_nowhere_and_a_missing_question_is_not_known() -> None:
    said = [Said(None, "gym")]
    unasked, without_subject = values(
        SequenceSimilarityV1(), batch_of([Thread("Q1", None, said), Thread("Q2", None, said, question="gym")])
    )
    assert {unasked[name] for name in _NAMES} == {None}
    assert (without_subject["query_tiled"], without_subject["query_levenshtein"]) == (0.0, 1.0)
    assert {without_subject[name] for name in _NAMES if name.startswith("subject_")} == {0.0}
