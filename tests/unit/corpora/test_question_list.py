"""Lines of question lists: entities, repeats, and what goes to the quarantine."""

from cqa_spark.corpora.question_list import read_records


def test_questions_without_entities_and_lines_that_are_none() -> None:
    lines = [
        b'{"qid": 7, "title": "&quot;A&quot; or B"}',
        b"",
        b'{"qid": "8", "title": "C", "body": "text"}',
        b"{broken",
        b"[1]",
        b'{"qid": 7, "title": "again"}',
        b'{"qid": true, "title": "no id"}',
        b'{"qid": 9}',
        b'{"qid": 10, "title": "\xff"}',
        b'{"id": 11, "question": "D"}',
        b"{}",
        b'{"qid": 12, "title": " "}',
    ]
    found = list(read_records(b"\r\n".join(lines), are_questions=True))
    assert [(each.post_id, each.title, each.body) for each in found if each.problem is None] == [
        ("7", '"A" or B', None),
        ("8", "C", "text"),
    ]
    assert [(each.byte_offset, each.problem) for each in found if each.problem] == [
        (89, "the line is not JSON"),
        (98, "the line is not a JSON object"),
        (103, "the record repeats an earlier one"),
        (133, "True is no id of a question"),
        (166, "the object has no title: it has qid"),
        (178, "the line is not JSON"),
        (205, "the object has no qid and no title: it has id, question"),
        (234, "the object has no qid and no title: it has nothing"),
        (238, "the title is not a text or empty, or the body is neither a text nor absent"),
    ]


def test_duplicates() -> None:
    found = list(read_records(b"2\t1\n2 \t1\n3\n2\t1\n", are_questions=False))
    assert [(each.post_id, each.related_id, each.problem) for each in found] == [
        ("2", "1", None),
        (None, None, "'2 ' is no id of a question"),
        (None, None, "the line has 1 columns, not question<TAB>earlier question"),
        (None, None, "the record repeats an earlier one"),
    ]
