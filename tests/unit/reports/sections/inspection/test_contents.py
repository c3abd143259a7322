"""The page of an inspection."""

import re
from dataclasses import replace

import literal_inspection as literal
import pytest
from html_checks import assert_inert, assert_no_requests, assert_references_resolve, drawn, labels, rows, words
from lxml import html

from cqa_spark.reports.kit.svg import NARROW, WIDE
from cqa_spark.reports.kit.wording import MINUS
from cqa_spark.reports.sections.inspection.contents import Counted, Month, ScoreCount, TableFacts
from cqa_spark.reports.sections.inspection.facts import SITES, Inspection, SiteFacts
from cqa_spark.reports.sections.inspection.sites import plot_months, plot_score_counts, plot_tags

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><svg onload=alert(1)>",
    "\u202etxet desrever\x00\x9b\ufffe",
)


@pytest.fixture(scope="module")
def page() -> str:
    return literal.inspected(literal.inspection()).page()


@pytest.fixture(scope="module")
def document(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def test_the_first_table_has_every_site_and_table(document: html.HtmlElement) -> None:
    assert rows(document.find_class("sites")[0]) == [
        ["beer.stackexchange.com"],
        ["posts", "2,000", "1", "12", "2014-01-21", "2016-12-11", "Mood, Hops"],
        ["votes", "11,000", "0", "34", "2014-01-21", "2016-12-11", ""],
        ["post history", "0", "0", "0", "", "", ""],
        ["qatarliving.com"],
        ["posts", "40", "0", "0", "", "", ""],
        ["files of several tables", "", "2", "", "", "", ""],
    ]


def test_the_facts_add_up_over_the_sites(document: html.HtmlElement) -> None:
    facts = [(words(fact[0]), words(fact[1])) for fact in document.find_class("facts")[0]]
    assert facts == [("sites", "2"), ("rows", "13,040"), ("quarantined", "3"), ("files", "3"), ("truncated files", "1")]


def test_parts_without_data_are_omitted(document: html.HtmlElement) -> None:
    beer, forum = (document.get_element_by_id(name) for name in ("site1", "site2"))
    heads = ["Null values", "Columns without any value", "Orphans", "Unknown attributes"]
    assert [words(head) for head in beer.iter("h3")] == [*heads, "Quarantine", "Files"]
    assert [words(head) for head in forum.iter("h3")] == ["Files"]
    assert len(list(beer.iter("figure"))) == 3
    assert not list(forum.iter("figure"))


def test_columns_with_the_most_nulls_come_first(document: html.HtmlElement) -> None:
    listed = [[words(part) for part in item] for item in document.find_class("nulls")[0].iter("li")]
    assert listed == [["accepted_answer_id", "", "40.0 %"], ["score", "", "0.1 %"]]


def test_truncated_files_and_wrong_counts_are_highlighted(document: html.HtmlElement) -> None:
    table = list(document.get_element_by_id("site1").iter("table"))[-1]
    assert rows(table) == [
        ["dump/Votes.xml", "votes", "11,003", "11,000", "0", "3", "truncated"],
        ["dump/Posts.xml", "posts", "2,005counts disagree", "2,000", "1", "3", "complete"],
    ]
    assert [words(cell) for cell in table.find_class("worse")] == ["truncated", "2,005counts disagree", "1"]


def test_ids_are_unique_and_every_reference_has_its_target(page: str) -> None:
    assert_references_resolve(page)


def test_the_page_makes_no_requests(page: str) -> None:
    assert_no_requests(page)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    site = literal.beer()
    hostile = replace(
        site,
        site=text,
        tables=(replace(site.tables[0], unknown_attributes=(Counted(text, 1),)),),
        tags=(Counted(text, 3),),
        refusals=(replace(site.refusals[0], reason=text, example_reason=text, raw=text),),
        files=(site.files[0] | {"source_file": text},),
    )
    document = html.document_fromstring(literal.inspected(Inspection("build/lake", literal.RECORD, (hostile,))).page())
    assert_inert(document)
    shown = text.translate({0: "␀", 0x9B: "\\x9b", 0x202E: "\\u202e", 0xFFFE: "\\ufffe"})
    assert sum(bdi.text_content() == shown for bdi in document.iter("bdi")) == 2 + 2 + 3


def test_the_same_inspection_gives_the_same_bytes(page: str) -> None:
    assert literal.inspected(literal.inspection()).page() == page


def test_a_site_without_any_row_can_be_shown() -> None:
    inspection = Inspection("build/lake", literal.RECORD, (SiteFacts("a", (TableFacts("b", 0),)),))
    shown = html.document_fromstring(literal.inspected(inspection).page())
    assert words(shown.get_element_by_id("site1")) == "a"


def test_many_sites_share_the_first_table_alone() -> None:
    sites = tuple(replace(literal.forum(), site=f"s{place}.example") for place in range(SITES + 2))
    document = html.document_fromstring(literal.inspected(Inspection("build/lake", literal.RECORD, sites)).page())
    assert len(list(document.iter("section"))) == 1 + SITES
    assert len(list(document.find_class("sites")[0].iter("tbody"))) == SITES + 2


def test_months_name_their_years_and_leave_gaps_empty() -> None:
    months = [Month(2014 * 12 + 11, 3, 0), Month(2016 * 12, 1, 2)]
    drawing = drawn(plot_months, months, width=WIDE)
    assert [label for label in labels(drawing) if label.startswith("20")] == ["2015", "2016"]
    assert "4 questions and 2 answers by month, 2014-12 to 2016-01." in drawing


@pytest.mark.parametrize(
    ("first", "last", "width", "years"),
    [
        (2014 * 12 + 3, 2014 * 12 + 5, WIDE, ["2014"]),
        (2014 * 12, 2014 * 12, NARROW, ["2014"]),
        (2009 * 12, 2024 * 12, NARROW, ["2010", "2015", "2020"]),
        (2009 * 12, 2013 * 12, NARROW, ["2009", "2010", "2011", "2012", "2013"]),
    ],
)
def test_years_are_named_where_there_is_room(first: int, last: int, width: int, years: list[str]) -> None:
    months = [Month(number, 2000, 0) for number in sorted({first, last})]
    assert [
        label for label in labels(drawn(plot_months, months, width=width)) if re.fullmatch(r"20\d\d", label)
    ] == years


def test_the_outermost_scores_include_those_beyond() -> None:
    drawing = drawn(plot_score_counts, [ScoreCount(-5, 2, 0), ScoreCount(3, 1, 4)], -5, 20)
    assert labels(drawing)[:6] == [f"≤ {MINUS}5", "0", "5", "10", "15", "≥ 20"]
    assert "3 questions and 4 answers by score, -5 or less to 20 or more." in drawing


def test_tags_show_their_posts() -> None:
    drawing = drawn(plot_tags, [Counted("$ale$", 1200), Counted("hops", 1)])
    assert labels(drawing) == ["$ale$", "hops", "1,200", "1"]
