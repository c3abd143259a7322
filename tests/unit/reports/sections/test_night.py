"""The section on changes and checks."""

from dataclasses import replace

import literal_report as literal
from html_checks import rows
from lxml import html

from cqa_spark.checks.check import Verdict
from cqa_spark.reports.kit.wording import MINUS, MISSING
from cqa_spark.reports.sections.night import NightReview

SITE = "beer.example.org"
NIGHT = NightReview(
    [
        {"site": SITE, "table_name": "posts", "rows_before": 2008, "rows": 2106},
        {"site": SITE, "table_name": "users", "rows_before": 0, "rows": 3},
    ],
    (
        Verdict("row counts", True, 0.0125, 0.05, "posts of <beer>"),
        Verdict("score drift", False, 0.31, 0.25, "population stability index"),
        Verdict("rank correlation", True, None, -1.0, "nothing comparable is published"),
    ),
)


def night_rows(page: str) -> list[list[str]]:
    return rows(html.document_fromstring(page).get_element_by_id("night"))


def test_changes_and_verdicts() -> None:
    page = literal.short_report(night=NIGHT).page()
    assert night_rows(page) == [
        ["posts", SITE, "2,008", "2,106"],
        ["users", SITE, "0", "3"],
        ["row counts", "passed", "0.0125", "0.05", "posts of <beer>"],
        ["score drift", "FAILED", "0.31", "0.25", "population stability index"],
        ["rank correlation", "passed", MISSING, f"{MINUS}1", "nothing comparable is published"],
    ]


def test_texts_are_aligned_left_and_numbers_right() -> None:
    page = html.document_fromstring(literal.short_report(night=NIGHT).page())
    _, checks = page.get_element_by_id("night").iter("table")
    last = ["passed", "nothing comparable is published"]
    texts = [each.text_content() for each in checks.find_class("text")]
    assert texts == [
        "Verdict",
        "Description",
        "passed",
        "posts of <beer>",
        "FAILED",
        "population stability index",
        *last,
    ]
    assert [each.get("class") for each in checks.iter("td")][:4] == ["better text", None, None, "text"]


def test_the_first_night_has_no_changes() -> None:
    first = literal.short_report(night=replace(NIGHT, changes=[])).page()
    assert [name for name, *_ in night_rows(first)] == ["row counts", "score drift", "rank correlation"]
