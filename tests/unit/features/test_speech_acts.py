"""What a comment does, and whether it has the form that the question asks for."""

from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread

from cqa_spark.features.groups.quality.speech_acts import SpeechActsV1

_NAMES = [column.name for column in SpeechActsV1.columns]


def test_acts_questions_and_forms() -> None:
    rows = values(
        SpeechActsV1(),
        pairs_of(
            [
                Pair("Bank charges", "How much do they take ?", "Try another bank , I think it takes 300"),
                Pair("Visa", "Where do I go , and when ?", "they went to the Souq in the morning"),
                Pair("Nothing", "of that kind", "lol"),
            ]
        ),
    )
    assert [{name for name in _NAMES if row[name]} for row in rows] == [
        {"opinion", "imperatives", "asks_how_much", "form_how_much", "form_which", "forms_fit", "forms_fit_share"},
        {
            "asks_where",
            "asks_when",
            "form_where",
            "form_when",
            "form_who",
            "form_which",
            "forms_fit",
            "forms_fit_share",
        },
        {"joke"},
    ]
    assert [row["forms_fit"] for row in rows] == [1.0, 2.0, 0.0]
    assert [row["forms_fit_share"] for row in rows] == [1.0, 1.0, 0.0]
    assert rows[0]["imperatives"] == 1.0


def test_a_question_without_a_text_asks_nothing() -> None:
    [row] = values(SpeechActsV1(), batch_of([Thread("Q1", None, [Said(None, "Where is it ?")])]))
    assert {name for name in _NAMES if row[name]} == {"questions"}


def test_a_comment_without_a_text_has_no_values() -> None:
    thread = Thread("Q1", None, [], question="Where is it ?")
    [row] = values(SpeechActsV1(), batch_of([thread], [("Q1", "Q1_C9", "Q1")]))
    assert {row[name] for name in _NAMES} == {None}
