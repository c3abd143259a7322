"""Wherever Spark splits a dump, the rows are those that an XML parser finds, and nothing is lost.

Whatever a line holds, the attributes are those of a parser: `tests/unit/corpora/stackexchange/test_attributes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from lxml import etree
from pyspark.sql import Row, SparkSession

from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.dump_tables import BY_FILE
from cqa_spark.corpora.stackexchange.file_probe import BYTE_ORDER_MARK, probe
from cqa_spark.corpora.stackexchange.lines import OpenFile
from cqa_spark.corpora.stackexchange.table_reader import TableReader

COMMENTS = BY_FILE["comments"]
SPLIT = "spark.sql.files.maxPartitionBytes"
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


@dataclass(frozen=True)
class Made:
    """A random file.

    Attributes:
        content: its bytes.
        lines: how many lines it has.
        refused: how many of them are damaged.
        rows: what lxml finds in the others: attributes by id.
    """

    content: bytes
    lines: int
    refused: int
    rows: dict[str, dict[str, str]]


@pytest.mark.parametrize(
    ("end", "marked", "split", "tasks"),
    [(b"\n", False, 1 << 12, 1), (b"\r\n", True, 5000, 3), (b"\r", True, 1 << 20, 2)],
    ids=["LF", "CR LF", "CR"],
)
def test_rows_are_those_that_a_parser_finds(
    spark: SparkSession, tmp_path: Path, end: bytes, marked: bool, split: int, tasks: int
) -> None:
    made = make(Random(tasks), end, marked, rows=200)
    path = tmp_path / "Comments.xml"
    path.write_bytes(made.content)
    with reading_by(spark, split, tasks):
        sound, outcomes, lines = read(spark, path)
    taken = [row for row in outcomes if row["is_row"] and row["problem"] is None]
    refused = [row for row in outcomes if row["problem"] is not None]
    assert len(sound) + len(taken) == len(made.rows)
    assert {row["comment_id"]: attributes(row) for row in [*sound, *taken]} == made.rows
    assert len(refused) == made.refused > 0
    assert sum(row["records"] for row in outcomes) == made.lines - len(sound)
    assert lines == made.lines
    for row in refused:
        assert made.content[row["byte_offset"] :].startswith(
            row["raw"].replace("\\xff", "\udcff").encode(errors="surrogateescape")
        )


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_a_row_over_several_lines_comes_out_wherever_the_file_is_split(
    spark: SparkSession, tmp_path: Path, end: bytes
) -> None:
    row = b'<row Id="%d"' + end + b'  PostId="1"' + end + b'  Text="' + b"x" * 300 + end + b'y"' + end + b"/>" + end
    whole = b'<row Id="%d" PostId="1" Text="' + b"z" * 90 + b'" />' + end
    rows = [(row if number % 3 else whole) % number for number in range(100)]
    path = tmp_path / "Comments.xml"
    path.write_bytes(b"<comments>" + end + rows[0] + b"".join(rows[1:]) + b"</comments>")
    with reading_by(spark, 1 << 10, 3):
        sound, outcomes, _ = read(spark, path)
    assert sorted(int(row["comment_id"]) for row in sound) == [*range(0, 100, 3)]
    taken = {int(row["comment_id"]): row["body"] for row in outcomes if row["is_row"]}
    assert taken == {number: "x" * 300 + " y" for number in range(100) if number % 3}
    assert all(row["problem"] is None for row in outcomes)


def test_a_pretty_printed_file_wherever_it_is_split(spark: SparkSession, tmp_path: Path) -> None:
    rows = [
        b'  <row\n    Id="%d"\n    PostId="1"\n    Text="%s"\n  />\n' % (number, b"x" * number) for number in range(100)
    ]
    content = BYTE_ORDER_MARK + b"<comments>\n" + b"".join(rows) + b"</comments>\n"
    path = tmp_path / "Comments.xml"
    path.write_bytes(content)
    with reading_by(spark, 1 << 10, 3):
        sound, outcomes, _ = read(spark, path)
    assert not sound
    assert {int(row["comment_id"]): row["body"] for row in outcomes if row["is_row"]} == {
        n: "x" * n for n in range(100)
    }
    for row in outcomes:
        assert content[row["byte_offset"] :].startswith(row["raw"].encode())


def make(random: Random, end: bytes, marked: bool, rows: int) -> Made:
    # The first row tells how the file is laid out and that no attribute is renamed, so it stands on one line.
    first = b'  <row Id="1" PostId="1" CreationDate="2020-01-01T00:00:00.000" />'
    lines = [b'<?xml version="1.0" encoding="utf-8"?>', b"<comments>", first]
    expected, refused = {"1": {"Id": "1", "PostId": "1", "CreationDate": "2020-01-01 00:00:00"}}, 0
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
    return Made(content, len(lines), refused, expected)


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


@contextmanager
def reading_by(spark: SparkSession, split: int, tasks: int) -> Iterator[None]:
    """Read files in parts of a size, with a number of shuffle partitions."""
    wanted = {SPLIT: str(split), "spark.sql.shuffle.partitions": str(tasks)}
    before = {name: spark.conf.get(name) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value or "")


def read(spark: SparkSession, path: Path) -> tuple[list[Row], list[Row], int]:
    """Sound rows, what a closer look found, and how many lines both make: as ``read_dump_table`` reads them."""
    (file,) = find_dump_files([str(path)])
    reader = TableReader(spark, COMMENTS, {0: OpenFile(file, probe(spark, file))})
    sound = reader.sound_rows().collect()
    lines = reader.lines()
    unclear = reader.needs_closer_look(lines)
    outcomes = reader.closer_look(unclear).collect() if unclear else []
    return sound, outcomes, sum(lines.values())


def attributes(row: Row) -> dict[str, str]:
    """A row as the attributes that it was made of."""
    named = {attribute: row[column] for attribute, column in COMMENTS.attributes.items()}
    known = {attribute: str(value) for attribute, value in named.items() if value is not None}
    return known | (row["unknown_attributes"] or {})
