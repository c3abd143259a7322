"""What is in a lake, on a made-up site small enough to count by hand; through the command line, as a user does."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cqa_spark.cli import main
from cqa_spark.commands.inspect import inspected_run
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run import open_run
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.reports.sections.inspection import facts
from cqa_spark.reports.sections.inspection.contents import (
    Counted,
    Month,
    ScoreCount,
    TableFacts,
    ThreadCounts,
)
from cqa_spark.reports.sections.inspection.facts import FileTotals, Inspection, Refusal, SiteFacts, adds_up

ALE, QATAR = "ale.example.org", "qatarliving.com"
Rows = list[dict[str, Any]]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def post(number: int, kind: str, **values: Any) -> dict[str, Any]:
    row = {"site": ALE, "post_id": str(number), "post_type": kind, "thread_id": str(number), "source_file": "/d/P.xml"}
    return row | {"split": "unannotated", "subject": f"subject {number}", "body": f"body {number}"} | values


SIX_POSTS = [
    post(1, "question", score=5, created_at=day("2014-01-05"), tags=["ale", "hops"], accepted_answer_id="3"),
    post(2, "question", score=-9, created_at=day("2014-01-20"), tags=["ale"]),
    post(3, "answer", score=30, created_at=day("2014-02-01"), thread_id="1"),
    post(4, "answer", score=2, created_at=day("2014-04-01"), thread_id="1", unknown_attributes={"Mood": "x"}),
    post(5, "question", score=1, created_at=day("2014-04-30"), unknown_attributes={"Mood": "y", "Foam": "z"}),
    post(6, "tag_wiki", subject=None),
]
EARLIER_POSTS = [
    SIX_POSTS[0] | {"view_count": 10, "body": "another body", "source_file": "/before/P.xml"},
    SIX_POSTS[1] | {"source_file": "/before/P.xml"},
    SIX_POSTS[2],
    SIX_POSTS[4] | {"unknown_attributes": {"Foam": "z", "Mood": "x"}, "view_count": 3},
    SIX_POSTS[5],
    post(7, "question"),
]
USER = {"site": ALE, "user_id": "1", "name": "Ann", "unknown_attributes": {"Foam": "1", "Mood": "2"}}


def vote(number: int) -> dict[str, Any]:
    return {"site": ALE, "vote_id": str(number), "post_id": "99", "vote_type_id": 2, "source_file": "/d/V.xml"}


def refused(source_file: str, offset: int, reason: str, site: str = ALE) -> dict[str, Any]:
    raw = f"<row at {offset}"
    return {"site": site, "source_file": source_file, "byte_offset": offset, "reason": reason, "raw": raw}


def file(path: str, table: str, lines: int, rows: int, bad: int, complete: bool) -> dict[str, Any]:
    counts = {"rows_in": rows + bad, "rows_out": rows, "rows_quarantined": bad, "lines": lines, "not_rows": 3}
    named = {"site": ALE, "source_file": path, "split": "unannotated", "table_name": table}
    return named | counts | {"is_complete": complete}


LATER: dict[Table | JournalTable, Rows] = {
    POSTS: [
        *SIX_POSTS,
        post(1, "question", site=QATAR, created_at=day("2016-02-03"), split="train", source_file="/in/train.xml"),
    ],
    USERS: [USER],
    COMMENTS: [
        {"site": ALE, "comment_id": "1", "post_id": "1", "created_at": day("2013-12-31"), "score": 0}
        | {"split": "unannotated", "source_file": "/d/C.xml"}
    ],
    VOTES: [vote(1), vote(2)],
    QUARANTINE: [
        refused("/d/V.xml", 900, "a row has Id 7 already: byte 12"),
        refused("/d/V.xml", 400, "a row has Id 5 already: byte 34"),
        refused("/d/P.xml", 77, "Score is no number"),
        refused("/in/train.xml", 5, "the record is cut", site=QATAR),
    ],
    ORPHANS: [
        {"site": ALE, "table_name": "votes", "reference": "post_id", "missing_in": "posts", "rows": 2},
        {"site": ALE, "table_name": "posts", "reference": "accepted_answer_id", "missing_in": "posts", "rows": 4},
        {"site": ALE, "table_name": "posts", "reference": "thread_id", "missing_in": "posts", "rows": 3},
    ],
    INGESTED_FILES: [
        file("/d/P.xml", "posts", 10, 6, 1, complete=True),
        file("/d/V.xml", "votes", 7, 2, 2, complete=False),
        {"site": QATAR, "source_file": "/in/train.xml", "split": "train"}
        | {"rows_in": 2, "rows_out": 1, "rows_quarantined": 1},
    ],
}
EARLIER: dict[Table | JournalTable, Rows] = {
    POSTS: EARLIER_POSTS,
    USERS: [USER | {"source_file": "/before/U.xml"}],
    JUDGMENTS: [],
}


def write_run(lake: Lake, run_id: str, tables: Mapping[Table | JournalTable, Rows]) -> None:
    begin = RunRecord(run_id, "running", "ingest", config_hash="c0ffee", config="site: x\n", code_version="0")
    with open_run(lake, begin, resume=False, on_step=lambda step: None) as run:
        for table, rows in tables.items():
            if isinstance(table, JournalTable):
                run.write_entries(table, rows)
                continue
            values = [tuple(row.get(name) for name in table.schema.names) for row in rows]
            run.write(table, lake.spark.createDataFrame(values, table.schema).repartition(3))


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(spark, str(tmp_path_factory.mktemp("inspect") / "lake"))
    write_run(lake, "nothing", {QUARANTINE: []})
    write_run(lake, "earlier", EARLIER)
    write_run(lake, "later", LATER)
    with hold(lake, Holder.of_this_process("test")) as held:
        publish(held, "later")
    return lake


def inspection_of(lake: Lake, run_id: str) -> Inspection:
    return facts.inspection(inspected_run(Snapshot(lake, RunLog(lake.objects).require_success(run_id))))


@pytest.fixture(scope="module")
def inspection(lake: Lake) -> Inspection:
    return inspection_of(lake, "later")


@pytest.fixture(scope="module")
def ale(inspection: Inspection) -> SiteFacts:
    return inspection.sites[0]


def test_sites_with_the_most_rows_come_first(inspection: Inspection) -> None:
    assert [(site.site, site.rows, site.quarantined) for site in inspection.sites] == [(ALE, 10, 3), (QATAR, 1, 1)]
    assert (inspection.record.run_id, inspection.record.code_version) == ("later", "0")


def test_rows_refusals_orphans_and_times_of_every_table(ale: SiteFacts) -> None:
    told = [(t.name, t.rows, t.quarantined, t.orphans, t.first, t.last) for t in ale.tables]
    assert told == [
        ("posts", 6, 1, 7, "2014-01-05", "2014-04-30"),
        ("users", 1, 0, 0, None, None),
        ("comments", 1, 0, 0, "2013-12-31", "2013-12-31"),
        ("votes", 2, 2, 2, None, None),
    ]
    assert (ale.first, ale.last) == ("2013-12-31", "2014-04-30")


def test_attributes_that_nobody_declared_by_table(ale: SiteFacts) -> None:
    drift = {table.name: table.unknown_attributes for table in ale.tables}
    assert drift == {
        "posts": (Counted("Mood", 2), Counted("Foam", 1)),
        "users": (Counted("Foam", 1), Counted("Mood", 1)),
        "comments": (),
        "votes": (),
    }


def test_columns_that_have_nulls(ale: SiteFacts) -> None:
    votes = next(table for table in ale.tables if table.name == "votes")
    assert {each.name: each.rows for each in votes.nulls} | dict.fromkeys(votes.absent, 2) == {
        "user_id": 2, "created_at": 2, "bounty_amount": 2,
    }  # fmt: skip
    posts = {each.name: (each.rows, each.of) for each in ale.tables[0].nulls}
    assert (posts["score"][0], posts["created_at"][0]) == (1, 1)
    assert (posts["tags"], posts["accepted_answer_id"]) == ((1, 3), (2, 3))
    assert "view_count" in ale.tables[0].absent
    assert not {"site", "post_id", "body", "unknown_attributes"} & posts.keys()


def test_threads_scores_months_and_tags(ale: SiteFacts) -> None:
    assert ale.threads == ThreadCounts(3, 2, 1, (-9, -4, 1, 3, 5), (2, 9, 16, 23, 30))
    assert ale.threads.answers_per_question == pytest.approx(2 / 3)
    scores = [(-5, 1, 0), (1, 1, 0), (2, 0, 1), (5, 1, 0), (20, 0, 1)]
    assert ale.scores == tuple(ScoreCount(*score) for score in scores)
    january = 2014 * 12
    assert ale.months == (Month(january, 2, 0), Month(january + 1, 0, 1), Month(january + 3, 1, 1))
    assert ale.tags == (Counted("ale", 2), Counted("hops", 1))


def test_orphans_by_reference(ale: SiteFacts) -> None:
    columns = ("table_name", "reference", "missing_in", "rows")
    assert [tuple(orphan[name] for name in columns) for orphan in ale.orphans] == [
        ("posts", "accepted_answer_id", "posts", 4),
        ("posts", "thread_id", "posts", 3),
        ("votes", "post_id", "posts", 2),
    ]


def test_reasons_that_differ_in_numbers_alone_count_as_one_and_show_the_first(ale: SiteFacts) -> None:
    repeats = "a row has Id … already: byte …"
    assert ale.refusals == (
        Refusal(repeats, 2, "/d/V.xml", 400, "a row has Id 5 already: byte 34", "<row at 400"),
        Refusal("Score is no number", 1, "/d/P.xml", 77, "Score is no number", "<row at 77"),
    )


def facts_of(file: Entry) -> tuple[Any, ...]:
    names = ("source_file", "table_name", "lines", "rows_out", "rows_quarantined", "not_rows", "is_complete")
    return tuple(file[name] for name in names)


def test_files_that_break_off_come_first_and_lines_add_up(ale: SiteFacts) -> None:
    assert ale.file_totals == FileTotals(2, 1, 17, 8, 3, 6)
    assert [facts_of(file) for file in ale.files] == [
        ("/d/V.xml", "votes", 7, 2, 2, 3, False),
        ("/d/P.xml", "posts", 10, 6, 1, 3, True),
    ]
    assert all(map(adds_up, ale.files))


def test_files_that_fill_several_tables(inspection: Inspection) -> None:
    qatar = inspection.sites[1]
    assert [(table.name, table.rows) for table in qatar.tables if table.rows] == [("posts", 1)]
    assert qatar.quarantined_elsewhere == 1
    assert [facts_of(file) for file in qatar.files] == [("/in/train.xml", None, None, 1, 1, None, None)]
    assert qatar.file_totals == FileTotals(1, 0, None, 1, 1, 0)
    assert qatar.threads == ThreadCounts(1, 0, 0)


def test_a_run_that_wrote_few_tables(lake: Lake) -> None:
    (site,) = inspection_of(lake, "earlier").sites
    assert [(table.name, table.rows) for table in site.tables] == [("posts", 6), ("users", 1), ("judgments", 0)]
    assert site.tables[2] == TableFacts("judgments", 0)
    assert (site.refusals, site.files, site.orphans) == ((), (), ())


def shown(capsys: pytest.CaptureFixture[str], lake: Lake, *arguments: str) -> Any:
    assert main(["inspect", "--lake", lake.root, "--format", "json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_and_the_page_of_the_published_run(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def row(rows: int, quarantined: int = 0, orphans: int = 0, *names: str) -> dict[str, Any]:
        return {"rows": rows, "quarantined": quarantined, "orphans": orphans, "unknown_attributes": list(names)}

    page = tmp_path / "later.html"
    assert shown(capsys, lake, "--page", str(page)) == {
        "lake": lake.root,
        "run_id": "later",
        "sites": {
            ALE: {
                "posts": row(6, 1, 7, "Foam", "Mood"),
                "users": row(1, 0, 0, "Foam", "Mood"),
                "comments": row(1),
                "votes": row(2, 2, 2),
            },
            QATAR: {"posts": row(1), "users": row(0), "comments": row(0), "votes": row(0)},
        },
        "quarantined_elsewhere": {QATAR: 1},
    }
    text = page.read_text(encoding="utf-8")
    assert ALE in text
    assert "<svg" in text


def test_changes_from_one_run_to_another(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "changes.html"
    command = ["runs", "compare", "earlier", "--lake", lake.root, "--format", "json", "--page", str(page)]
    assert main(command) == 0
    compared = json.loads(capsys.readouterr().out)
    [diff] = compared.pop("changes")
    assert compared == {"runs": ["earlier", "later"], "settings": {}, "measures": [], "first_answers": []}
    nothing: dict[str, Any] = {"new": 0, "gone": 0, "changed": 0, "columns": {}}
    assert diff == {
        "before": "earlier",
        "after": "later",
        "diff": {
            ALE: {
                "posts": {
                    "new": 1,
                    "gone": 1,
                    "changed": 2,
                    "changed_in_text": 1,
                    "columns": {"view_count": 2, "body": 1, "unknown_attributes": 1},
                },
                "users": nothing,
            },
            QATAR: {"posts": {**nothing, "new": 1, "changed_in_text": 0}},
        },
        "only_before": ["judgments"],
        "only_after": ["comments", "votes"],
    }
    assert "From earlier to later" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("run", "told"), [("nothing", "run nothing has no tables to show"), ("gone", "no run gone has succeeded")]
)
def test_a_run_without_anything_to_show(lake: Lake, run: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--lake", lake.root, "--run-id", run]) == 3
    assert told in capsys.readouterr().err


def test_a_lake_where_nothing_is_published(tmp_path: Path, spark: SparkSession, capsys: Any) -> None:
    with hold(Lake(spark, str(tmp_path)), Holder.of_this_process("test")):
        pass
    assert main(["inspect", "--lake", str(tmp_path)]) == 3
    assert "nothing is published" in capsys.readouterr().err
