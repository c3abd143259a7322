"""Sections are plug-ins, and say in which reports they appear."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import literal_report as literal
import pytest
from lxml import html

from cqa_spark.lake.schemas.night import CHANGES, CHECKS
from cqa_spark.reports.kinds import run_report
from cqa_spark.reports.kit.blocks import Banner, Block, Text
from cqa_spark.reports.section import Head, Reported, ReportKind, Section

PLUGIN = """
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.section import Section

def data(run):
    return "<b>" + run.split

def drawing(split):
    return fragment("split.html.j2", package="of_others", split=split)

SECTION = Section("split", "Split", data, drawing)
"""


@pytest.fixture
def of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package with a section and its template."""
    package, metadata = tmp_path / "of_others", tmp_path / "of_others-1.0.dist-info"
    package.mkdir()
    metadata.mkdir()
    (package / "__init__.py").write_text("")
    (package / "split.py").write_text(PLUGIN)
    (package / "split.html.j2").write_text('<section id="split">{{ split }}</section>')
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: of-others\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[cqa_spark.report_sections]\nsplit = of_others.split:SECTION\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for module in ("of_others", "of_others.split"):
        sys.modules.pop(module, None)


def test_a_section_of_another_package_follows_those_about_results(of_others: None) -> None:
    names = [section.name for section in run_report().sections]
    assert names[-4:] == ["pairs", "split", "intake", "run"]
    parts = literal.full_parts() | {"split": "<b>dev"}
    page = html.document_fromstring(literal.report(literal.summary(), parts).page())
    assert page.get_element_by_id("split").text_content() == "<b>dev"
    assert [link.text for link in page.find(".//nav").iter("a")][-3:] == ["Split", "Input", "Run"]


def test_a_section_that_cannot_be_imported_is_named_and_the_others_work(
    of_others: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "of_others" / "split.py").write_text("import nowhere_to_be_seen")
    assert [section.name for section in run_report().sections][-3:] == ["pairs", "intake", "run"]
    assert "the report section split of of-others 1.0 cannot be imported" in " ".join(capsys.readouterr().err.split())


@dataclass(frozen=True)
class Counted(Reported):
    """Counts how often it is read."""

    reads: list[str]


def count(read: Counted) -> int:
    read.reads.append("")
    return len(read.reads)


def shown(number: int) -> list[Block]:
    return [Text(str(number))]


HEAD = Head(count, lambda number: Banner(f"<{number}>", "a test", "", "heading"))
SECTION = Section("counted", "Counted", count, shown)


def test_head_and_sections_share_what_they_compute() -> None:
    report = ReportKind(HEAD, (SECTION, replace(SECTION, name="again"))).collect(Counted([]))
    assert (report.head, report.data(SECTION)) == (1, 1)
    page = html.document_fromstring(report.page())
    assert page.findtext(".//title") == "<1>"
    assert [link.get("href") for link in page.find(".//nav").iter("a")] == ["#counted", "#again"]


def test_one_section_needs_no_navigation() -> None:
    report = ReportKind(HEAD, (SECTION,)).collect(Counted([]))
    assert html.document_fromstring(report.page()).find(".//nav") is None


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, ["counted"]),
        ({"tasks": frozenset({"ranked_users"})}, ["counted"]),
        ({"tasks": frozenset({"other"})}, []),
        ({"products": (CHECKS,)}, ["counted"]),
        ({"products": (CHECKS, CHANGES)}, []),
        ({"data": lambda read: None}, []),
    ],
)
def test_a_section_appears_for_its_tasks_and_tables(changes: dict[str, object], names: list[str]) -> None:
    kind = ReportKind(HEAD, (replace(SECTION, **changes),))
    report = kind.collect(Counted([], task="ranked_users", products=frozenset({"checks"})))
    assert [section.name for section, _ in report.parts] == names


def test_a_kind_reads_the_tables_of_its_sections_once() -> None:
    sections = (replace(SECTION, products=(CHECKS,)), replace(SECTION, products=(CHANGES,), optional=(CHECKS,)))
    assert ReportKind(HEAD, sections).products == (CHECKS, CHANGES)
