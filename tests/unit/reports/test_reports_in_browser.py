"""Kinds of reports in a browser: what has to be scrolled sideways, light and dark, and a silent console."""

from collections.abc import Callable, Iterator

import literal_inspection
import literal_report
import pytest
from browser import CHROMIUM, Browser, browser

from cqa_spark.reports.kinds import COMPARISON
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.section import ReportValues

pytestmark = [pytest.mark.more, pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")]

REPORTS: dict[str, Callable[[], ReportValues]] = {
    "run": literal_report.full_report,
    "run without labels": literal_report.unlabelled_report,
    "inspection": lambda: literal_inspection.inspected(literal_inspection.inspection()),
    "comparison": lambda: COMPARISON.collect(literal_inspection.comparison()),
}
WIDE_ON_A_PHONE = ("Measures of ", "Rows by site and table.", "2 files, 1 truncated:", "1 file: 40 rows")
"""Tables of seven columns of numbers and more."""

SIDEWAYS = """(document.querySelectorAll('details').forEach((each) => { each.open = true; }),
    [document.documentElement, ...document.querySelectorAll('.scroll')]
        .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.innerText.slice(0, 100)))"""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize(("width", "dark"), [(1400, False), (700, False), (390, True)])
def test_nothing_scrolls_sideways_but_tables_of_many_numbers(
    tab: Browser, tmp_path_factory: pytest.TempPathFactory, kind: str, width: int, dark: bool
) -> None:
    page = tmp_path_factory.mktemp("page") / "report.html"
    page.write_bytes(page_bytes(REPORTS[kind]().page()))
    tab.open(page.as_uri(), width=width, dark=dark)
    allowed = WIDE_ON_A_PHONE if width < 400 else ()
    assert [each for each in tab.value(SIDEWAYS) if not each.startswith(allowed)] == []
    dark_paper = tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    assert (dark_paper, tab.errors()) == (dark, [])
