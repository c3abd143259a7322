"""Attributes out of lines: what each line gives, and that a line which counts as a row is read as a parser reads it."""

from random import Random
from xml.parsers import expat

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cqa_spark.corpora.stackexchange.scanner import ABSENT, MOST_LINES, MOST_UNKNOWN, Scanner
from cqa_spark.corpora.stackexchange.typed_columns import text_column

# Joined at random, they come to rows often enough.
PIECES = ["<row ", "  <row ", 'Id="', ' Id="', ' Body="', ' Odd="', '1" ', '"', '" />', "/>", "=", " ", "é𝄞"]
ODD = ["<", ">", "&lt;", "&amp;", "&amp;lt;", "&quot;", "&apos;", "&#xA;", "&#xD;", "&#65;", "&", ";", "'", "\t", "\0",
       "&#x10FFFF;", "&#xFFFE;", "&#xD800;", "&#0;", "&#;", "&#x;", "\ufffe", "xmlns", "\x7f", "\x85",
       "\u2028"]  # fmt: skip
NAMES = ("Id", "Body")
SCANNER = Scanner(NAMES)


def rows_of(*lines: bytes, separator: bytes = b"\n") -> list[dict[str, str] | None]:
    """All attributes of every line, None where it is no sound row."""
    text = separator.join(lines)
    rows: dict[int, dict[str, str]] = {}
    position = 0
    while position < len(text):
        scan = SCANNER.scan(text, position, len(text), separator[0])
        data = np.frombuffer(text, np.uint8)
        starts = scan.rows[:, 0].tolist()
        rows |= {start: {} for start in starts}
        for index, name in enumerate(NAMES):
            escaped = (scan.escaped >> index & 1).astype(np.bool_)
            columns = np.ascontiguousarray(scan.starts[:, index]), np.ascontiguousarray(scan.stops[:, index])
            for start, value in zip(starts, text_column(data, *columns, escaped).to_pylist(), strict=True):
                if value is not None:
                    rows[start][name] = value
        for row, name_start, name_stop, start, stop, is_escaped in scan.unknown.tolist():
            value = text_column(
                data, np.array([start], np.int32), np.array([stop], np.int32), np.array([is_escaped > 0])
            )
            rows[starts[row]][text[name_start:name_stop].decode()] = value[0].as_py()
        position = scan.end
    line_starts = np.cumsum([0, *[len(line) + 1 for line in lines]]).tolist()
    return [rows.get(start) if line else None for start, line in zip(line_starts, lines, strict=False)]


def by_parser(line: bytes) -> dict[str, str] | None:
    """The attributes of a row by expat; None for what is not one row."""
    found: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate("utf-8", namespace_separator="}")
    parser.StartElementHandler = lambda name, attributes: found.append((name, attributes))
    try:
        parser.Parse(line.strip(b" \r"), True)
    except expat.ExpatError:
        return None
    return found[0][1] if len(found) == 1 and found[0][0] == "row" else None


def test_every_line_gives_its_own_attributes() -> None:
    assert rows_of(
        b'  <row Id="1" Body="&lt;p&gt;a&#xA;&quot;b&quot; &amp;amp; c&lt;/p&gt;" />',
        b"<posts>",
        b'<row Body="" />\r',
        '  <row Id="2" Strange="x &amp; y" Other="" Body="𝄞 &apos;&#65;&#x1f37A;" />'.encode(),
    ) == [
        {"Id": "1", "Body": '<p>a\n"b" &amp; c</p>'},
        None,
        {"Body": ""},
        {"Id": "2", "Strange": "x & y", "Other": "", "Body": "𝄞 'A\U0001f37a"},
    ]


@pytest.mark.parametrize(
    "line",
    [
        '<row Id="1" Id="1" />',
        '<row Id="1" Strange="1" Strange="1" />',
        '<row Id="a < b" />',
        '<row Id="a\tb" />',
        '<row Id="&nbsp;" />',
        '<row Id="&" />',
        '<row Id="&lt" />',
        '<row Strange="&#x1F;" />',
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
        "<row ",
        '<row Id="1"',
        '<row Body="\ufffe" />',
        '<row Body="\uffff" />',
        '<row Body="&#xFFFE;" />',
        '<row Body="&#xD800;" />',
        '<row Body="&#x110000;" />',
        '<row Id="1" xmlns="a" />',
        '<row xmlns:a="b" a:Id="1" />',
    ],
)
def test_what_a_dumps_writer_never_writes_is_no_row(line: str) -> None:
    assert rows_of(b'<row Id="1" />', line.encode(), b'<row Body="2" />') == [{"Id": "1"}, None, {"Body": "2"}]
    assert rows_of(line.encode()) == [None]


@pytest.mark.parametrize(
    "value", [b"\xff", b"\xe9", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x9f\x8d", b"\xf4\x90\x80\x80"]
)
def test_what_is_no_text_is_no_row(value: bytes) -> None:
    assert rows_of(b'<row Id="1" Body="a' + value + b'" />', b'<row Id="2" />') == [None, {"Id": "2"}]


def test_a_row_has_few_attributes_without_a_column() -> None:
    names = [f'a{number}="{number}"' for number in range(MOST_UNKNOWN + 1)]
    lines = [f'<row Id="1" {" ".join(names[:count])} />'.encode() for count in (MOST_UNKNOWN, MOST_UNKNOWN + 1)]
    assert [row and len(row) for row in rows_of(*lines, *lines)] == [MOST_UNKNOWN + 1, None] * 2


def test_lines_are_told_apart() -> None:
    text = b'<row Id="1" />\n<posts>\n \t\r\n\n<!-- -->\n<row Id="2" />\n '
    scan = SCANNER.scan(text, 0, len(text), ord("\n"))
    kinds = [scan.rows[:, 0].tolist(), scan.suspect.tolist(), scan.blank.tolist(), scan.end]
    assert kinds == [[0, 37], [15, 28], [23, 27, 52], len(text)]
    assert scan.rows[:, 1].tolist() == [14, 51]
    assert scan.starts.tolist() == [[9, ABSENT], [46, ABSENT]]


def test_old_line_ends() -> None:
    assert rows_of(b'<row Id="1" />', b'  <row Id="2" />', separator=b"\r") == [{"Id": "1"}, {"Id": "2"}]


def test_a_scan_ends_at_its_last_line_whatever_its_lines_are() -> None:
    for line in (b"\n", b'<row A="1" />\n', b"x\n"):
        text = line * (MOST_LINES + 2)
        assert SCANNER.scan(text, 0, len(text), ord("\n")).end == MOST_LINES * len(line)
    assert (
        rows_of(*[b'<row Id="7" New="1" Other="2" Third="3" />'] * MOST_LINES)
        == [{"Id": "7", "New": "1", "Other": "2", "Third": "3"}] * MOST_LINES
    )


@given(st.lists(st.lists(st.sampled_from(PIECES + ODD), max_size=14).map("".join), max_size=5))
def test_a_row_is_read_as_a_parser_reads_it(lines: list[str]) -> None:
    encoded = [line.encode() for line in lines]
    read = {
        line: attributes for line, attributes in zip(encoded, rows_of(*encoded), strict=True) if attributes is not None
    }
    assert read == {line: by_parser(line) for line in read}


LINE = ('  <row Id="7" Body="&lt;p&gt;caf\u00e9 &amp;amp; &quot;x&quot; \U0001f37a&#xA;&#8217;&lt;/p&gt;" Odd="a|b" '
        'New="&lt;c&gt;" />').encode()  # fmt: skip


def mutated(random: Random) -> bytes:
    """A row with some bytes removed, repeated, replaced or exchanged."""
    line = bytearray(LINE)
    for _ in range(random.randint(1, 3)):
        start = random.randrange(len(line))
        stop = min(len(line), start + random.choice([1, 1, 2, 5, 20]))
        part = bytes(line[start:stop])
        other = random.choice([b"", part * 2, bytes([random.randrange(256)]), random.choice(PIECES + ODD).encode(),
                               bytes(line[: random.randrange(len(line))][-5:])])  # fmt: skip
        line[start:stop] = other.replace(b"\n", b" ")
    return bytes(line).replace(b"\n", b" ")


def compare_mutated_lines(count: int, seed: int) -> int:
    """Compare the scanner with a parser on mutated rows; return the number of those that are sound."""
    random = Random(seed)
    lines = [mutated(random) for _ in range(count)]
    rows = rows_of(*lines)
    for line, row in zip(lines, rows, strict=True):
        if row is not None:
            assert row == by_parser(line), line
    return sum(row is not None for row in rows)


def test_mutated_rows_are_read_as_a_parser_reads_them() -> None:
    assert compare_mutated_lines(2000, seed=1) > 150


@given(st.dictionaries(st.from_regex(r"[A-Z][a-z]{1,8}", fullmatch=True), st.text("ab<>&\"'\n\r\té𝄞;#x ="), min_size=1))
@example(dict.fromkeys([*NAMES, *(f"A{letter}" for letter in "abcdefghijklmnop")], ""))
def test_a_row_gives_what_was_written(attributes: dict[str, str]) -> None:
    escapes = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;", "\n": "&#xA;", "\r": "&#xD;", "\t": "&#x9;"})
    members = " ".join(f'{name}="{text.translate(escapes)}"' for name, text in attributes.items())
    is_left = len(attributes.keys() - set(NAMES)) > MOST_UNKNOWN
    assert rows_of(f"  <row {members} />".encode()) == [None if is_left else attributes]


def test_no_lines_are_no_rows() -> None:
    assert rows_of() == []
