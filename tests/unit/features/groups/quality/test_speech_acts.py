"""What counts as which phrase, by the library that the features are computed with."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread

from cqa_spark.features.groups.quality.speech_acts import (
    ACTS,
    ANSWERS,
    ENDS_IN_QUESTION_MARK,
    QUESTIONS,
    STARTS_IMPERATIVE,
    SpeechActsV1,
)

_SAID = {
    "starts_with_thanks": ("Thanks a lot for that.", "I got it. Thanks."),
    "starts_with_receipt": ("Ok, that helps", "That is ok"),
    "opinion": ("imho it is too far", "it is too far"),
    "experience": ("I've been there twice", "It has been there"),
    "advice": ("You should go early", "They went early"),
    "condition": ("only if you have a permit", "as if nothing was"),
    "reason": ("it is closed because of the heat", "it is closed"),
    "hedge": ("not so sure about it", "sure about it"),
    "certainty": ("Of course it is", "It is a course"),
    "wishes": ("Good luck with it", "Good work with it"),
    "polite": ("Could you tell me", "I could tell him"),
    "apology": ("Sorry, I meant Monday", "I meant Monday"),
    "disagreement": ("I don't think so", "I think so"),
    "agreement": ("as Ali mentioned before", "as before"),
    "insult": ("what an idiot", "what an idea"),
    "joke": ("hahaha nice one", "had a nice one"),
    "shares_problem": ("I have the same problem", "I have a problem"),
    "asks_back": ("Where do you live?", "I know where you live."),
    "offers": ("pm me for the number", "the number of the shop"),
    "about_forum": ("search the old threads on QL, this thread", "search the old town"),
}
_ASKED = {
    "how_much": ("How much is a litre?", "I like it much"),
    "where": ("Where can I get it?", "I get it"),
    "when": ("What time does it open?", "Does it open?"),
    "who": ("Does anybody know?", "Do you know?"),
    "which": ("Any suggestions for a doctor", "I see a doctor"),
    "how": ("How can I apply", "However I apply"),
    "why": ("Why is it so hot", "It is so hot"),
    "yes_no": ("Hi. Is it legal to do so?", "It is legal to do so."),
}
_ANSWERED = {
    "how_much": ("about 300 a month", "much a month"),
    "where": ("next to the bank", "a bank"),
    "when": ("from 9 am on", "from there on"),
    "who": ("call 5551 2345", "call them"),
    "which": ("try the first one", "not that one"),
    "how": ("first get a form", "no form"),
    "why": ("since it is hot", "it is hot"),
    "yes_no": ("Nope.", "I say nope."),
}


def _found(pattern: str, text: str) -> bool:
    [found] = pc.match_substring_regex(pa.array([text]), pattern, ignore_case=True).to_pylist()
    return found


@pytest.mark.parametrize("name", ACTS)
def test_acts(name: str) -> None:
    _, pattern = ACTS[name]
    yes, no = _SAID[name]
    assert _found(pattern, yes)
    assert not _found(pattern, no)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_kinds_of_questions_and_forms_of_answers(kind: str) -> None:
    for patterns, examples in ((QUESTIONS, _ASKED), (ANSWERS, _ANSWERED)):
        yes, no = examples[kind]
        assert _found(patterns[kind], yes)
        assert not _found(patterns[kind], no)


def test_every_kind_of_question_has_forms_of_answers() -> None:
    assert list(QUESTIONS) == list(ANSWERS)


@pytest.mark.parametrize(
    ("sentence", "starts"), [("Please try the souq", True), ("you can go there", True), ("I try", False)]
)
def test_orders_and_advice(sentence: str, starts: bool) -> None:
    assert _found(STARTS_IMPERATIVE, sentence) == starts


@pytest.mark.parametrize(("sentence", "asks"), [("Is it so ? )", True), ("Why? No", False), ("It is so .", False)])
def test_questions(sentence: str, asks: bool) -> None:
    assert _found(ENDS_IN_QUESTION_MARK, sentence) == asks


# What a comment does, and whether it has the form that the question asks for.

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
