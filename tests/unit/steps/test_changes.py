"""The rows of sites that changed, counted from files, without Spark."""

from pathlib import Path

import pytest
from small_runs import lake_at, new_files, opened, published, put_users

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.night import CHANGES, FIRST_ANSWERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot, published_snapshot
from cqa_spark.steps.changes import Changes, FirstAnswers

COLUMNS = ("site", "table_name", "rows_before", "rows")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return lake_at(tmp_path / "lake")


@pytest.fixture
def last(lake: Lake) -> Snapshot:
    """A published run with users of sites a, b and c, and comments of site a."""
    with opened(lake, "last") as run:
        put_users(run, a="xy", b="y", c="z")
        run.put(USERS, run.files(USERS).with_fingerprints({"a": "1", "b": "1", "c": "1"}))
        run.put(COMMENTS, new_files(run, COMMENTS, {"a": [{"comment_id": "1"}]}))
    published(lake, "last")
    return published_snapshot(lake)


def test_sites_that_changed_appeared_or_are_gone_are_counted_by_table(lake: Lake, last: Snapshot) -> None:
    counts = StepRecord("changes")
    with opened(lake, "tonight") as run:
        put_users(run, d="uvw", a="xyz", b="y")
        run.put(USERS, run.files(USERS).with_fingerprints({"a": "2", "b": "1", "d": "1"}))
        run.put(POSTS, new_files(run, POSTS, {"a": [{"post_id": "1"}, {"post_id": "2"}]}))
        Changes(last).execute(run, counts)
        assert [tuple(entry[name] for name in COLUMNS) for entry in run.entries(CHANGES)] == [
            ("a", "comments", 1, 0),
            ("a", "posts", 0, 2),
            ("a", "users", 2, 3),
            ("c", "users", 1, 0),
            ("d", "users", 0, 3),
        ]
    assert counts.rows_out == 5


def test_a_night_without_changes_has_none(lake: Lake, last: Snapshot) -> None:
    with opened(lake, "tonight") as run:
        for table in (USERS, COMMENTS):
            run.put(table, last.files(table))
        Changes(last).execute(run, StepRecord("changes"))
        assert run.entries(CHANGES) == []


@pytest.mark.parametrize("is_ranked", [True, False], ids=["the same rankings", "no rankings before"])
def test_first_answers_are_compared_on_sites_that_changed_alone(lake: Lake, is_ranked: bool) -> None:
    """Spark, which must not be started, would compare."""
    with opened(lake, "last") as run:
        put_users(run, a="x")
        ranking = new_files(run, RANKINGS, {"a": [{"query_id": "1"}]}).with_fingerprints({"a": "1"})
        if is_ranked:
            run.put(RANKINGS, ranking)
    published(lake, "last")
    counts, entries = StepRecord("first answers"), list[Entry]()
    with opened(lake, "tonight") as run:
        run.put(RANKINGS, ranking)
        FirstAnswers(published_snapshot(lake)).execute(run, counts)
        entries = run.entries(FIRST_ANSWERS)
    assert (entries, counts.rows_in, counts.rows_out) == ([], 0, 0)
