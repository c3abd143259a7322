"""Publishing and rolling back, with a failure and a kill at every call that they make."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from attacked_lakes import (
    OUTSIDERS,
    REPORTS,
    Clock,
    Content,
    copied,
    finished,
    ours,
    published,
    report,
    seen,
    taken_over,
    two_tables,  # noqa: F401
)
from seams import Fault, Killed, answer_lost, fails_from_here, fails_once, killed_before, seams
from small_runs import no_spark

from cqa_spark.errors import AnotherWriter, CqaError, InputError
from cqa_spark.lake import collection, delta_tables, publishing
from cqa_spark.lake import run_log as run_record
from cqa_spark.lake.collection import collect
from cqa_spark.lake.lake import Lake, LeasedLake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.pointer import read_pointer
from cqa_spark.lake.publishing import publish, remove_earlier_report, rollback
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.snapshot import published_snapshot, snapshot_of

pytestmark = pytest.mark.usefixtures("two_tables")

FIRST: Content = {"alpha": {"a": 1, "b": 1}, "beta": {"a": 1}}
SECOND: Content = {"alpha": {"a": 2, "b": 1}, "beta": {"a": 2, "c": 2}}


@pytest.fixture
def lake(tmp_path: Path, clock: Clock) -> Lake:
    """The first run is published, and the second has finished."""
    lake = Lake(no_spark, str(tmp_path / "lake"))
    published(lake, clock, ("r1", FIRST))
    with taken_over(lake, clock) as leased:
        finished(leased, "r2", SECOND)
    return lake


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


def test_the_report_before_stays_until_a_run_without_one_is_published_and_then_goes_whole(
    lake: Lake, clock: Clock, tmp_path: Path
) -> None:
    """As ``cqa lake forget`` publishes a run whose report would quote what is forgotten: killed anywhere, repeated."""
    with taken_over(lake, clock) as leased:
        finished(leased, "r3", SECOND, reports=())

    def forget(leased: LeasedLake) -> None:
        if published_snapshot(leased).record.run_id != "r3":
            publish(leased, "r3")
        remove_earlier_report(leased)

    happened, call, states = True, 0, set()
    while happened:
        call += 1
        tried = copied(lake, tmp_path / "tried")
        with seams(killed_before, call, only_writes=True) as between:
            with suppress(Killed), taken_over(tried, clock) as leased:
                forget(leased)
            happened = between.happened
        reports = [name for name in REPORTS if tried.objects.read(name) is not None]
        states.add((ours(tried) == SECOND, len(reports)))
        with taken_over(tried, clock) as leased:
            forget(leased)
        assert seen(tried) == SECOND
        assert report(tried) == set()
        assert list(tried.objects.keys("report")) == []
    assert states == {(False, 2), (True, 2), (True, 1), (True, 0)}


@pytest.mark.parametrize(
    "lost", ["tables/alpha/r1.", "tables/beta/r1.", "runs/r1.1/notes", "runs/r1.1/manifest", "runs/r1.1/model"]
)
def test_a_run_that_lacks_a_file_is_refused(lake: Lake, clock: Clock, lost: str) -> None:
    """The message names a run that can be published, and nights go on."""
    with taken_over(lake, clock) as leased:
        publish(leased, "r2")
        finished(leased, "r3", {"alpha": {"a": 3}})
        publish(leased, "r3")
    needed_later = set(published_snapshot(lake).manifest.all_sizes()) | set(
        snapshot_of(lake, "r2").manifest.all_sizes()
    )
    gone = next(path for path in lake.objects.sizes(lost) if path not in needed_later)
    lake.objects.delete(gone)
    before = contents(lake), read_pointer(lake.objects).record
    for act in (lambda leased: rollback(leased, "r1"), lambda leased: publish(leased, "r1")):
        with (
            taken_over(lake, clock) as leased,
            pytest.raises(InputError, match=r"nothing was changed\n.*publish one of: r3, r2$"),
        ):
            act(leased)
    assert (contents(lake), read_pointer(lake.objects).record) == before
    published(lake, clock, ("r4", SECOND))
    assert seen(lake) == SECOND


def test_another_run_with_a_damaged_manifest_is_not_named(lake: Lake, clock: Clock) -> None:
    with taken_over(lake, clock) as leased:
        publish(leased, "r2")
        finished(leased, "r3", {})
        publish(leased, "r3")
    lake.objects.put("runs/r2.4/manifest.json", b"{")
    lake.objects.delete("runs/r1.1/manifest.json")
    with taken_over(lake, clock) as leased:
        with pytest.raises(InputError, match=r"run r2 cannot be published: .*manifest\.json is damaged"):
            rollback(leased)
        with pytest.raises(InputError, match=r"publish one of: r3$"):
            rollback(leased, "r1")


def test_a_repeated_or_continued_run_leaves_the_files_of_its_earlier_attempts(lake: Lake, clock: Clock) -> None:
    before = contents(lake)
    with taken_over(lake, clock) as leased:
        with pytest.raises(RuntimeError):
            finished(leased, "r1", SECOND, fails=True)
        finished(leased, "r1", SECOND)
        finished(leased, "r1", {"beta": {"a": 9}}, resume=True)
        assert {path: contents(lake)[path] for path in before} == before
        publish(leased, "r1")
        assert seen(lake) == {"alpha": SECOND["alpha"], "beta": {"a": 9}}
        rollback(leased, "r1")  # to its first attempt
        assert seen(lake) == FIRST


def test_clocks_that_jump_change_nothing(lake: Lake, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, year in enumerate((2400, 1975, 2026), 3):
        clock.now = clock.now.replace(year=year)
        moment = clock.now.timestamp()
        monkeypatch.setattr(delta_tables.time, "time_ns", lambda moment=moment: int(moment * 1e9))
        for module in (publishing, run_record, collection):
            monkeypatch.setattr(module, "datetime", type("datetime", (), {"now": lambda zone, now=clock.now: now}))
        content: Content = {"alpha": {"a": number}, "beta": {"a": number}}
        published(lake, clock, (f"r{number}", content))
        assert seen(lake) == content
        with taken_over(lake, clock) as leased:
            collect(leased, 3)
    with taken_over(lake, clock) as leased:
        rollback(leased)
        assert seen(lake) == {"alpha": {"a": 4}, "beta": {"a": 4}}
        rollback(leased, "r3")
        assert seen(lake) == {"alpha": {"a": 3}, "beta": {"a": 3}}


def test_twenty_processes_at_once(lake: Lake, clock: Clock) -> None:
    """They publish the same run id; who does not get the lease tries again."""

    def run(number: int) -> None:
        while True:
            try:
                with hold(lake, Holder.of_this_process(f"night {number}")) as leased:
                    finished(leased, "same", {"alpha": {"a": number}, "beta": {"a": number}})
                    publish(leased, "same")
                    return
            except AnotherWriter:
                time.sleep(0.01)

    with ThreadPoolExecutor(20) as processes:
        list(processes.map(run, range(20)))
    records = RunLog(lake.objects).records("same", status="published")
    assert len({each.attempt for each in records}) == len(records) == 20
    content = seen(lake)
    assert content["alpha"] == content["beta"]
    log = RunLog(lake.objects).records()
    assert [each.sequence for each in log] == list(range(1, len(log) + 1))


def test_a_lake_that_is_moved_or_copied(
    lake: Lake, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with taken_over(lake, clock) as leased:
        publish(leased, "r2")
    there = tmp_path / "with spaces" / "a#b?c"
    there.mkdir(parents=True)
    Path(lake.root).rename(there / "moved")
    monkeypatch.chdir(there)
    for root in (str(there / "moved"), "moved", "./moved", "../a#b?c/moved/"):
        moved = Lake(no_spark, root)
        assert seen(moved) == SECOND
        with taken_over(moved, clock) as leased:
            rollback(leased)
            assert seen(moved) == FIRST
            assert published_snapshot(moved).record.artifacts == {"model": moved.path("runs/r1.1/model.bin")}
            publish(leased, "r2")
            collect(leased, 2)
    copy = copied(Lake(no_spark, "moved"), tmp_path / "copy")
    published(copy, clock, ("r3", {"alpha": {"a": 3}}))
    with taken_over(copy, clock) as leased:
        collect(leased, 2)
        rollback(leased)
    assert seen(copy) == seen(Lake(no_spark, "moved")) == SECOND


def contents(lake: Lake) -> dict[str, bytes]:
    """Every file of runs, but for the log."""
    stored = {key: lake.objects.read(key) for key in lake.objects.sizes() if key.startswith(("tables/", "runs/"))}
    return {key: each.data for key, each in stored.items() if each is not None and "log/" not in key}
