"""Wherever a dump is divided into ranges and blocks, its rows are those of an XML parser, and nothing is lost."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import pytest
from lxml import etree

from cqa_spark.corpora.stackexchange import block_reader
from cqa_spark.corpora.stackexchange.block_reader import BlockReader
from cqa_spark.corpora.stackexchange.probe import BYTE_ORDER_MARK, RowLayout
from cqa_spark.corpora.stackexchange.recovery import Outcome
from cqa_spark.corpora.stackexchange.tables import BY_FILE, UNKNOWN

COMMENTS = BY_FILE["comments"]
# What is most likely to be taken for something else.
PIECES = ["a", "Zß", "é", "\u2028", "\x85", "\ufffd", "\U0001f37a", "\U0010ffff", " ", "  ", "\t", "\n", "\r", "\r\n",
          "\\", "\\u0041", '"', "'", "=", '="', '" ', ">", "<", "<row ", " />", "/>", "&", "&amp;", "&lt;", "&#xA;",
          ";", "#", "{", "}", '":"', '","', "Id=", "\x1f"]  # fmt: skip
ALWAYS = {"&": "&amp;", "<": "&lt;", '"': "&quot;"}
NAMES = ["Text", "UserDisplayName", "ContentLicense", "New", "new-er", "_x.1"]
DAMAGED = [b"junk", b"", b"<!-- comment -->", b"\xff", b'<row Id="-" />', b'  <row PostId="1" />',
           b'  <row Id="5" PostId="1" Text="a < b" />', b'  <row Id="5" PostId="1" Text="cut',
           b'  <row Id="5" Id="6" PostId="1" />']  # fmt: skip
NOT_ROWS = (b"", b"<!-- comment -->")


@dataclass
class Read:
    """What was read from a file.

    Attributes:
        lines: number of lines.
        rows: attributes by id.
        refused: records that are no rows.
        again: number of ranges that were read again.
    """

    lines: int = 0
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    refused: list[Outcome] = field(default_factory=list)
    again: int = 0


def read(content: bytes, edges: Sequence[int] = (), layout: RowLayout = RowLayout.ROW_PER_LINE) -> Read:
    """Read a file range by range, a range again if the one before it ended elsewhere than it begins."""
    result, position = Read(), 0
    for start, stop in zip([0, *edges], [*edges, None], strict=True):
        if stop is not None and position >= stop:
            continue
        reader = _reader(content, start, stop, layout, is_line_start=start == 0)
        found = _all_of(reader, content)
        if start and reader.begin != position:
            result.again += 1
            reader = _reader(content, position, stop, layout, is_line_start=True)
            found = _all_of(reader, content)
            assert reader.begin == position
        position = reader.end
        assert not result.rows.keys() & found.rows
        result.lines += found.lines
        result.rows |= found.rows
        result.refused += found.refused
    assert position == len(content)
    return result


def _reader(content: bytes, start: int, stop: int | None, layout: RowLayout, *, is_line_start: bool) -> BlockReader:
    stream = io.BytesIO(content[start - (not is_line_start) :])
    return BlockReader(stream, COMMENTS, "comments", layout, start, stop, is_line_start)


def _all_of(reader: BlockReader, content: bytes) -> Read:
    found = Read()
    for block in reader.blocks():
        found.lines += block.lines
        found.refused += block.refused
        for rows in block.rows:
            columns = {name: column.to_pylist() for name, column in rows.columns.items()}
            for number, (start, stop) in enumerate(rows.spans.tolist()):
                row = {attribute: columns[column][number] for attribute, column in COMMENTS.attributes.items()}
                assert row["Id"] == str(rows.ids[number])
                assert reader.text_of(start, stop).encode() == content[start:stop]
                known = {name: str(text) for name, text in row.items() if text is not None}
                found.rows[row["Id"]] = known | dict(columns[UNKNOWN][number] or [])
    for outcome in found.refused:
        assert content[outcome.offset :].startswith(outcome.raw)
    return found


@pytest.fixture(params=[1 << 24, 100, 1000])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of several sizes; lines may be longer."""
    monkeypatch.setattr(block_reader, "BLOCK", request.param)
    monkeypatch.setattr(block_reader, "MARGIN", min(request.param, 1 << 18))


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(("end", "marked"), [(b"\n", False), (b"\r\n", True), (b"\r", True)], ids=["LF", "CR LF", "CR"])
def test_rows_are_those_that_a_parser_finds(end: bytes, marked: bool) -> None:
    random = Random(len(end) + marked)
    content, rows, lines, refused = make(random, end, marked, rows=200)
    layout = RowLayout.ROW_PER_OLD_LINE if end == b"\r" else RowLayout.ROW_PER_LINE
    for _ in range(3):
        edges = sorted(random.sample(range(4, len(content)), 5))
        result = read(content, edges, layout)
        assert result.rows == rows
        assert (result.lines, len(result.refused)) == (lines, refused)


def test_every_edge_of_a_small_file() -> None:
    content = (
        b'<?xml version="1.0"?>\n<comments>\n<row Id="1" PostId="1" />\n<!-- a\n<row Id="8" PostId="1" />\n-->\n'
        b'<row Id="2" PostId="1"\n Text="x"\n/>\n<row Id="3" PostId="1" /> <!-- b\n--> <row Id="4" PostId="1" />\n'
        b"junk\n<?c\n<row Id='9' PostId='1' />?>\n<![CDATA[\n<row Id='7' PostId='1' />\n]]>\n"
        b'<!-- d\n<row Id="5" PostId="1" />\n</comments>'
    )
    whole = read(content)
    assert sorted(whole.rows) == ["1", "2", "3", "4", "5"]
    assert [outcome.problem for outcome in whole.refused] == [
        "there is text outside of any row", "StartTag: invalid element name, column 2", "a comment does not end",
    ]  # fmt: skip
    assert whole.lines == content.count(b"\n") + 1
    for edge in range(1, len(content)):
        result = read(content, [edge])
        assert (result.lines, result.rows, result.refused) == (whole.lines, whole.rows, whole.refused), edge
    for width in range(1, 40, 3):
        result = read(content, range(width, len(content), width))
        assert (result.lines, result.rows, result.refused) == (whole.lines, whole.rows, whole.refused), width


def test_a_range_that_begins_in_a_comment_is_read_again() -> None:
    content = (
        b"<comments>\n<!--\n" + b'<row Id="1" PostId="1" />\n' * 9 + b'-->\n<row Id="2" PostId="1" />\n</comments>'
    )
    result = read(content, [100, 150, 200])
    assert (sorted(result.rows), result.refused, result.again) == (["2"], [], 1)
    assert read(content, [10]).again == 0


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_a_row_over_several_lines_comes_out_wherever_the_file_is_divided(end: bytes) -> None:
    row = b'<row Id="%d"' + end + b'  PostId="1"' + end + b'  Text="' + b"x" * 300 + end + b'y"' + end + b"/>" + end
    whole = b'<row Id="%d" PostId="1" Text="' + b"z" * 90 + b'" />' + end
    rows = [(row if number % 3 else whole) % number for number in range(100)]
    content = b"<comments>" + end + b"".join(rows) + b"</comments>"
    layout = RowLayout.ROW_PER_OLD_LINE if end == b"\r" else RowLayout.ROW_PER_LINE
    result = read(content, range(1000, len(content), 1000), layout)
    texts = {int(row_id): row["Text"] for row_id, row in result.rows.items()}
    assert texts == {number: "x" * 300 + " y" if number % 3 else "z" * 90 for number in range(100)}
    assert result.refused == []
    assert result.lines == content.count(end) + 1


@pytest.mark.usefixtures("block")
def test_a_pretty_printed_file() -> None:
    rows = [
        b'  <row\n    Id="%d"\n    PostId="1"\n    Text="%s"\n  />\n' % (number, b"x" * number) for number in range(100)
    ]
    content = BYTE_ORDER_MARK + b"<comments>\n" + b"".join(rows) + b"</comments>\n"
    result = read(content, layout=RowLayout.ROW_OVER_LINES)
    assert {int(row_id): row["Text"] for row_id, row in result.rows.items()} == {n: "x" * n for n in range(100)}
    assert (result.lines, result.refused) == (101, [])


@pytest.mark.parametrize("layout", [RowLayout.ROW_PER_LINE, RowLayout.ROW_OVER_LINES])
@pytest.mark.parametrize("block", [64, 1000])
def test_a_row_of_any_length_is_refused(monkeypatch: pytest.MonkeyPatch, layout: RowLayout, block: int) -> None:
    monkeypatch.setattr(block_reader, "BLOCK", block)
    monkeypatch.setattr(block_reader, "MARGIN", block)
    monkeypatch.setattr(block_reader, "LONGEST", 2000)
    monkeypatch.setattr("cqa_spark.corpora.stackexchange.recovery.LONGEST", 2000)
    long = b'<row Id="7" PostId="1" Text="' + b"x" * 5000 + b'" />\n'
    content = b'<comments>\n<row Id="1" PostId="1" />\n' + long + b'<row Id="2" PostId="1" />\n</comments>'
    edges = range(700, len(content), 700) if layout is RowLayout.ROW_PER_LINE else ()
    result = read(content, edges, layout)
    assert sorted(result.rows) == ["1", "2"]
    (refused,) = result.refused
    assert (refused.offset, refused.problem) == (content.index(long), "the row has more than 2,000 bytes")
    assert long.startswith(refused.raw)
    cut = read(content[: content.index(long) + 4000], edges[:5], layout)
    assert [(each.offset, each.problem) for each in cut.refused] == [(refused.offset, refused.problem)]


def test_the_cost_of_a_long_comment_is_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_reader, "BLOCK", 1 << 10)
    content = b"<comments>\n<!--" + b"\nx" * 50_000 + b'-->\n<row Id="1" PostId="1" />\n</comments>'
    assert (sorted(read(content).rows), read(content).lines) == (["1"], 50_004)


def test_nothing_is_nothing() -> None:
    for content in (b"", BYTE_ORDER_MARK):
        assert read(content) == Read()


def make(random: Random, end: bytes, marked: bool, rows: int) -> tuple[bytes, dict[str, dict[str, str]], int, int]:
    """A random file; what lxml finds in its sound rows, by id; the number of its lines, and of those to refuse."""
    lines = [b'<?xml version="1.0" encoding="utf-8"?>', b"<comments>"]
    expected, refused = dict[str, dict[str, str]](), 0
    for number in range(rows):
        if random.random() < 0.1:
            lines.append(random.choice(DAMAGED))
            refused += lines[-1] not in NOT_ROWS
        row = random_row(random, 1000 + number)
        if b"\n" in row and end == b"\r":
            row = row.replace(b"\n", b" ")
        lines += row.split(b"\n")
        expected[str(1000 + number)] = parsed(row)
    lines.append(b"</comments>")
    content = BYTE_ORDER_MARK * marked + end.join(lines) + end * random.randint(0, 1)
    return content, expected, len(lines), refused


def random_row(random: Random, row_id: int) -> bytes:
    """A well-formed row, its attributes in any order, some of its characters escaped that need not be."""
    texts = {name: "".join(random.choices(PIECES, k=random.randint(0, 8))) for name in NAMES if random.random() < 0.6}
    numbers = {"Id": str(row_id), "PostId": str(random.randint(1, 99)), "Score": str(random.randint(-3, 3))}
    written = [f'{name}="{escaped(random, text)}"' for name, text in (texts | numbers).items()]
    random.shuffle(written)
    blank = random.choices([" ", "  ", "\n"], [20, 1, 1])[0]
    closing = random.choices([" />", "/>", "></row>", "/>  "], [20, 1, 1, 1])[0]
    return f"{random.choice(['', '  '])}<row {blank.join(written)}{closing}".encode()


def escaped(random: Random, text: str) -> str:
    odd = random.random() < 0.1
    return "".join(
        f"&#{ord(each)};" if odd and random.random() < 0.3 else ALWAYS.get(each) or escaped_control(each)
        for each in text
    )


def escaped_control(character: str) -> str:
    return f"&#x{ord(character):X};" if character < " " else character


def parsed(row: bytes) -> dict[str, str]:
    """A row's attributes as lxml reads them; it knows no U+001F, which a letter that no row holds stands for."""
    stand_in = row.replace(b"&#x1F;", "ŧ".encode()).replace(b"&#31;", "ŧ".encode())
    return {
        str(name): str(value).replace("ŧ", "\x1f") for name, value in etree.fromstring(stand_in.strip()).attrib.items()
    }
