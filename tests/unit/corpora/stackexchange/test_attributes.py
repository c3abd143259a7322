"""Attributes out of lines: what each line gives, and that a line which counts as a row is read as a parser reads it."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from cqa_spark.corpora.stackexchange.attributes import take_attributes
from cqa_spark.corpora.stackexchange.line_batches import NOT_A_ROW, ROW, SUSPECT, parse_batches

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
    values = pa.array(lines).view(pa.string())
    given_batch = pa.RecordBatch.from_arrays([pa.array(range(7)), values], ["number", "value"])
    (batch,) = parse_batches("posts", ["Id"], [given_batch])
    kinds = [ROW, SUSPECT, NOT_A_ROW, NOT_A_ROW, SUSPECT, NOT_A_ROW, SUSPECT]
    assert [column.to_pylist() for column in batch.columns[:2]] == [list(range(7)), kinds]
    assert batch.column(3)[0].as_py() == "1"


def test_no_lines_are_no_rows() -> None:
    assert _rows() == []
