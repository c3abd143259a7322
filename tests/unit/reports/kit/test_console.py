"""Blocks in the terminal."""

import io

from rich.console import Console

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.blocks import (
    Bars,
    Block,
    Cell,
    Code,
    Columns,
    Details,
    Facts,
    Heading,
    Only,
    Plot,
    Post,
    Ranking,
    Row,
    Span,
    Table,
    Text,
)
from cqa_spark.reports.kit.console import print_blocks


def printed(*blocks: Block, width: int = 100, in_window: bool = False) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=in_window, color_system=None)
    print_blocks(blocks, Terminal(console))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_table_has_its_groups_total_and_explanation() -> None:
    rows = [Row("site", style="group"), Row("a", (Cell("1", "0 to 2"), Cell("x"))), Row("b", (Cell("10"), Cell("y")))]
    table = Table("Title", "About\nit.", ("thing", "number", "text"), rows, ("text",), total=Row("all", (Cell("11"),)))
    assert printed(table) == [
        "Title",
        "thing    number  text",
        "site",
        "  a    1 0 to 2  x",
        "  b          10  y",
        "  all        11",
        "About it.",
        "",
    ]


def test_the_last_column_stays_where_columns_before_it_have_no_room() -> None:
    headings = ("system", *(f"measure{number}" for number in range(5)), "difference")
    row = Row("a", [Cell("1")] * 6)
    wide = printed(Table("", "", headings, [row], last_stays=True), width=40)
    assert wide[0].split() == list(headings)
    narrow = printed(Table("", "", headings, [row], last_stays=True), width=40, in_window=True)
    assert narrow[0].split() == ["system", "measure0", "measure1", "difference"]
    assert "measure2, measure3, measure4" in narrow[2]


def test_all_other_blocks() -> None:
    assert printed(
        Heading("Heading"),
        Text(("a ", Span("b", "bold"))),
        Plot("plot", lambda width: NotImplemented, "caption"),
        Plot("curve", lambda width: NotImplemented, "caption", line="▁█"),
        Facts([("name", "value")]),
        Columns([Bars("nulls", [("a", 0.4, "40 %"), ("b", 0.1, "10 %")])], "nulls"),
        Details("summary", [Post("a post", ["by x", "y"]), Ranking([Post("another", ["1"])]), Code("code")]),
        Only("page", [Heading("elsewhere")]),
        Only("terminal", [Heading("here")]),
    ) == [
        *("Heading", "a b", "▁█", "name  value", "", "nulls: a 40 %, b 10 %", ""),
        *("summary", "by x  y", "a post", "1", "another", "code", "", "here"),
    ]
