"""A literal inspection, shared by the tests of its pages."""

from datetime import UTC, datetime

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.reports.evaluation import Comparison
from cqa_spark.reports.kinds import INSPECTION
from cqa_spark.reports.section import ReportValues
from cqa_spark.reports.sections.comparison import ComparedMeasure, ComparedRuns
from cqa_spark.reports.sections.first_answers import FirstAnswerChanges
from cqa_spark.reports.sections.inspection.contents import (
    Counted,
    Month,
    Nulls,
    ScoreCount,
    TableFacts,
    ThreadCounts,
)
from cqa_spark.reports.sections.inspection.facts import FileTotals, Inspection, Refusal, SiteFacts
from cqa_spark.reports.sections.table_changes import RunChanges, TableChanges

RECORD = RunRecord(
    "december",
    "published",
    "ingest",
    "hash",
    "",
    "0.1.0+3f2a9c1",
    recorded_at=datetime(2016, 12, 20, 7, 30, tzinfo=UTC),
)


def orphan(table: str, reference: str, missing_in: str, rows: int) -> Entry:
    """An entry of ``ORPHANS``."""
    return {"table_name": table, "reference": reference, "missing_in": missing_in, "rows": rows}


def file(
    path: str, table: str | None, lines: int | None, rows: int, quarantined: int, not_rows: int | None,
    is_complete: bool | None,
) -> Entry:  # fmt: skip
    """An entry of ``INGESTED_FILES``."""
    numbers = {"lines": lines, "rows_in": rows + quarantined, "rows_out": rows, "rows_quarantined": quarantined}
    return numbers | {"source_file": path, "table_name": table, "not_rows": not_rows, "is_complete": is_complete}


def beer() -> SiteFacts:
    """A site with everything that can be told of one."""
    return SiteFacts(
        site="beer.stackexchange.com",
        tables=(
            TableFacts(
                "posts",
                2000,
                quarantined=1,
                orphans=12,
                first="2014-01-21",
                last="2016-12-11",
                nulls=(Nulls("accepted_answer_id", 280, 700), Nulls("score", 1, 2000)),
                absent=("deleted_at",),
                unknown_attributes=(Counted("Mood", 7), Counted("Hops", 2)),
            ),
            TableFacts("votes", 11000, orphans=34, first="2014-01-21", last="2016-12-11"),
            TableFacts("post_history", 0),
        ),
        first="2014-01-20",
        last="2016-12-11",
        threads=ThreadCounts(700, 1200, 420, (-4, 2, 4, 7.5, 60), (-8, 1, 3, 5, 98)),
        scores=(ScoreCount(-5, 3, 4), ScoreCount(0, 80, 160), ScoreCount(20, 12, 30)),
        months=(Month(2014 * 12, 90, 200), Month(2014 * 12 + 1, 40, 70), Month(2016 * 12 + 11, 20, 10)),
        tags=(Counted("taste", 120), Counted("brewing", 80)),
        orphans=(orphan("votes", "post_id", "posts", 34), orphan("posts", "user_id", "users", 12)),
        refusals=(Refusal("a row has Id … already", 3, "/dump/Posts.xml", 4711, "a row has Id 5 already", "<row Id="),),
        file_totals=FileTotals(2, 1, 13_007, 13_000, 1, 6),
        files=(
            file("/dump/Votes.xml", "votes", 11_003, 11_000, 0, 3, False),
            file("/dump/Posts.xml", "posts", 2_005, 2_000, 1, 3, True),
        ),
    )


def forum() -> SiteFacts:
    """A site whose files fill several tables and have no lines."""
    return SiteFacts(
        site="qatarliving.com",
        tables=(TableFacts("posts", 40),),
        quarantined_elsewhere=2,
        threads=ThreadCounts(40, 0, 0),
        file_totals=FileTotals(1, 0, None, 40, 2, 0),
        files=(file("/in/train.xml", None, None, 40, 2, None, None),),
    )


def inspection() -> Inspection:
    """Both sites."""
    return Inspection("build/lake", RECORD, (beer(), forum()))


def inspected(inspection: Inspection) -> ReportValues:
    """The report of an inspection."""
    return ReportValues(INSPECTION, inspection, tuple((section, inspection) for section in INSPECTION.sections))


def comparison() -> ComparedRuns:
    """From September to December."""
    of_posts = TableChanges(
        "beer.stackexchange.com",
        "posts",
        134,
        36,
        657,
        (Counted("view_count", 640), Counted("body", 51)),
        changed_in_text=53,
    )
    tags = TableChanges("beer.stackexchange.com", "tags", 0, 0, 0, ())
    test = Comparison("december", "P@1", 0.031, 0.012, 9, 2, 40, "september", 0.01, 0.05)
    return ComparedRuns(
        lake="build/lake",
        code_version="0.1.0",
        runs=("september", "december"),
        settings=(("features.folds", ("5", None)),),
        measures=(
            ComparedMeasure("replayed nights", "longest", "P@1", (0.5, 0.75)),
            ComparedMeasure("preferred_answer, test", "best", "P@1", (0.5, 0.531), (test,)),
        ),
        answers=(FirstAnswerChanges(0, ()),),
        changes=(RunChanges("september", "december", (of_posts, tags), only_after=("post_history",)),),
    )
