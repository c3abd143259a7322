"""Links, addresses, numbers, names and lengths of a pair."""

from math import log

import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread

from cqa_spark.features.groups.similarity.shared_entities import SharedThingsV1

_FULL = Pair(
    "Gym near Villaggio Mall , Doha",
    "see http://www.Gym.com/a. or mail Me@x.qa , 500 QR",
    "Ask at villaggio or Gym.COM/a , www.gym.com/a or http://y.org 44,123 and 500 QR me@x.qa you@x.qa",
)


@pytest.fixture(scope="module")
def found() -> dict[str, float]:
    return values(SharedThingsV1(), pairs_of([_FULL]))[0]


@pytest.mark.parametrize("thing", ["urls", "emails", "numbers"])
def test_one_thing_in_common_and_one_new(found, thing: str) -> None:
    # The bare "Gym.COM/a" is no address; "www.gym.com/a" and "http://www.Gym.com/a." are one.
    values = [found[f"{thing}_{measure}"] for measure in ("shared", "answered", "new")]
    assert values == pytest.approx([log(2), 1.0, log(2)])


def test_names_are_capitalised_words_inside_a_sentence(found) -> None:
    # The query names Villaggio, Mall, Doha, Me and QR; the candidate Gym and QR.
    assert found["names_shared"] == pytest.approx(log(2))
    assert found["names_answered"] == 1 / 5
    assert found["names_new"] == pytest.approx(log(2))


def test_names_are_mentioned_whatever_their_case(found) -> None:
    assert found["names_mentioned"] == 2 / 5  # villaggio and QR


def test_lengths_are_those_of_the_candidate_over_those_of_the_query(found) -> None:
    query, candidate = " ".join(f"{_FULL.subject} {_FULL.body}".split()), _FULL.comment
    assert found["chars_ratio"] == pytest.approx(log((1 + len(candidate)) / (1 + len(query))))
    # "," is no word.
    words = len(query.replace(",", "").split()), len(candidate.replace(" , ", " ").split())
    assert found["words_ratio"] == pytest.approx(log((1 + words[1]) / (1 + words[0])))
    assert found["sentences_ratio"] == 0.0


def test_an_empty_comment_shares_nothing() -> None:
    [found] = values(SharedThingsV1(), pairs_of([Pair("hello", "", "")]))
    assert found.pop("words_ratio") == pytest.approx(-log(2))
    assert found.pop("chars_ratio") == pytest.approx(-log(6))
    assert {found[name] for name in found if name not in ("query_id", "candidate_id")} == {0.0}


def test_a_pair_without_a_known_text_has_no_values() -> None:
    [found] = values(SharedThingsV1(), batch_of([Thread("Q1", None, [Said(None, "500")])]))
    assert {found[column.name] for column in SharedThingsV1.columns} == {None}
