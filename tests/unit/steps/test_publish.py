"""What is verified before a run is published, as far as its checks have not done so, and the reason in the run log."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_runs import held, lake_at, new_files, opened, put_users

from cqa_spark.checks.complete_queries import NAME as COMPLETE_QUERIES
from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.errors import ChecksFailed, ContractError, InputError
from cqa_spark.lake.lake import LeasedLake
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog, StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.night import CHECKS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import published_runs
from cqa_spark.steps.publish import Publish, publish_run


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[LeasedLake]:
    with held(lake_at(tmp_path / "lake")) as leased:
        yield leased


def finished_run(lake: LeasedLake, *, verdicts: dict[str, bool] | None = None, rows_in: int = 3) -> Run:
    """A run, r1, that read a file of so many records, two of which became rows and one of which was quarantined."""
    account = FileAccount("a", "a.xml", "train", None, None, None, None, rows_in, 2, 1)  # type: ignore[arg-type]
    with opened(lake, "r1") as run:
        put_users(run, a="xy")
        run.put(RANKINGS, new_files(run, RANKINGS, {"a": [{"query_id": "1"}]}))
        run.write_entries(INGESTED_FILES, [account._asdict()])
        if verdicts is not None:
            checks = [
                {"check": check, "passed": passed, "measured": 0.5, "limit": 0.1, "reason": "half of them"}
                for check, passed in verdicts.items()
            ]
            run.write_entries(CHECKS, checks)
    return run


def last_message(lake: LeasedLake) -> str:
    return RunLog(lake.objects).records()[-1].message


def published_ids(lake: LeasedLake) -> list[str]:
    return [record.run_id for record in published_runs(lake)]


def test_a_run_that_passed_its_checks_is_published_without_looking_at_its_rankings_again(lake: LeasedLake) -> None:
    run = finished_run(lake, verdicts={COMPLETE_QUERIES: True, "row counts": True})
    Publish().execute(run, StepRecord("publish"))
    assert published_ids(lake) == ["r1"]
    assert last_message(lake) == "passed all checks"


def test_a_run_whose_checks_failed_is_not_published(lake: LeasedLake) -> None:
    run = finished_run(lake, verdicts={COMPLETE_QUERIES: True, "row counts": False})
    with pytest.raises(ChecksFailed, match=r"run r1 is not published: row counts: 0.5, limit 0.1 \(half of them\)"):
        Publish().execute(run, StepRecord("publish"))
    assert published_ids(lake) == []
    assert last_message(lake) == "not published, failed: row counts"


def test_a_refused_run_is_published_later_by_force_alone(lake: LeasedLake) -> None:
    finished_run(lake, verdicts={COMPLETE_QUERIES: True, "row counts": False})
    with pytest.raises(ChecksFailed, match="row counts"):
        publish_run(lake, "r1")
    assert published_ids(lake) == []
    publish_run(lake, "r1", force=True, who="anna")
    assert published_ids(lake) == ["r1"]
    assert last_message(lake) == "forced by anna, failed: row counts"
    publish_run(lake, "r1")  # is published already
    assert last_message(lake) == "forced by anna, failed: row counts"


def test_who_forced_it_and_what_failed_stand_in_the_run_log(lake: LeasedLake) -> None:
    run = finished_run(lake, verdicts={COMPLETE_QUERIES: True, "row counts": False, "score drift": False})
    Publish(force=True, who="anna").execute(run, StepRecord("publish"))
    assert published_ids(lake) == ["r1"]
    assert last_message(lake) == "forced by anna, failed: row counts, score drift"


@pytest.mark.parametrize("rows_in", [2, 4])
def test_records_that_were_lost_or_doubled_are_not_published(lake: LeasedLake, rows_in: int) -> None:
    run = finished_run(lake, verdicts={COMPLETE_QUERIES: True}, rows_in=rows_in)
    with pytest.raises(ContractError, match=f"a.xml: {rows_in} in, 2 out, 1 quarantined"):
        Publish(force=True, who="anna").execute(run, StepRecord("publish"))
    assert published_ids(lake) == []


@pytest.mark.parametrize("verdicts", [None, {"row counts": True}, {COMPLETE_QUERIES: False}])
def test_rankings_that_no_check_has_passed_are_looked_at(lake: LeasedLake, verdicts: dict[str, bool] | None) -> None:
    finished_run(lake, verdicts=verdicts)
    with pytest.raises(AssertionError, match="Spark is started"):
        publish_run(lake, "r1", force=True, who="anna")
    assert published_ids(lake) == []


def test_a_run_without_rankings_and_checks_is_published(lake: LeasedLake) -> None:
    with opened(lake, "r1") as run:
        put_users(run, a="xy")
    Publish().execute(run, StepRecord("publish"))
    assert published_ids(lake) == ["r1"]
    assert last_message(lake) == "published"


def test_a_run_that_never_succeeded_is_refused(lake: LeasedLake) -> None:
    with pytest.raises(InputError, match="r7"):
        publish_run(lake, "r7")
