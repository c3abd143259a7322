import pytest

from cqa_spark.corpora.cqa_md import QuestionAnswer, QuestionRecord, read_questions

QUESTION = (
    '<Question QID = "200427">\n<Qtext>ما هو؟</Qtext>\n'
    '<QApair QAID="12" QArel="I"><QAquestion>هل &gt; </QAquestion><QAanswer>نعم</QAanswer></QApair>\n'
    '<QApair QAID="7" QArel="D"><QAquestion>من</QAquestion><QAanswer/></QApair></Question>'
)
FILE = f'<?xml version="1.0"?>\n<!DOCTYPE xml [<!ELEMENT Question (Qtext, QApair*)>]>\n<xml>{QUESTION}\n</xml>'


def test_pairs_are_numbered_in_the_order_of_the_file() -> None:
    (record,) = read_questions(FILE.encode())
    assert record == QuestionRecord(
        FILE.encode().index(QUESTION.encode()),
        QUESTION,
        None,
        "200427",
        "ما هو؟",
        (QuestionAnswer("12", 1, "I", "هل >", "نعم"), QuestionAnswer("7", 2, "D", "من", "")),
    )


@pytest.mark.parametrize("label", ["?", ""])
def test_labels_of_test_files_are_unknown(label: str) -> None:
    (record,) = read_questions(FILE.replace('QArel="D"', f'QArel="{label}"').encode())
    assert [pair.label for pair in record.pairs] == ["I", None]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (('QArel="D"', 'QArel="Good"'), "QArel is 'Good'; known labels: D, R, I"),
        (('QAID="7"', 'QAID="12"'), "several pairs of the question have the id 12"),
        (('QAID="7"', 'QAID="7 8"'), "QAID of QApair is '7 8'; an id must be one word"),
        (("<QAanswer/>", ""), "the QApair element has no QAanswer element"),
        (("&gt;", "&evil;"), "the question is not well-formed XML"),
    ],
)
def test_damaged_questions_do_not_take_the_next_one_with_them(change: tuple[str, str], problem: str) -> None:
    damaged = QUESTION.replace(*change)
    broken, whole = read_questions(FILE.replace(QUESTION, f"{damaged}\n{QUESTION}").encode())
    assert broken.problem is not None
    assert broken.problem.startswith(problem)
    assert broken.raw == damaged
    assert whole.question_id == "200427"


def test_a_file_without_questions_is_a_record() -> None:
    assert list(read_questions(b"<xml/>")) == [QuestionRecord(0, "<xml/>", "the file has no Question element")]
