from __future__ import annotations

import pytest

from cqa_spark.corpora.text_pairs.kinds import QUESTION_PAIRS, SENTENCE_PAIRS
from cqa_spark.corpora.text_pairs.layout import (
    BENCHMARK,
    INPUT,
    LABELLED,
    SCORED,
    UNLABELLED,
    Layout,
    layout_of_questions,
    layout_of_sentences,
)
from cqa_spark.corpora.text_pairs.notices import without_notices
from cqa_spark.corpora.text_pairs.pairs import PairRow, near_pair_keys, read_pairs, same_pair_key
from cqa_spark.corpora.text_pairs.set_names import gold_path, set_ids, set_name
from cqa_spark.errors import InputError


@pytest.mark.parametrize(
    ("line", "layout"),
    [
        ("main-news\tMSRpar\t2012test\t0001\t4.400\tA man.\tTwo men.", BENCHMARK),
        ("4.400\tA man.\tTwo men.", SCORED),
        ("\tA man.\tTwo men.", SCORED),
        ("A man.\tTwo men.", INPUT),
        ("A man.\tTwo men.\thttps://example.org\thttps://example.org", INPUT),
    ],
)
def test_the_first_line_shows_the_layout(line: str, layout: Layout) -> None:
    assert layout_of_sentences(line) is layout


@pytest.mark.parametrize(
    ("line", "layout"),
    [
        ("duplicate\tHow?\tHow so?", LABELLED),
        ("False\tHow?\tHow so?", LABELLED),
        ("How?\tHow so?", UNLABELLED),
    ],
)
def test_the_first_line_shows_whether_questions_have_labels(line: str, layout: Layout) -> None:
    assert layout_of_questions(line) is layout


def test_pairs_of_questions_have_the_labels_of_related_questions() -> None:
    rows = list(read_pairs(b"duplicate\tA?\tB?\nfalse\tC?\tD?\n\tE?\tF?\nmaybe\tG?\tH?\n", QUESTION_PAIRS))
    assert [row.label for row in rows] == ["PerfectMatch", "Irrelevant", None, None]
    assert rows[3].problem == "the label is 'maybe'; known labels: duplicate, true, 1, non-duplicate, false, 0"


def test_notices_of_duplicates_are_removed_with_the_title_that_follows() -> None:
    earlier = "how do i fix a broken package i see an error"
    later = "update fails possible duplicate how do i fix a broken package apt stops"
    assert without_notices(later, earlier) == ("update fails apt stops", earlier)
    assert without_notices(earlier, later) == (earlier, "update fails apt stops")
    assert without_notices("x possible duplicate how so", "how is it")[0] == "x how so"
    assert without_notices("Possible Duplicate: how do i", "HOW DO I open it")[0] == ""


def test_quotes_are_text_and_an_empty_score_is_none() -> None:
    content = b'3.2\tHe said "no\tShe "said" no\r\n\tA.\tB.\n'
    assert list(read_pairs(content, SENTENCE_PAIRS)) == [
        PairRow(
            1, 0, '3.2\tHe said "no\tShe "said" no', None, "3.2", 'He said "no', 'She "said" no', "hesaidno\nshesaidno"
        ),
        PairRow(2, 31, "\tA.\tB.", None, None, "A.", "B.", "a\nb"),
    ]


def test_columns_after_the_sentences_are_licences() -> None:
    line = b"main-news\theadlines\t2015\t0001\t5.000\tA.\tB.\tlicence\tlicence"
    (row,) = read_pairs(line, SENTENCE_PAIRS)
    assert (row.label, row.one, row.other) == ("5.0", "A.", "B.")


def test_scores_of_an_official_input_are_in_a_file_of_their_own() -> None:
    rows = list(read_pairs(b"A.\tB.\nC.\tD.\nE.\tF.\n", SENTENCE_PAIRS, gold=b"4.5\n\n"))
    assert [(row.label, row.problem) for row in rows] == [
        ("4.5", None),
        (None, None),
        (None, "the gold file has only 2 lines"),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"", "the line has 1 columns; its file has score<TAB>sentence<TAB>sentence"),
        (b"6\tA.\tB.", "the score is '6', not a number from 0 to 5"),
        (b"1\tA.\t ", "one of the texts is empty"),
        (b"1\tA.\t\xff", "byte 5 of the line is not valid UTF-8"),
    ],
)
def test_other_lines_have_a_problem_and_keep_their_place(line: bytes, problem: str) -> None:
    first, broken = read_pairs(b"\xef\xbb\xbf1\tA.\tB.\n" + line + b"\n", SENTENCE_PAIRS)
    assert first.one == "A."
    assert broken == PairRow(2, 11, line.decode("utf-8", "backslashreplace"), problem)


def test_case_punctuation_and_order_do_not_make_another_pair() -> None:
    assert same_pair_key("A man sings.", "Two men!") == same_pair_key("two men", "a man - sings")
    assert same_pair_key("A man", "B") != same_pair_key("A men", "B")
    assert same_pair_key("?", "!") != same_pair_key("?", ".")


def test_sets_have_the_names_of_official_files() -> None:
    assert set_name("STS.input.track5.en-en.txt") == set_name("STS2017.gs.track5.en-en.txt") == "track5.en-en"
    assert set_name("2014/OnWN.test.tsv") == "OnWN.test"
    assert gold_path("trial/STS.input.news.txt") == "trial/STS.gs.news.txt"
    assert gold_path("2014/OnWN.test.tsv") is None


def test_ids_of_sets_have_their_folder() -> None:
    assert set_ids(["2013/OnWN.tsv", "s3a://bucket/my sets/OnWN.tsv"]) == ["2013/OnWN", "my_sets/OnWN"]
    with pytest.raises(InputError, match="sets of the same name"):
        set_ids(["a/2013/OnWN.tsv", "b/2013/OnWN.tsv"])


LONG = ("A man is playing a large flute.", "A man plays the flute.")


@pytest.mark.parametrize(
    ("other", "is_near"),
    [
        (("a man plays the flute", "A man is playing a large flute"), True),
        (("A man is playing a small flute.", "A man plays the flute."), True),
        (("A man is playing a flute.", "A man plays the flute."), True),
        (("A man is playing a very large flute.", "A man plays the flute."), True),
        (("A man is playing a small flute.", "A man plays a flute."), False),
    ],
)
def test_pairs_that_differ_in_one_word_share_a_key(other: tuple[str, str], is_near: bool) -> None:
    assert (not set(near_pair_keys(*LONG)).isdisjoint(near_pair_keys(*other))) is is_near


def test_short_pairs_do_not_nearly_repeat_another() -> None:
    assert near_pair_keys("one two three four", "five six seven eight nine") == ()
    assert len(near_pair_keys("one two three four", "five six seven eight nine ten")) == 11
