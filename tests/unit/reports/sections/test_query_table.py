"""The table of queries: its page, its policy and its CSV file."""

import base64
import hashlib
import re
from pathlib import Path

from html_checks import rows
from lxml import html

from cqa_spark.reports.kinds import QUERIES as KIND
from cqa_spark.reports.kit.wording import MISSING
from cqa_spark.reports.reported_run import MeasuredQuery
from cqa_spark.reports.sections.query_table import QueryTable, write_csv

HOSTILE = "</script><script>alert(1)</script>"
QUERIES = (MeasuredQuery("s", "Q2", HOSTILE, 10, 1, 0.25, 0.5), MeasuredQuery("s", "Q1", "=1+1", 1200, 0, None, 0.5))


def table(baseline: str | None = "given_order") -> QueryTable:
    return QueryTable("r1", "dev", "MAP@10", "best_a", baseline, "r1.queries.csv", 3, QUERIES, task="question_comment")


def test_the_page_shows_the_queries() -> None:
    document = html.document_fromstring(KIND.collect(table()).page())
    assert rows(document.find(".//table")) == [
        ["Q2", HOSTILE, "10", "1", "25.00", "50.00", "\N{MINUS SIGN}25.00", "s"],
        ["Q1", "=1+1", "1,200", "0", MISSING, "50.00", MISSING, "s"],
    ]
    assert "The 2 queries with the lowest values of 3" in document.text_content()
    assert [link.get("href") for link in document.iter("a")] == ["r1.queries.csv"]


def test_without_a_baseline_there_is_no_difference() -> None:
    document = html.document_fromstring(KIND.collect(table(baseline=None)).page())
    assert rows(document.find(".//table"))[0] == ["Q2", HOSTILE, "10", "1", "25.00", "s"]


def test_the_policy_allows_the_one_script_and_no_request() -> None:
    page = KIND.collect(table()).page()
    document = html.document_fromstring(page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}' 'strict-dynamic'"
    assert not re.search(r"(?:https?:)?//\w", page.replace(digest, ""))


def test_the_csv_file_has_every_query_and_no_formula(tmp_path: Path) -> None:
    assert write_csv(tmp_path / "q.csv", QUERIES, keep=1) == (2, QUERIES[:1])
    assert (tmp_path / "q.csv").read_text() == (
        "site,query_id,title,candidates,relevant,value,baseline,difference\n"
        f"s,Q2,{HOSTILE},10,1,0.25,0.5,-0.25\n"
        "s,Q1,'=1+1,1200,0,,0.5,\n"
    )
