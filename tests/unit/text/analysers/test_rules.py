import pyarrow as pa
import pytest

from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.text.analysers.rules import analysed, tokens_of


def row_of(clean: str) -> dict[str, object]:
    batch = pa.RecordBatch.from_pylist([{"text_id": "1", "raw": "raw", "clean": clean}])
    (found,) = analysed([batch])
    assert found.schema == to_arrow_schema(TEXTS.schema)
    (row,) = found.to_pylist()
    return row


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("", []),
        ("a  b", ["a", "b"]),
        ("(why not?)", ["(", "why", "not", "?)"]),
        ("well-known l'une 3.50 a,b", ["well-known", "l'une", "3.50", "a,b"]),
        ("--- ?! #1", ["---", "?!", "#1"]),
    ],
)
def test_tokens_have_no_punctuation_at_their_ends(sentence: str, expected: list[str]) -> None:
    assert [*tokens_of(sentence)] == expected


def test_words_have_letters_or_digits_at_their_ends_and_no_possessive() -> None:
    assert row_of("Dentist's PRICES' x''s 's #1 $5% [é] ²")["words"] == [
        "dentist",
        "prices",
        "x'",
        "s",
        "1",
        "5",
        "é",
        "²",
    ]


def test_stems_follow_content_words_and_bigrams_stay_within_sentences() -> None:
    row = row_of("The shops are running. You can see it")
    assert row["content_words"] == ["shops", "running", "see"]
    assert row["stems"] == ["shop", "run", "see"]
    assert row["bigrams"] == ["the shops", "shops are", "are running", "you can", "can see", "see it"]


def test_arabic_words_are_stemmed_lightly_and_others_beside_them_stay() -> None:
    assert row_of("والمعالجات بالادويه running")["stems"] == ["معالج", "ادو", "run"]
