"""The differences of runs in the terminal, as JSON and on a page."""

import io
import json

import literal_inspection as literal
from html_checks import assert_no_requests, rows, words
from lxml import html
from rich.console import Console

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kinds import COMPARISON
from cqa_spark.reports.kit.wording import MISSING


def test_json_of_a_comparison() -> None:
    compared = json.loads(COMPARISON.collect(literal.comparison()).json())
    assert compared["settings"] == {"features.folds": ["5", None]}
    assert [(each["system"], each["values"], len(each["tests"])) for each in compared["measures"]] == [
        ("longest", [0.5, 0.75], 0),
        ("best", [0.5, 0.531], 1),
    ]
    assert compared["changes"] == [
        {
            "before": "september",
            "after": "december",
            "diff": {
                "beer.stackexchange.com": {
                    "posts": {
                        "new": 134,
                        "gone": 36,
                        "changed": 657,
                        "changed_in_text": 53,
                        "columns": {"view_count": 640, "body": 51},
                    },
                    "tags": {"new": 0, "gone": 0, "changed": 0, "columns": {}},
                }
            },
            "only_before": [],
            "only_after": ["post_history"],
        }
    ]


def test_a_comparison_in_the_terminal() -> None:
    stream = io.StringIO()
    COMPARISON.collect(literal.comparison()).show(Terminal(Console(file=stream, width=120)))
    lines = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    assert f"features.folds 5 {MISSING}" in lines
    assert "P@1 of longest 50.00 75.00 +25.00" in lines
    assert "P@1 of best 50.00 53.10 +3.10 [+1.00, +5.00], p = 0.012" in lines
    assert "0 threads begin with another answer; 0 shown." in lines
    assert lines[lines.index("From september to december") : -2] == [
        "From september to december",
        "site and table new gone changed in text changed columns",
        "beer.stackexchange.com",
        "posts 134 36 657 53 view_count 640, body 51",
        "tags 0 0 0",
    ]
    assert lines[-2].endswith("Only in december: post history.")


def test_a_comparison_on_the_page() -> None:
    page = COMPARISON.collect(literal.comparison()).page()
    assert_no_requests(page)
    document = html.document_fromstring(page)
    assert rows(document.find_class("sites")[0]) == [
        ["beer.stackexchange.com"],
        ["posts", "134", "36", "657", "53", "view_count 640, body 51"],
        ["tags", "0", "0", "0", "", ""],
    ]
    assert "Only in december: post history." in words(document.get_element_by_id("changes"))
    assert [link.text for link in document.find(".//nav").iter("a")] == [
        "Settings",
        "Measures",
        "Other first answers",
        "Tables",
    ]
