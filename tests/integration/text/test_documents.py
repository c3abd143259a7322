"""Which text a post or comment has."""

from hashlib import sha256

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.lake.schemas.text import DOCUMENTS
from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.scripts import language_shares

_POST = "site string, post_id string, subject string, body string, split string"
_COMMENT = "site string, comment_id string, thread_id string, body string, split string"


def _key(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module")
def community(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    posts = [
        ("s", "Q1", "Visa", "How? ☺", "train"),
        ("s", "Q2", "Thanks", None, "dev"),
        ("s", "A1", None, "Thanks", "train"),
    ]
    comments = [
        ("s", "Q1_C1", "Q1", "Thanks", "train"),
        ("s", "Q1_C2", "Q1", None, "train"),
        ("t", "1", None, "Visa", "dev"),
    ]
    return spark.createDataFrame(posts, _POST), spark.createDataFrame(comments, _COMMENT)


def test_every_post_and_comment_names_its_text(community: tuple[DataFrame, DataFrame]) -> None:
    found = documents(*community)
    assert found.columns == [column.name for column in DOCUMENTS.columns]
    assert {tuple(row) for row in found.collect()} == {
        ("s", "Q1", _key("Visa\nHow? ☺"), _key("Visa"), "train"),
        ("s", "Q2", _key("Thanks"), _key("Thanks"), "dev"),
        ("s", "A1", _key("Thanks"), None, "train"),
        ("s", "Q1_C1", _key("Thanks"), None, "train"),
        ("s", "Q1_C2", _key(""), None, "train"),
        ("t", "comment 1", _key("Visa"), None, "dev"),
    }


def test_equal_texts_are_given_once(community: tuple[DataFrame, DataFrame]) -> None:
    found = sorted(tuple(row) for row in distinct_texts(*community).collect())
    assert found == sorted((_key(text), text) for text in ("", "Thanks", "Visa", "Visa\nHow? ☺"))


def test_every_named_text_is_given(community: tuple[DataFrame, DataFrame]) -> None:
    named = documents(*community)
    ids = named.select("text_id").union(named.select("subject_text_id").where("subject_text_id is not null"))
    assert ids.join(distinct_texts(*community), on="text_id", how="left_anti").count() == 0


def test_the_languages_of_a_split_are_known_by_letters_and_stop_words(spark: SparkSession) -> None:
    turkish = ["kediler", "evlerde", "eski", "minderler", "oturur", "uyur"]
    texts = [
        ("1", "the cat sat on a mat", ["the", "cat", "sat", "on", "a", "mat"], ["cat", "sat", "mat"]),
        ("2", "القط جالس على البساط في البيت", ["القط", "جالس", "على", "البساط", "في", "البيت"], ["القط"]),
        ("3", "kediler evlerde eski minderler oturur uyur", turkish, turkish),
        ("4", "bu bir deneme", ["bu", "bir", "deneme"], ["bu", "bir", "deneme"]),
    ]  # fmt: skip
    rows = [("train", "1"), ("train", "1"), ("train", "2"), ("train", "3"), ("test", "3"), ("test", "4")]
    found = language_shares(
        spark.createDataFrame(rows, "split string, text_id string"),
        spark.createDataFrame(texts, "text_id string, clean string, words array<string>, content_words array<string>"),
        len(rows),
    )
    assert found == {"train": {"en": 0.5, "ar": 0.25, "other": 0.25}, "test": {"other": 1.0}}
