from datetime import UTC, datetime

import pytest

from cqa_spark.corpora.qatar_living.threads import (
    LAYOUT_2015,
    LAYOUT_2015_ARABIC,
    LAYOUT_2015_TRIAL,
    LAYOUT_2016,
    LAYOUT_SUBTASK_E,
    Layout,
    ThreadRow,
    UnreadableThread,
    parse_thread,
)

QUESTION = '<RelQuestion RELQ_ID="Q1_R2"><RelQSubject>s</RelQSubject><RelQBody>b</RelQBody></RelQuestion>'


def parse(text: str | bytes, layout: Layout = LAYOUT_2016) -> ThreadRow:
    return parse_thread(text if isinstance(text, bytes) else text.encode(), layout)


def test_every_attribute_and_text_of_the_layout_of_2016() -> None:
    row = parse(
        '<OrgQuestion ORGQ_ID="Q1"><OrgQSubject>os</OrgQSubject><OrgQBody>ob</OrgQBody>\r\n'
        '<Thread THREAD_SEQUENCE="Q1_R2" SubtaskA_Skip_Because_Same_As_RelQuestion_ID="Q0_R9">'
        '<RelQuestion RELQ_ID="Q1_R2" RELQ_RANKING_ORDER="2" RELQ_CATEGORY="Visas" RELQ_DATE="2010-08-27 01:38:59" '
        'RELQ_USERID="U1" RELQ_USERNAME="ana" RELQ_RELEVANCE2ORGQ="PerfectMatch">'
        "<RelQSubject>s &amp; t</RelQSubject><RelQBody>one\r\ntwo</RelQBody></RelQuestion>"
        '<RelComment RELC_ID="Q1_R2_C1" RELC_DATE="2010-08-28 02:00:00" RELC_USERID="U2" RELC_USERNAME="ben" '
        'RELC_RELEVANCE2ORGQ="Bad" RELC_RELEVANCE2RELQ="Good"><RelCText>c</RelCText></RelComment>'
    )
    assert row == {
        "thread_id": "Q1_R2",
        "same_as": "Q0_R9",
        "original": {"original_id": "Q1", "subject": "os", "body": "ob"},
        "ranking_order": 2,
        "relevance": "PerfectMatch",
        "user_id": "U1",
        "user_name": "ana",
        "created_at": datetime(2010, 8, 27, 1, 38, 59, tzinfo=UTC),
        "category": "Visas",
        "subject": "s & t",
        "body": "one\ntwo",
        "score": None,
        "tags": None,
        "view_count": None,
        "answers": [],
        "comments": [
            {
                "comment_id": "Q1_R2_C1",
                "position": 1,
                "user_id": "U2",
                "user_name": "ben",
                "created_at": datetime(2010, 8, 28, 2, tzinfo=UTC),
                "score": None,
                "body": "c",
                "to_related": "Good",
                "to_original": "Bad",
            }
        ],
    }


def test_answers_metadata_and_labels_of_subtask_e() -> None:
    row = parse(
        '<OrgQuestion ORGQ_ID="2"><OrgQSubject>os</OrgQSubject><OrgQBody>ob</OrgQBody><Thread THREAD_SEQUENCE="2_R6">'
        '<RelQuestion RELQ_CATEGORY="android" RELQ_ID="2_R6" RELQ_RANKING_ORDER="4" RELQ_RELEVANCE2ORGQ="Related" '
        'RELQ_SCORE="-1" RELQ_TAGS="root,usb debugging" RELQ_USERID="33" RELQ_USERNAME="" RELQ_VIEWCOUNT="1054">'
        "<RelQSubject>s</RelQSubject><RelQBody>b</RelQBody></RelQuestion>"
        '<RelComment RELC_ID="2_R6_C1" RELC_SCORE="3" RELC_RELEVANCE2ORGQ=""><RelCText>c</RelCText></RelComment>'
        '<RelAnswer RELA_ACCEPTED="1" RELA_DATE="2015-10-28 03:01:27" RELA_ID="2_R6_A5" RELA_RELEVANCE2ORGQ="" '
        'RELA_SCORE="7" RELA_USERID="61" RELA_USERNAME=""><RelAText>a</RelAText>'
        '<RelAComment RELAC_ID="2_R6_A5_C9" RELAC_SCORE="0" RELAC_USERID="15"><RelACText>ac</RelACText></RelAComment>'
        "</RelAnswer>",
        LAYOUT_SUBTASK_E,
    )
    assert (row["relevance"], row["score"], row["view_count"]) == ("Related", -1, 1054)
    assert row["tags"] == ["root", "usb debugging"]
    assert [(comment["comment_id"], comment["score"]) for comment in row["comments"]] == [("2_R6_C1", 3)]
    (answer,) = row["answers"]
    (comment,) = answer.pop("comments")
    assert answer == {
        "answer_id": "2_R6_A5",
        "user_id": "61",
        "user_name": None,
        "created_at": datetime(2015, 10, 28, 3, 1, 27, tzinfo=UTC),
        "score": 7,
        "body": "a",
        "accepted": True,
    }
    assert (comment["comment_id"], comment["position"], comment["body"]) == ("2_R6_A5_C9", 1, "ac")


@pytest.mark.parametrize(("layout", "label"), [(LAYOUT_2016, "Related"), (LAYOUT_SUBTASK_E, "Relevant")])
def test_labels_of_the_other_subtask_are_refused(layout: Layout, label: str) -> None:
    text = f'<Thread><RelQuestion RELQ_ID="Q1_R2" RELQ_RELEVANCE2ORGQ="{label}"/>'
    with pytest.raises(UnreadableThread, match=f"RELQ_RELEVANCE2ORGQ is '{label}'; known labels: PerfectMatch, "):
        parse(text, layout)


def test_missing_attributes_and_question_marks_are_unknown() -> None:
    row = parse(f'<Thread>{QUESTION}<RelComment RELC_ID="C1" RELC_RELEVANCE2RELQ="?"/>')
    assert row["original"] is row["user_id"] is row["category"] is row["ranking_order"] is row["same_as"] is None
    comment = row["comments"][0]
    assert comment["to_related"] is comment["to_original"] is comment["body"] is comment["created_at"] is None


def test_the_multi_line_text_comes_before_its_cleansed_copy() -> None:
    row = parse(
        '<Thread><RelQuestion RELQ_ID="Q1"><RelQBody>a,\nb</RelQBody><RelQClean>s // a; b</RelQClean></RelQuestion>'
        '<RelComment RELC_ID="C1"><RelCBody>c,\nd</RelCBody><RelCClean>c; d</RelCClean></RelComment>'
    )
    assert row["body"] == "a,\nb"
    assert row["comments"][0]["body"] == "c,\nd"


def test_later_threads_of_an_original_question_know_it_by_their_id() -> None:
    row = parse('<Thread><RelQuestion RELQ_ID="Q12_R7" RELQ_RELEVANCE2ORGQ="?"/>')
    assert row["original"] == {"original_id": "Q12", "subject": None, "body": None}


def test_the_layout_of_2015_with_its_six_labels() -> None:
    labels = ["Good", "Potential", "Bad", "Dialogue", "Not English", "Other", "?"]
    comments = "".join(
        f'<Comment CID="Q9_C{n}" CUSERID="U{n}" CGOLD="{label}"><CSubject>RE</CSubject><CBody>c{n}</CBody></Comment>'
        for n, label in enumerate(labels)
    )
    row = parse(
        '<Question QID = "Q9" QCATEGORY = "Visas" QDATE = "2010-08-27 01:38:59" QUSERID = "U1" QTYPE = "GENERAL" '
        f'QGOLD_YN = "Not Applicable"><QSubject>s</QSubject><QBody>b</QBody>{comments}',
        LAYOUT_2015,
    )
    assert (row["thread_id"], row["user_id"], row["category"], row["subject"], row["body"]) == (
        "Q9", "U1", "Visas", "s", "b",
    )  # fmt: skip
    assert row["original"] is None
    assert [comment["to_related"] for comment in row["comments"]] == [
        "Good", "PotentiallyUseful", "Bad", "Bad", "Bad", "Bad", None,
    ]  # fmt: skip
    assert row["comments"][1]["body"] == "c1"


def test_the_trial_layout_of_2015() -> None:
    labels = ["good", "bad", "potential", "author", "dialogue", "Not English", "other"]
    comments = "".join(
        f'<Comment CID = "Q1_C{n}" UID = "U{n}" CREATED = "2013-01-01 11:0{n}:24" ANNOTATION = "{label}">'
        f"<Subject> s </Subject><Body> c{n} </Body></Comment>"
        for n, label in enumerate(labels)
    )
    row = parse(
        '<Question QID = "Q1" UID = "U1" CATEGORY = "Visas" CREATED = "2013-01-01 10:34:05" QTYPE = "GENERAL">'
        f"<Short_Question> s </Short_Question><Full_Question> b </Full_Question>{comments}",
        LAYOUT_2015_TRIAL,
    )
    assert (row["thread_id"], row["user_id"], row["category"], row["subject"], row["body"]) == (
        "Q1", "U1", "Visas", " s ", " b ",
    )  # fmt: skip
    assert row["created_at"] == datetime(2013, 1, 1, 10, 34, 5, tzinfo=UTC)
    assert [comment["to_related"] for comment in row["comments"]] == [
        "Good", "Bad", "PotentiallyUseful", "Bad", "Bad", "Bad", "Bad",
    ]  # fmt: skip
    assert (row["comments"][1]["user_id"], row["comments"][1]["body"]) == ("U1", " c1 ")
    assert row["comments"][1]["created_at"] == datetime(2013, 1, 1, 11, 1, 24, tzinfo=UTC)


def test_the_arabic_layout_of_2015_reads_year_day_month_and_names_within_answers() -> None:
    row = parse(
        '<Question QID = "20831" QCATEGORY = "فقه > الطهارة" QDATE = "2002-13-08"><QSubject>s</QSubject>'
        '<QBody>b</QBody><Answer CID = "1" CGOLD = "direct">a <NE>b</NE> c</Answer>'
        '<Answer CID = "2" CGOLD = "related">d</Answer><Answer CID = "3" CGOLD = "irrelevant">e</Answer>'
        '<Answer CID = "4" CGOLD = "?">f</Answer>',
        LAYOUT_2015_ARABIC,
    )
    assert row["created_at"] == datetime(2002, 8, 13, tzinfo=UTC)
    assert [(comment["body"], comment["to_related"]) for comment in row["comments"]] == [
        ("a b c", "Good"), ("d", "PotentiallyUseful"), ("e", "Bad"), ("f", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<Thread><RelQuestion RELQ_ID="Q1" RELQ_DATE="2009-21-09"/>',
         "RELQ_DATE is '2009-21-09', not a time that starts with year-month-day"),
        ('<Thread><RelQuestion RELQ_ID="Q1" RELQ_DATE="soon"/>', "RELQ_DATE is 'soon', not a time"),
        ("<Thread>", "the Thread element has no RelQuestion element"),
        ("<Thread><RelQuestion/>", "the RelQuestion element has no RELQ_ID"),
        (f"<Thread>{QUESTION}<RelComment/>", "the RelComment element has no RELC_ID"),
        (f'<Thread>{QUESTION}<RelComment RELC_ID="C1"/><RelComment RELC_ID="C1"/>',
         "several comments of the thread have the id C1"),
        (f'<Thread>{QUESTION}<RelComment RELC_ID="C1" RELC_RELEVANCE2RELQ="Great"/>',
         "RELC_RELEVANCE2RELQ is 'Great'; known labels: Good"),
        ('<Thread><RelQuestion RELQ_ID="Q1_R1" RELQ_RANKING_ORDER="second"/>',
         "RELQ_RANKING_ORDER is 'second', not a whole number of at most 9 digits"),
        ('<Thread><RelQuestion RELQ_ID="7" RELQ_RANKING_ORDER="2"/>', "does not name the original question"),
        ('<Thread><RelQuestion RELQ_ID="Q1&#9;R2"/>', r"RELQ_ID is 'Q1\\tR2'; an id must not contain white space"),
        ('<Thread><RelQuestion RELQ_ID="Q1 R2"/>', "RELQ_ID is 'Q1 R2'; an id must not contain white space"),
        (f'<Thread>{QUESTION}<RelComment RELC_ID="C1" RELC_DATE="0001-01-01 00:00:00"/>',
         "RELC_DATE is '0001-01-01 00:00:00', not a time from 1970 to 2199"),
        (f'<Thread>{QUESTION}<RelComment RELC_ID="C1&#10;C2"/>',
         r"RELC_ID is 'C1\\nC2'; an id must not contain white space"),
        ("<OrgQuestion ORGQ_ID='Q1\u20282'><Thread>" + QUESTION,
         r"ORGQ_ID is 'Q1\\u20282'; an id must not contain white space"),
        ("<OrgQuestion><Thread>" + QUESTION, "the OrgQuestion element has no ORGQ_ID"),
        (f"<Thread>{QUESTION}&lol9;", "the thread refers to an entity, which is not allowed: Entity 'lol9'"),
        ('<Thread><RelQuestion RELQ_ID="&x;"/>', "the thread refers to an entity, which is not allowed"),
        (b"<Thread><RelQuestion RELQ_ID='\xff'/>", "byte 30 of the record is not valid UTF-8"),
        (f"<Thread>{QUESTION}<RelComment>", "not well-formed XML: Opening and ending tag mismatch"),
        ("<Thread>\x01", "not well-formed XML: .*, line 1 of the record"),
    ],
)  # fmt: skip
def test_what_is_no_thread_is_refused_with_its_reason(text: str | bytes, reason: str) -> None:
    with pytest.raises(UnreadableThread, match=reason):
        parse(text)
