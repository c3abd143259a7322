"""Attributes out of lines: what each line gives, and that a line which counts as a row is read as a parser reads it."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from cqa_spark.corpora.stackexchange.attributes import take_attributes
from cqa_spark.corpora.stackexchange.line_batches import NOT_A_ROW, ROW, SUSPECT, by_block, parse_batches

# Joined at random, they come to rows often enough.
PIECES = ["<row ", "  <row ", 'Id="', ' Id="', ' Body="', ' Odd="', '1" ', '"', '" />', "/>", "=", " ", "é𝄞"]
ODD = ["<", ">", "&lt;", "&amp;", "&amp;lt;", "&quot;", "&apos;", "&#xA;", "&#xD;", "&#65;", "&", ";", "'", "\t", "\0"]


def _rows(*lines: str) -> list[dict[str, str] | None]:
    """All attributes of every line, None where it is no sound row."""
    found = take_attributes(pa.array(lines, pa.string()), ["Id", "Body"])
    ids, bodies = (texts.to_pylist() for texts in found.known)
    return [
        {name: text for name, text in [("Id", row_id), ("Body", body), *(unknown or [])] if text is not None}
        if is_row
        else None
        for is_row, row_id, body, unknown in zip(found.is_row, ids, bodies, found.unknown.to_pylist(), strict=True)
    ]


def test_every_line_gives_its_own_attributes() -> None:
    assert _rows(
        '  <row Id="1" Body="&lt;p&gt;a&#xA;&quot;b&quot; &amp;amp; c&lt;/p&gt;" />',
        "<posts>",
        '<row Body="" />\r',
        '  <row Id="2" Strange="x &amp; y" Other="" Body="𝄞" />',
    ) == [
        {"Id": "1", "Body": '<p>a\n"b" &amp; c</p>'},
        None,
        {"Body": ""},
        {"Id": "2", "Strange": "x & y", "Other": "", "Body": "𝄞"},
    ]


@pytest.mark.parametrize(
    "line",
    [
        '<row Id="1" Id="1" />',
        '<row Id="1" Strange="1" Strange="1" />',
        '<row Id="a < b" />',
        '<row Id="a\tb" />',
        '<row Id="&apos;" />',
        '<row Id="&" />',
        '<row Strange="&#65;" />',
        "<row Id='1' />",
        '<row Id="1"/>',
        '<row Id="1" Body="2 />',
        '<row  Id="1" />',
        '<row Id ="1" />',
        '<row Id="1"Body="2" />',
        '<row 1="1" />',
        '<row Id="1" /> <row Id="2" />',
        '\t<row Id="1" />',
        "<row />",
    ],
)
def test_what_a_dumps_writer_never_writes_is_no_row(line: str) -> None:
    assert _rows('<row Id="1" />', line, '<row Body="2" />') == [{"Id": "1"}, None, {"Body": "2"}]


@given(st.lists(st.lists(st.sampled_from(PIECES + ODD), max_size=14).map("".join), max_size=5))
def test_a_row_is_read_as_a_parser_reads_it(lines: list[str]) -> None:
    taken = {line: attributes for line, attributes in zip(lines, _rows(*lines), strict=True) if attributes is not None}
    assert taken == {line: dict(etree.fromstring(line.encode()).attrib) for line in taken}


@given(st.dictionaries(st.from_regex(r"[A-Z][a-z]{1,8}", fullmatch=True), st.text("ab<>&\"'\n\r\té𝄞;#x ="), min_size=1))
def test_a_row_gives_what_was_written(attributes: dict[str, str]) -> None:
    escapes = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;", "\n": "&#xA;", "\r": "&#xD;", "\t": "&#x9;"})
    members = " ".join(f'{name}="{text.translate(escapes)}"' for name, text in attributes.items())
    assert _rows(f"  <row {members} />") == [attributes]


def test_lines_are_told_apart_whatever_their_bytes() -> None:
    lines = [b'<row Id="1" />', b'<row Id="\xff" />', b"<Posts>", b"", b"<!-- \xc3 -->", b"<!-- x -->", b"<users>"]
    batch = _parsed([lines])[0]
    kinds = [ROW, SUSPECT, NOT_A_ROW, NOT_A_ROW, NOT_A_ROW, NOT_A_ROW, SUSPECT]
    assert [column.to_pylist() for column in batch.columns[:3]] == [[0] * 7, [0] * 7, kinds]
    assert batch.column(4)[0].as_py() == "1"


ROW_1 = b'  <row Id="1" />'


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        ([b"<!--", b"a", b"-->", ROW_1], "---r"),
        ([b"<?xml version='1.0'?> <!-- a", ROW_1, b"b --> <!-- c", ROW_1, b"--> <posts>", ROW_1], "-----r"),
        ([b"<posts> <!-- a", b"</posts> &gt; \" ' -- > <!", b"--> \r", ROW_1], "---r"),
        ([b"<?a", ROW_1, b"?>", ROW_1], "---r"),
        ([b"<!DOCTYPE posts", b"[ <!ENTITY a '>'>", b"] >", ROW_1], "---r"),
        # A row beside markup is for the tolerant path, and so is markup that does not end.
        ([ROW_1 + b" <!-- a", ROW_1, b"-->", ROW_1], "s--r"),
        ([b"<!-- a", ROW_1, b"-->" + ROW_1, ROW_1], "--sr"),
        ([b"<!-- a", ROW_1, b" <!-- c", ROW_1, b"-->", ROW_1], "--s--r"),
        ([b"<!-- a", ROW_1, ROW_1], "--s"),
        ([b"<!-- a", ROW_1, b'<row Body="-->" />', ROW_1], "--sr"),
        ([b'<row Body="a <!-- b" />', ROW_1, b"-->"], "srs"),
    ],
)
def test_markup_over_several_lines(lines: list[bytes], kinds: str) -> None:
    marks = {ROW: "r", NOT_A_ROW: "-", SUSPECT: "s"}
    assert "".join(marks[kind] for kind in _parsed([lines])[0].column(2).to_pylist()) == kinds


def test_markup_goes_on_in_the_next_batch_of_its_block_only() -> None:
    of_batches = [batch.column(2).to_pylist() for batch in _parsed([[b"<!--", b"a"], [ROW_1, b"-->"], [b"<!--"]])]
    assert of_batches == [[NOT_A_ROW, SUSPECT], [NOT_A_ROW, NOT_A_ROW], [SUSPECT]]
    first, second = _parsed([[b"<!--"], [ROW_1]], blocks=[0, 1])
    assert (first.column(2).to_pylist(), second.column(2).to_pylist()) == ([SUSPECT], [ROW])


def test_files_may_have_roots_of_their_own() -> None:
    lines = [[b"<xml>", b"<posts>", ROW_1]]
    assert [_parsed(lines, file=file)[0].column(2).to_pylist() for file in (0, 7)] == [
        [SUSPECT, NOT_A_ROW, ROW],
        [NOT_A_ROW, SUSPECT, ROW],
    ]


def test_a_batch_is_divided_into_its_blocks() -> None:
    batch = pa.RecordBatch.from_pydict({"file": [1, 1, 2, 2], "block_start": [0, 8, 8, 8]})
    assert [(block, part.num_rows) for block, part in by_block([batch, batch.slice(0, 0)])] == [
        ((1, 0), 1),
        ((1, 8), 1),
        ((2, 8), 2),
    ]


def _parsed(batches: list[list[bytes]], blocks: Sequence[int] = (0, 0, 0), file: int = 0) -> list[pa.RecordBatch]:
    """Lines of one file; a column for file, block, kind, unknown attributes and the attribute Id."""
    given_batches = [
        pa.RecordBatch.from_pydict({"file": [file] * len(lines), "block_start": [block] * len(lines),
                                    "value": pa.array(lines).view(pa.string())})
        for lines, block in zip(batches, blocks, strict=False)
    ]  # fmt: skip
    return list(parse_batches("posts", {7: "xml"}, ["Id"], given_batches))


@pytest.mark.xfail(run=False, reason="the fast path accepts what an XML parser refuses or reads otherwise")
@pytest.mark.parametrize("line", ['<row Body="\ufffe" />', '<row Body="\uffff" />', '<row Body="&#xFFFE;" />',
                                  '<row Id="1" xmlns="a" />', '<row xmlns:a="b" a:Id="1" />'])  # fmt: skip
def test_what_a_parser_refuses_is_no_sound_row(line: str) -> None:
    assert _rows(line) == [None]


def test_no_lines_are_no_rows() -> None:
    assert _rows() == []
