import csv
import gzip
import io
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cqa_spark.corpora.text_pairs.layouts import (
    DUPLICATE,
    QUESTION_PAIRS,
    QUESTIONS_WITHOUT_HEADER,
    SENTENCE_PAIRS,
    SENTENCES_WITHOUT_HEADER,
    SIMILARITY,
    UnknownLayout,
    gold_path,
    recognize,
    set_ids,
    set_name,
    without_notices,
)
from cqa_spark.corpora.text_pairs.pairs import PairRow, near_pair_keys, read_pairs, same_pair_key
from cqa_spark.corpora.whole_files import DamagedFile
from cqa_spark.errors import InputError


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("main-news\tMSRpar\t2012test\t0001\t4.400\tA man.\tTwo men.", "STS Benchmark"),
        ("4.400\tA man.\tTwo men.", "scored sentences"),
        ("\tA man.\tTwo men.", "scored sentences"),
        ("A man.\tTwo men.", "STS input"),
        ("如何学Java\t怎么学Java", "STS input"),
        ("A man.\tTwo men.\thttps://example.org\tStackExchange Network: a", "STS input"),
    ],
)
def test_the_first_line_shows_the_layout(line: str, name: str) -> None:
    assert recognize(line, SENTENCES_WITHOUT_HEADER, (SIMILARITY,)).layout.name == name


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("duplicate\tHow?\tHow so?", "labelled questions"),
        ("False\tHow?\tHow so?", "labelled questions"),
        ("How?\tHow so?", "questions"),
    ],
)
def test_the_first_line_shows_whether_questions_have_labels(line: str, name: str) -> None:
    assert recognize(line, QUESTIONS_WITHOUT_HEADER, (DUPLICATE,)).layout.name == name


BOY, CHILD = "A boy kicks a ball.", 'A "child", they say, kicks.'


@pytest.mark.parametrize(
    ("name", "header", "cells", "similarity", "unread"),
    [
        ("STS Benchmark of GLUE",
         "index,genre,filename,year,old_index,source1,source2,sentence1,sentence2,score",
         ["0", "main-captions", "MSRvid", "2012test", "0001", "none", "none", BOY, CHILD, "4.600"], 4.6,
         ("index", "genre", "filename", "year", "old_index", "source1", "source2")),
        ("STS Benchmark of GLUE", "index,genre,filename,year,old_index,source1,source2,sentence1,sentence2",
         ["0", "main-captions", "MSRvid", "2012test", "0001", "none", "none", BOY, CHILD], None,
         ("index", "genre", "filename", "year", "old_index", "source1", "source2")),
        ("STS Benchmark of GLUE", "sentence1,sentence2,score", [BOY, CHILD, "5"], 5.0, ()),
        ("SICK", "pair_ID,sentence_A,sentence_B,relatedness_score,entailment_judgment",
         ["1", BOY, CHILD, "4.2", "NEUTRAL"], 4.0, ("pair_ID", "entailment_judgment")),
        ("SICK", "pair_ID,sentence_A,sentence_B", ["1", BOY, CHILD], None, ("pair_ID",)),
        ("MSRP", "Quality,#1 ID,#2 ID,#1 String,#2 String", ["1", "70", "80", BOY, CHILD], 5.0, ("#1 ID", "#2 ID")),
        ("Quora", "id,qid1,qid2,question1,question2,is_duplicate", ["0", "1", "2", BOY, CHILD, "0"], 0.0,
         ("id", "qid1", "qid2")),
        ("Quora", "test_id,question1,question2", ["0", BOY, CHILD], None, ("test_id",)),
        ("PAWS", "id,sentence1,sentence2,label", ["1", BOY, CHILD, "1"], 5.0, ("id",)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("order", ["as published", "reversed"])
@pytest.mark.parametrize("spelling", ["plain", "capitals, byte order mark and CR LF", "quoted", "commas", "gzip"])
def test_a_header_shows_the_columns_in_any_order_and_spelling(
    name: str,
    header: str,
    cells: list[str],
    similarity: float | None,
    unread: tuple[str, ...],
    order: str,
    spelling: str,
) -> None:
    names = header.split(",")
    if order == "reversed":
        names, cells, unread = names[::-1], cells[::-1], unread[::-1]
    quoted = [f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in cells]
    content = {
        "plain": "\t".join(names) + "\n" + "\t".join(cells) + "\n",
        "capitals, byte order mark and CR LF": "\ufeff" + "\t".join(names).upper() + "\r\n" + "\t".join(cells) + "\r\n",
        "quoted": "\t".join(f'"{each}"' for each in names) + "\n" + "\t".join(quoted),
        "commas": ",".join(names) + "\n" + ",".join(quoted),
        "gzip": "\t".join(names) + "\n" + "\t".join(cells),
    }[spelling].encode()
    read = read_pairs(gzip.compress(content) if spelling == "gzip" else content, SENTENCE_PAIRS)
    (row,) = read.rows
    assert (read.layout.layout.name, read.layout.unread) == (name, unread)
    assert (row.one, row.other) == (BOY, CHILD)
    assert (row.label, row.problem, row.line) == (None if similarity is None else str(similarity), None, 2)
    assert (read.lines, read.not_rows) == (2, 1)


def test_duplicates_with_a_header_have_the_labels_of_related_questions() -> None:
    content = (
        b"id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n0\t1\t2\tWhy?\tWhy so?\t1\n1\t3\t4\tHow?\tWhen?\t0\n"
    )
    assert [row.label for row in read_pairs(content, QUESTION_PAIRS).rows] == ["PerfectMatch", "Irrelevant"]


QUORA = "id\tquestion1\tquestion2\tis_duplicate\n"


def test_quoted_cells_may_span_lines_and_keep_their_offsets() -> None:
    content = QUORA + '7\t"Why\nso ""late""?"\tHow?\t1\r\n8\tWho?\tWhen?\t0\n'
    read = read_pairs(content.encode(), QUESTION_PAIRS)
    assert [(row.line, row.byte_offset, row.one) for row in read.rows] == [
        (2, 36, 'Why\nso "late"?'),
        (4, 65, "Who?"),
    ]
    assert (read.lines, read.not_rows) == (4, 2)


def test_blank_lines_below_a_header_are_no_pairs() -> None:
    for texts in ("A.\tB.", '"A."\tB.'):
        read = read_pairs(f"sentence1\tsentence2\n{texts}\n\n{texts}\r\n\r\n".encode(), SENTENCE_PAIRS)
        assert [(row.line, row.one) for row in read.rows] == [(2, "A."), (4, "A.")]
        assert (read.lines, read.not_rows) == (5, 3)


def test_a_quote_that_is_text_does_not_join_lines() -> None:
    content = QUORA + '7\t"Why\tA?\t1\n8\tHow"\tB?\t0\n9\t"Who?"\tC?\t0\n'
    assert [row.one for row in read_pairs(content.encode(), QUESTION_PAIRS).rows] == ['"Why', 'How"', '"Who?"']


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), min_size=1), st.sampled_from("\t,"))
def test_what_csv_writes_is_read(pairs: list[tuple[str, str]], delimiter: str) -> None:
    texts = [tuple(f"a{text}a".replace("\r", " ") for text in pair) for pair in pairs]
    assume(not any("\n" in text and "\t" in text for pair in texts for text in pair))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([("question1", "question2"), *texts])
    assert [(row.one, row.other) for row in read_pairs(stream.getvalue().encode(), SENTENCE_PAIRS).rows] == texts


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it is empty"),
        ("\ufeff\n \n", "it is empty"),
        (QUORA, "it has the header of Quora and no pairs"),
        ("text_a\ttext_b\nOne dog.\tTwo dogs.\n", "first line: text_a<TAB>text_b"),
        ("Sentence 1\tSentence 2\nOne dog.\tTwo dogs.\n", "first line: Sentence 1<TAB>Sentence 2"),
        ("gold\ta\tb\n1\tOne dog.\tTwo dogs.\n", "first line: gold<TAB>a<TAB>b"),
        ("id\ta\tb\tgold\n1\tOne dog.\tTwo dogs.\t4\n", "first line: id<TAB>a<TAB>b<TAB>gold"),
        ("split\tsentence1\tsentence2\tscore\n", "the header of STS Benchmark of GLUE has no column split"),
        ("One dog.\tTwo dogs.\t4.5\n", "first line: One dog.<TAB>Two dogs.<TAB>4.5"),
        ("One dog.\tTwo dogs.\tENTAILMENT\n", "its layout is unknown"),
        ("1\tOne dog.\tTwo dogs.\t4.5\tNEUTRAL\n", "its layout is unknown"),
        ("6\tOne dog.\tTwo dogs.\n", "its layout is unknown"),
        ("4.5,One dog.,Two dogs.\n", "first line: 4.5,One dog.,Two dogs."),
        ('{"sentence1": "One dog.", "sentence2": "Two dogs."}\n', 'first line: {"sentence1"'),
        ("<html><p>Not found", "its layout is unknown"),
        ("\x00P\x00K\t\x03", "its layout is unknown"),
        ("".join(f"{n}\tDog {n}.\tCat {n}.\n" for n in range(13)),
         "7 of 13 lines do not fit its first line, which has the columns of scored sentences; line 7: the score is"),
        ("sentence1\tsentence2\n" + "1\tOne dog.\n2\tTwo dogs.\n", "a column of texts has no letters"),
        ("One dog.\tTwo.\n" + "A.\tB.\t3\n" * 2, "2 of 3 lines do not fit its first line"),
    ],
)  # fmt: skip
def test_a_file_of_another_layout_is_refused(content: str, reason: str) -> None:
    with pytest.raises(UnknownLayout, match=re.escape(reason)):
        read_pairs(content.encode(), SENTENCE_PAIRS)


def test_the_known_layouts_are_listed() -> None:
    with pytest.raises(
        UnknownLayout, match=r"(?s)known layouts:.*questions: question<TAB>question.*SICK: pair_ID<TAB>"
    ):
        read_pairs(b"How?\tWhy?\t1\n", QUESTION_PAIRS)


def test_the_encoding_of_utf_16_is_named() -> None:
    with pytest.raises(UnknownLayout, match="it is UTF-16 text; convert it"):
        read_pairs("sentence1\tsentence2\nA.\tB.\n".encode("utf-16"), SENTENCE_PAIRS)


def test_scores_are_no_labels_of_duplicates() -> None:
    with pytest.raises(UnknownLayout, match="its labels, score, are a number from 0 to 5; --corpus sts reads them"):
        read_pairs(b"sentence1\tsentence2\tscore\nA.\tB.\t4\n", QUESTION_PAIRS)


@pytest.mark.parametrize(("damage", "reason"), [(slice(-9), "ended before"), (slice(11), "ended before")])
def test_a_truncated_archive_is_refused(damage: slice, reason: str) -> None:
    with pytest.raises(DamagedFile, match=reason):
        read_pairs(gzip.compress(b"A.\tB.\n")[damage], SENTENCE_PAIRS)


def test_pairs_of_questions_have_the_labels_of_related_questions() -> None:
    rows = read_pairs(b"duplicate\tA?\tB?\nfalse\tC?\tD?\n\tE?\tF?\nmaybe\tG?\tH?\n", QUESTION_PAIRS).rows
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
    assert read_pairs(content, SENTENCE_PAIRS).rows == [
        PairRow(
            1, 0, '3.2\tHe said "no\tShe "said" no', None, "3.2", 'He said "no', 'She "said" no', "hesaidno\nshesaidno"
        ),
        PairRow(2, 31, "\tA.\tB.", None, None, "A.", "B.", "a\nb"),
    ]


def test_columns_after_the_sentences_are_licences() -> None:
    line = b"main-news\theadlines\t2015\t0001\t5.000\tA.\tB.\thttp://a.org\tNews (b.org)"
    (row,) = read_pairs(line, SENTENCE_PAIRS).rows
    assert (row.label, row.one, row.other) == ("5.0", "A.", "B.")


def test_scores_of_an_official_input_are_in_a_file_of_their_own() -> None:
    rows = read_pairs(b"A.\tB.\nC.\tD.\nE.\tF.\n", SENTENCE_PAIRS, gold=b"4.5\n\n7\n").rows
    assert [(row.label, row.problem) for row in rows] == [
        ("4.5", None),
        (None, None),
        (None, "the score is '7', not a number from 0 to 5"),
    ]
    with pytest.raises(UnknownLayout, match="its gold file has 2 lines for 1 pairs"):
        read_pairs(b"A.\tB.\n", SENTENCE_PAIRS, gold=b"4.5\n3\n")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"", "the line has 1 columns; its file has score<TAB>sentence<TAB>sentence"),
        (b"6\tA.\tB.", "the score is '6', not a number from 0 to 5"),
        (b"1\tA.\tB.\t3", "the line has 4 columns; its file has score<TAB>sentence<TAB>sentence"),
        (b"1\tA.\t ", "one of the texts is empty"),
        (b"1\tA.\t\xff", "byte 5 of the line is not valid UTF-8"),
    ],
)
def test_other_lines_have_a_problem_and_keep_their_place(line: bytes, problem: str) -> None:
    first, broken = read_pairs(b"\xef\xbb\xbf1\tA.\tB.\n" + line + b"\n", SENTENCE_PAIRS).rows
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
