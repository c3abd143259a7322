"""What the language pipeline makes of texts."""

from __future__ import annotations

import pytest
from pyspark.sql import Row, SparkSession

from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.text.pipeline import analyse

_ARRAYS = ("sentences", "tokens", "words", "content_words", "stems", "bigrams")
_QUESTION = "Dentist's prices?\nI don't know!! Mr. Smith's \"shops\" are running... see www.x.com :)"
_TEXTS = {"question": _QUESTION, "marks": "?! ...", "empty": "", "blank": " \n ", "abroad": "नमस्ते दुनिया। Crème brûlée"}
_TEXTS["arabic"] = "والمعالجات بالأدوية، لا شيء"


@pytest.fixture(scope="module")
def analysed(spark: SparkSession) -> dict[str, Row]:
    frame = spark.createDataFrame(list(_TEXTS.items()), "text_id string, raw string")
    found = analyse(frame)
    assert found.schema.simpleString() == TEXTS.schema.simpleString()
    return {row.text_id: row for row in found.collect()}


def test_a_question_with_everything(analysed: dict[str, Row]) -> None:
    found = analysed["question"]
    assert found.raw == _QUESTION
    assert found.clean == "Dentist's prices?\nI don't know! Mr. Smith's \"shops\" are running … see urltoken smiletoken"
    assert found.sentences == [
        "Dentist's prices?",
        "I don't know!",
        'Mr. Smith\'s "shops" are running … see urltoken smiletoken',
    ]
    assert found.tokens == [
        "dentist's",
        "prices",
        "?",
        "i",
        "don't",
        "know",
        "!",
        "mr",
        ".",
        "smith's",
        '"',
        "shops",
        '"',
        "are",
        "running",
        "…",
        "see",
        "urltoken",
        "smiletoken",
    ]
    assert found.words == [
        "dentist",
        "prices",
        "i",
        "don't",
        "know",
        "mr",
        "smith",
        "shops",
        "are",
        "running",
        "see",
        "urltoken",
        "smiletoken",
    ]
    assert found.content_words == [
        "dentist",
        "prices",
        "know",
        "mr",
        "smith",
        "shops",
        "running",
        "see",
        "urltoken",
        "smiletoken",
    ]
    assert found.stems == ["dentist", "price", "know", "mr", "smith", "shop", "run", "see", "urltoken", "smiletoken"]
    assert found.bigrams == [
        "dentist prices",
        "i don't",
        "don't know",
        "mr smith",
        "smith shops",
        "shops are",
        "are running",
        "running see",
        "see urltoken",
        "urltoken smiletoken",
    ]


def test_marks_alone_hold_no_words(analysed: dict[str, Row]) -> None:
    found = analysed["marks"]
    assert found.tokens == ["?!", "…"]
    assert found.words == found.content_words == found.stems == found.bigrams == []


@pytest.mark.parametrize("text_id", ["empty", "blank"])
def test_an_empty_text_has_empty_arrays(analysed: dict[str, Row], text_id: str) -> None:
    assert analysed[text_id].clean == ""
    assert [analysed[text_id][array] for array in _ARRAYS] == [[]] * len(_ARRAYS)


def test_words_of_other_scripts_stay_whole(analysed: dict[str, Row]) -> None:
    assert analysed["abroad"].words == ["नमस्ते", "दुनिया", "crème", "brûlée"]


def test_arabic_words_are_spelled_alike_and_stemmed_lightly(analysed: dict[str, Row]) -> None:
    assert analysed["arabic"].words == ["والمعالجات", "بالادويه", "لا", "شيء"]
    assert analysed["arabic"].stems == ["معالج", "ادو", "لا", "شيء"]


def test_the_number_of_partitions_changes_nothing(spark: SparkSession, analysed: dict[str, Row]) -> None:
    frame = spark.createDataFrame(list(_TEXTS.items()), "text_id string, raw string").repartition(16)
    assert {row.text_id: row for row in analyse(frame).collect()} == analysed
