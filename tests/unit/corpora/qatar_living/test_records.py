import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.qatar_living import records as source
from cqa_spark.corpora.qatar_living.records import (
    ENDS_INSIDE,
    OUTSIDE,
    UNCLOSED,
    Chunk,
    Record,
    cut,
    parse_range,
    probe,
    read_chunks,
)
from cqa_spark.corpora.qatar_living.threads import LAYOUT_2016, LAYOUTS
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings

HEADER = b"""<?xml version="1.0"?>
<!-- a <comment> -->
<!DOCTYPE xml [
<!ELEMENT xml (OrgQuestion*)>
<!ENTITY bomb "boom">
]>
<xml version="1.0">
"""


def records(chunk: bytes) -> list[Record]:
    return list(cut(chunk, LAYOUT_2016))


def test_the_header_of_a_file_is_no_record() -> None:
    assert records(HEADER + b"<Thread>a") == [Record(len(HEADER), b"<Thread>a", ends_chunk=True)]


def test_a_record_starts_at_its_original_question() -> None:
    before = b"\r\n</OrgQuestion>\r\n"
    thread = b'<OrgQuestion ORGQ_ID="Q1"><OrgQBody>b</OrgQBody><Thread>a'
    assert records(before + thread) == [Record(len(before), thread, ends_chunk=True)]


def test_the_footer_of_a_file_is_no_record() -> None:
    assert records(b"\n</OrgQuestion>\n</xml>\n") == []


def test_text_outside_of_threads_is_a_record() -> None:
    assert records(b" stray <Thread>a") == [
        Record(0, b" stray ", ends_chunk=False, problem=OUTSIDE),
        Record(7, b"<Thread>a", ends_chunk=True),
    ]
    assert records(b"<html>") == []
    assert records(b"<html>hello") == [Record(0, b"<html>hello", ends_chunk=True, problem=OUTSIDE)]


def test_an_original_question_without_a_thread_is_a_record() -> None:
    remains = b'</OrgQuestion><OrgQuestion ORGQ_ID="Q2"><OrgQSub'
    assert records(remains) == [Record(0, remains, ends_chunk=True, problem=OUTSIDE)]


def test_a_thread_that_is_cut_does_not_take_the_next_one_with_it() -> None:
    assert records(b"<Thread>a<OrgQuestion><Thread>b") == [
        Record(0, b"<Thread>a", ends_chunk=False, problem=UNCLOSED),
        Record(9, b"<OrgQuestion><Thread>b", ends_chunk=True),
    ]


@pytest.mark.parametrize("start", [b"<!DOCTYPE a [", b"<!DOCTYPE ", b"<!--", b"<?xml "])
def test_many_starts_without_an_end_are_one_record(start: bytes) -> None:
    assert records(start * 8000) == [Record(0, start * 8000, ends_chunk=True, problem=OUTSIDE)]


PIECES = st.sampled_from([b"<Thread>", b"<Thread a='1'>", b"<OrgQuestion>", b"</OrgQuestion>", b"<xml>", b"text",
                          b"<Threads>", b"\n", b"\xff", b"<RelQuestion>", b"<!--", b"-->"])  # fmt: skip


@given(st.lists(PIECES).map(b"".join))
def test_records_stand_where_they_say_and_every_opening_tag_makes_one(chunk: bytes) -> None:
    found = records(chunk)
    assert all(chunk[record.offset : record.offset + len(record.text)] == record.text for record in found)
    assert [record.ends_chunk for record in found[:-1]] == [False] * len(found[:-1])
    openings = chunk.count(b"<Thread>") + chunk.count(b"<Thread a")
    assert sum(record.problem != OUTSIDE for record in found) == openings


CLOSING = b"</Thread>"


@given(st.lists(st.sampled_from([CLOSING, b"<", b"/Thread>", b"</Thre", b"text"])).map(b"".join), st.integers(1, 30))
def test_chunks_are_those_of_the_whole_file_whatever_the_ranges(content: bytes, size: int) -> None:
    *closed, rest = content.split(CLOSING)
    expected, offset = [], 0
    for text in closed:
        expected.append(Chunk(offset, text, is_closed=True))
        offset += len(text) + len(CLOSING)
    expected += [Chunk(offset, rest, is_closed=False)] * bool(rest)
    starts = range(0, len(content), size)
    chunks = [chunk for start in starts for chunk in read_chunks(io.BytesIO(content), start, start + size, CLOSING)]
    assert chunks == expected


def test_chunks_that_are_longer_than_what_is_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PIECE", 3)
    text = b"a long thread" * 9
    chunks = list(read_chunks(io.BytesIO(text + CLOSING + b"end"), 0, 5, CLOSING))
    assert chunks == [Chunk(0, text, is_closed=True)]


@pytest.mark.parametrize("garbage", [b"\x89PNG\r\n\x00\xff garbage", b"<html><p>Not found", b"a,b\n1,2\n", b""])
def test_a_file_without_threads_is_refused(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "garbage.xml"
    with pytest.raises(InputError, match=r"cannot read .*garbage\.xml"):
        probe(InputFile(str(path), "train"), LAYOUTS, ObjectStorageSettings())
    path.write_bytes(garbage)
    with pytest.raises(InputError, match=r"(?s)garbage.xml contains no thread\n.*expected: elements Thread, .*seen: "):
        probe(InputFile(str(path), "train"), LAYOUTS, ObjectStorageSettings())


THREAD = '<Thread><RelQuestion RELQ_ID="{}"><RelQSubject>s</RelQSubject><RelQBody>b</RelQBody></RelQuestion></Thread>'


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (THREAD.format("Q1") + THREAD.format("Q2"), [None, None]),
        (THREAD.format("Q1") + THREAD.format("Q2").removesuffix("</Thread>"), [None, ENDS_INSIDE]),
        ("\ufeff" + THREAD.format("Q1") + " text", [None, OUTSIDE]),
        (
            '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + THREAD.format("&x;"),
            ["the thread refers to"],
        ),
    ],
)
def test_records_are_counted_and_stand_where_they_say(tmp_path: Path, content: str, problems: list[str | None]) -> None:
    path = tmp_path / "threads.xml"
    path.write_text(content, encoding="utf-8")
    file = probe(InputFile(str(path), "train"), LAYOUTS, ObjectStorageSettings())
    (whole,) = file.ranges()
    *rows, counted = parse_range([file], ObjectStorageSettings(), 0, *whole)
    assert counted == {"record_count": len(problems)}
    starts = [row["problem"] and row["problem"][: len(str(start))] for row, start in zip(rows, problems, strict=True)]
    assert starts == problems
    assert all(path.read_bytes().startswith(row["raw"].encode(), row["byte_offset"]) for row in rows)
