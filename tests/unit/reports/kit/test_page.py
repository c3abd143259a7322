"""Blocks as HTML."""

import re

from html_checks import assert_inert, rows, words
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from cqa_spark.process.terminal import visible
from cqa_spark.reports.kit.blocks import (
    BREAK,
    Block,
    Cell,
    Code,
    Details,
    Facts,
    Heading,
    Only,
    Post,
    Ranking,
    Row,
    Span,
    Strip,
    Table,
    Text,
    forum,
)
from cqa_spark.reports.kit.page import rendered


def parsed(*blocks: Block) -> html.HtmlElement:
    return html.fromstring(f"<main>{rendered(blocks)}</main>")


TABLE = Table(
    "",
    "What it is.",
    ("thing", "number", "text"),
    [
        Row(forum("site <1>"), style="group"),
        Row("a", (Cell("1", "0 to 2", "better"), Cell("x"))),
        Row("site 2", style="group"),
        Row(Cell("b", role="path", hint="/in/b"), (Cell("2", sign="worse"), Cell("", shares=(1, 0, 3))), "quiet"),
    ],
    texts=("text",),
    total=Row("all", (Cell("3"), Cell(""))),
)


def test_groups_of_rows_are_bodies_and_the_total_is_the_foot() -> None:
    table = parsed(TABLE).find(".//table")
    assert rows(table) == [["site <1>"], ["a", "10 to 2", "x"], ["site 2"], ["b", "▼2", ""]]
    assert [words(cell) for cell in table.find("tfoot/tr")] == ["all", "3", ""]
    assert [words(heading) for heading in table.find("thead/tr")] == ["Thing", "Number", "Text"]
    assert table.find("tbody/tr/th").get("colspan") == "3"
    assert table.get("class") is None


def test_cells_have_roles_hints_and_shares() -> None:
    table = parsed(TABLE).find(".//table")
    assert [cell.get("class") for cell in table.iterfind(".//tbody/tr/td")] == ["better", "text", None, "text bar"]
    name = table.find_class("path")[0]
    assert (name.tag, name.get("title"), name.getparent().get("class")) == ("th", "/in/b", "quiet")
    shares = [share.get("style") for share in table.find_class("stack")[0]]
    assert shares == ["width:25.00%", "width:0.00%", "width:75.00%"]


def test_a_table_with_a_title_has_its_explanation_below_it() -> None:
    page = parsed(Table("Title", "About it.", ("a",), [("b", ())]))
    assert [(child.tag, child.get("class")) for child in page] == [("h3", None), ("p", "legend"), ("div", "scroll")]
    assert page.find(".//table").get("class") == "grid"
    assert page.find(".//caption") is None


def test_parts_of_a_text() -> None:
    link = Span("all", "link", address="a b.csv")
    page = parsed(Text(("one ", Span("two", role="better"), BREAK, link, Span("key", "key", "yes"), Span("x", "code"))))
    assert html.tostring(page.find("p"), encoding="unicode", with_tail=False) == (
        '<p>one <span class="better">two</span><br><a href="a%20b.csv">all</a>'
        '<span class="key"><i class="chip yes"></i>key</span> <code>x</code></p>'
    )


def test_the_other_medium_is_left_out() -> None:
    page = parsed(Only("page", [Heading("here")]), Only("terminal", [Heading("there")]))
    assert [words(heading) for heading in page.iter("h3")] == ["here"]


@given(st.text())
def test_any_text_in_any_block_stays_text(text: str) -> None:
    post = Post(text, [text], "yes", [Span(text)], [Span(text, hint=text)])
    page = parsed(
        Heading(text),
        Text(forum(text)),
        Table(text, text, (text,), [Row(Cell(text, text, hint=text)), Row(text, style="group")]),
        Facts([(text, forum(text))]),
        Details(text, [post, Ranking([post]), Code(text)], story=True, strips=[Strip(text, ["yes"], text)], aside=text),
    )
    assert_inert(page)
    # A parser reads every line break as a line feed, and drops the first one of a fixed-width text.
    shown = parsed(Text(text)).find("p").text_content()
    assert all(isolated.text_content() == shown for isolated in page.iter("bdi"))
    assert words(page.find("h3")) == " ".join(shown.split())
    assert shown == re.sub("\r\n?", "\n", visible(text))
