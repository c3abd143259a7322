"""What a comment does, and whether it has the form that the question asks for."""

from __future__ import annotations

from literal_pairs import Pair, pairs_of
from pyspark.sql import SparkSession

from cqa_spark.features.featurize import compute_values
from cqa_spark.features.groups.text.speech_acts import SpeechActsV1

_PAIRS = [
    Pair("Bank charges", "How much do they take ?", "Try another bank , I think it takes 300"),
    Pair("Visa", "Where do I go , and when ?", "they went to the Souq in the morning"),
    Pair("Nothing", "of that kind", "lol"),
]
_EXPECTED = [
    {"opinion", "imperatives", "asks_how_much", "form_how_much", "form_which", "forms_fit", "forms_fit_share"},
    {"asks_where", "asks_when", "form_where", "form_when", "form_who", "form_which", "forms_fit", "forms_fit_share"},
    {"joke"},
]


def test_acts_questions_and_forms(spark: SparkSession) -> None:
    rows = sorted(compute_values(SpeechActsV1(), pairs_of(spark, _PAIRS)).collect())
    names = [column.name for column in SpeechActsV1.columns]
    assert [{name for name in names if row[name]} for row in rows] == _EXPECTED
    assert [row["forms_fit"] for row in rows] == [1.0, 2.0, 0.0]
    assert [row["forms_fit_share"] for row in rows] == [1.0, 1.0, 0.0]
    assert rows[0]["imperatives"] == 1.0
