"""Publishing and rolling back, with a failure and a kill at every call that they make."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from attacked_lakes import (
    OUTSIDERS,
    Clock,
    Content,
    finished,
    no_spark,
    ours,
    published,
    report,
    seen,
    taken_over,
    two_tables,  # noqa: F401
)
from seams import Fault, Killed, answer_lost, fails_from_here, fails_once, killed_before, seams

from cqa_spark.errors import CqaError
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.publishing import publish, rollback
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.storage import Lake

pytestmark = pytest.mark.usefixtures("two_tables")

FIRST: Content = {"alpha": {"a": 1, "b": 1}, "beta": {"a": 1}}
SECOND: Content = {"alpha": {"a": 2, "b": 1}, "beta": {"a": 2, "c": 2}}
WITHOUT_BETA: Content = {"alpha": {"a": 3}}
WITHOUT_ALPHA: Content = {"beta": {"a": 4}}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lake(tmp_path: Path, clock: Clock) -> Lake:
    """The first run is published, and the second has finished."""
    lake = Lake(no_spark, str(tmp_path / "lake"))
    published(lake, clock, ("r1", FIRST))
    with taken_over(lake, clock) as leased:
        finished(leased, "r2", SECOND)
    return lake


def copied(lake: Lake, to: Path) -> Lake:
    if to.exists():
        shutil.rmtree(to)
    shutil.copytree(lake.root, to)
    return Lake(no_spark, str(to))


def rolled_back(leased: LeasedLake) -> None:
    rollback(leased)


def published_second(leased: LeasedLake) -> None:
    publish(leased, "r2")


@pytest.mark.parametrize(
    ("fault", "before", "act", "old", "new"),
    [
        pytest.param(killed_before, ("r1",), published_second, FIRST, SECOND, id="killed while publishing"),
        pytest.param(fails_once, ("r1",), published_second, FIRST, SECOND, id="a call of publishing fails"),
        pytest.param(answer_lost, ("r1",), published_second, FIRST, SECOND, id="an answer to publishing is lost"),
        pytest.param(fails_from_here, ("r1",), published_second, FIRST, SECOND, id="storage fails while publishing"),
        pytest.param(killed_before, ("r1", "r2"), rolled_back, SECOND, FIRST, id="killed while rolling back"),
    ],
)
def test_readers_see_the_old_or_the_new_version_and_the_next_writer_completes_it(
    lake: Lake,
    clock: Clock,
    tmp_path: Path,
    fault: Fault,
    before: tuple[str, ...],
    act: Callable[[LeasedLake], None],
    old: Content,
    new: Content,
) -> None:
    if "r2" in before:
        with taken_over(lake, clock) as leased:
            publish(leased, "r2")
    happened, call, outcomes = True, 0, set()
    while happened:
        call += 1
        tried = copied(lake, tmp_path / "tried")
        with seams(fault, call, only_writes=fault in (killed_before, answer_lost)) as between:
            try:
                with taken_over(tried, clock) as leased:
                    act(leased)
            except (CqaError, Killed):
                pass
            happened = between.happened
        assert ours(tried) in (old, new)
        for reader in OUTSIDERS:
            rows = reader(tried)
            for name in ("alpha", "beta"):
                assert rows[name] in (old[name], new[name]), (call, between.names[-3:])
        with taken_over(tried, clock):
            outcome = seen(tried)
        assert outcome in (old, new), (call, between.names[-3:])
        log = RunLog(tried.objects).records()
        assert [each.sequence for each in log] == list(range(1, len(log) + 1))
        shown = [each.run_id for each in log if each.status == "published"][-1]
        assert report(tried) == {shown} == {"r1" if outcome == FIRST else "r2"}
        outcomes.add(outcome == new)
    assert outcomes == {False, True}
    assert call > 10
