"""Collection: what it keeps and deletes, and what a failure or a kill at any of its calls leaves."""

from contextlib import suppress
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from attacked_lakes import (
    Clock,
    Content,
    copied,
    finished,
    ours,
    published,
    seen,
    taken_over,
    two_tables,  # noqa: F401
)
from deltalake import DeltaTable
from seams import Fault, Killed, answer_lost, killed_before, seams
from small_runs import no_spark

from cqa_spark.errors import ContractError, CqaError, InputError
from cqa_spark.lake.collection import collect
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import LASTS, Holder
from cqa_spark.lake.opening import restore
from cqa_spark.lake.pointer import change_pointer
from cqa_spark.lake.publishing import publish, rollback
from cqa_spark.lake.run_log import RunLog

pytestmark = pytest.mark.usefixtures("two_tables")

NIGHTS: dict[str, Content] = {
    f"r{number}": {"alpha": {"a": number, "b": 1}, "beta": {"a": number}} for number in range(1, 6)
}


@pytest.fixture
def lake(tmp_path: Path, clock: Clock) -> Lake:
    """Four runs were published; the first one's rows of site b are in all of them."""
    lake = Lake(no_spark, str(tmp_path / "lake"))
    published(lake, clock, *[(run_id, NIGHTS[run_id]) for run_id in ("r1", "r2", "r3", "r4")])
    return lake


def folders_of_runs(lake: Lake) -> set[str]:
    """The runs with any file, but for those of site b."""
    return {path.split("/")[1].partition(".")[0] for path in lake.objects.sizes("runs/") if "/log/" not in path}


def collected(lake: Lake, clock: Clock, keep: int) -> None:
    with taken_over(lake, clock) as leased:
        collect(leased, keep)


def refused(lake: Lake, clock: Clock, run_id: str) -> str:
    """The message of the refusal to publish a run; nothing changes."""
    with taken_over(lake, clock) as leased:
        before, log = seen(lake), len(RunLog(lake.objects).records())
        with pytest.raises(InputError) as error:
            publish(leased, run_id)
        assert (seen(lake), len(RunLog(lake.objects).records())) == (before, log)
    return str(error.value)


def test_files_that_no_kept_run_needs_are_deleted(lake: Lake, clock: Clock) -> None:
    first = set(lake.objects.sizes("tables/alpha/r1.1/"))
    with taken_over(lake, clock) as leased:
        done = collect(leased, 2)
    assert [each.run_id for each in done.kept] == ["r4", "r3"]
    assert sorted(done.attempts) == ["r1.1", "r2.4"]
    assert folders_of_runs(lake) == {"r3", "r4"}
    assert len(first) == 2
    assert len(lake.objects.sizes("tables/alpha/r1.1/")) == 1  # of site b, in r3 and r4
    assert seen(lake) == NIGHTS["r4"]
    with taken_over(lake, clock) as leased:
        assert collect(leased, 2).files == 0
        rollback(leased)
    assert seen(lake) == NIGHTS["r3"]


def test_a_collected_run_is_refused_and_nights_go_on(lake: Lake, clock: Clock) -> None:
    collected(lake, clock, 2)
    assert refused(lake, clock, "r1") == f"run r1 of {lake.root} was collected\n  → choose one of: r3, r4"
    with (
        taken_over(lake, clock) as leased,
        pytest.raises(InputError, match=r"it was collected; nothing was changed\n.*publish one of: r4, r3"),
    ):
        rollback(leased, "r2")
    with taken_over(lake, clock) as leased:
        assert finished(leased, "r1", {}, resume=True).tables == {}  # as one that never succeeded
    published(lake, clock, ("r5", NIGHTS["r5"]))
    assert seen(lake) == NIGHTS["r5"]


def test_more_runs_can_be_kept_than_were_before(lake: Lake, clock: Clock) -> None:
    collected(lake, clock, 2)
    for number in range(3):
        with taken_over(lake, clock) as leased, pytest.raises(RuntimeError):
            finished(leased, f"failed{number}", NIGHTS["r5"], fails=True)
        collected(lake, clock, 10)
        assert folders_of_runs(lake) == {"r3", "r4"}


def test_files_of_failed_attempts_are_collected(lake: Lake, clock: Clock) -> None:
    with taken_over(lake, clock) as leased, pytest.raises(RuntimeError):
        finished(leased, "r5", NIGHTS["r5"], fails=True)
    assert "r5" in folders_of_runs(lake)
    collected(lake, clock, 10)
    assert folders_of_runs(lake) == {"r1", "r2", "r3", "r4"}
    assert not [path for path in lake.objects.sizes("tables/") if "/r5." in path]


def test_runs_that_users_keep_and_runs_that_wait_are_kept(lake: Lake, clock: Clock) -> None:
    with taken_over(lake, clock) as leased:
        finished(leased, "r5", NIGHTS["r5"])
        change_pointer(lake.objects, leased.lease.token, lambda pointer: pointer.model_copy(update={"kept": ("r1",)}))
        collect(leased, 2)
    assert folders_of_runs(lake) == {"r1", "r3", "r4", "r5"}
    for run_id in ("r1", "r5"):
        with taken_over(lake, clock) as leased:
            publish(leased, run_id)
        assert seen(lake) == NIGHTS[run_id]


def test_files_of_outsiders_are_left(lake: Lake, clock: Clock) -> None:
    place = f"{lake.root}/tables/alpha"
    DeltaTable(place).optimize.compact()
    theirs = {
        "tables/alpha/theirs.parquet",
        "tables/alpha/site=a.1/theirs.parquet",
        "tables/alpha/_change_data/x/theirs.parquet",
        "tables/theirs/a/b/c/theirs.parquet",
        "tables/alpha/r1.1/theirs.parquet",
        "runs/README.txt",
        "runs/theirs/notes.txt",
    }
    for path in theirs:
        lake.objects.put(path, b"theirs")
    compacted = {path for path in lake.objects.sizes("tables/alpha/part-")}
    assert compacted
    collected(lake, clock, 2)
    assert theirs | compacted <= lake.objects.sizes().keys()
    assert seen(lake) == NIGHTS["r4"]


def test_a_pointer_of_an_older_backup_is_refused_and_written_anew_from_the_log(lake: Lake, clock: Clock) -> None:
    pointer = Path(lake.root, "published.json")
    old = pointer.read_bytes()
    published(lake, clock, ("r5", NIGHTS["r5"]), ("r6", NIGHTS["r5"]))
    collected(lake, clock, 2)
    for content in (old, b"{garbage", None):
        pointer.unlink() if content is None else pointer.write_bytes(content)
        if content == old:
            with pytest.raises(ContractError, match=r"names run r4, which was collected: .*\n.*runs restore-pointer"):
                collected(lake, clock, 2)
        clock.now += LASTS
        assert [record.run_id for record in restore(lake, Holder.of_this_process("test"), clock).records] == ["r6"]
        assert seen(lake) == NIGHTS["r5"]
        collected(lake, clock, 2)
    with taken_over(lake, clock) as leased:
        assert rollback(leased).run_id == "r5"


def test_a_bucket_that_lists_objects_late_loses_no_published_run(lake: Lake, clock: Clock) -> None:
    listed = RunLog._listed
    with taken_over(lake, clock) as leased, pytest.MonkeyPatch.context() as patched:
        patched.setattr(RunLog, "_listed", lambda log: listed(log)[:-3])
        with pytest.raises(ContractError, match="r4 is published, and the storage does not list its records"):
            collect(leased, 2)
    assert folders_of_runs(lake) == {"r1", "r2", "r3", "r4"}


def test_a_log_of_an_older_backup_is_refused_and_the_pointer_written_anew(
    lake: Lake, clock: Clock, tmp_path: Path
) -> None:
    backup = copied(lake, tmp_path / "backup")
    published(lake, clock, ("r5", NIGHTS["r5"]), ("r6", NIGHTS["r5"]))
    rmtree(lake.path("runs"))
    copytree(backup.path("runs"), lake.path("runs"))
    with (
        pytest.raises(ContractError, match="names record 18 of the run log, which ends with record 12"),
        taken_over(lake, clock),
    ):
        pass
    clock.now += LASTS
    assert [record.run_id for record in restore(lake, Holder.of_this_process("test"), clock).records] == ["r4"]
    assert seen(lake) == NIGHTS["r4"]


def test_what_killed_writes_left_is_collected(lake: Lake, clock: Clock) -> None:
    left = Path(lake.root, f".report.html.{'0' * 32}")
    left.write_bytes(b"quotes a post")
    with taken_over(lake, clock) as leased:
        done = collect(leased, 10)
    assert (done.files, done.bytes, left.exists()) == (1, 13, False)


@pytest.mark.parametrize("fault", [killed_before, answer_lost])
def test_interrupted_at_any_call_and_repeated(lake: Lake, clock: Clock, tmp_path: Path, fault: Fault) -> None:
    happened, call, published_again = True, 0, set()
    while happened:
        call += 1
        tried = copied(lake, tmp_path / "tried")
        with seams(fault, call, only_writes=True) as between, suppress(CqaError, Killed):
            collected(tried, clock, 2)
        happened = between.happened
        assert seen(tried) == NIGHTS["r4"]
        with taken_over(tried, clock) as leased:
            try:
                publish(leased, "r2")
                published_again.add(True)
                assert ours(tried) == NIGHTS["r2"]
            except InputError:
                published_again.add(False)
                assert finished(leased, "r2", {}, resume=True).tables == {}
            publish(leased, "r3")
            collect(leased, 2)
            collect(leased, 10)
            collect(leased, 10)
        assert seen(tried) == NIGHTS["r3"]
        assert not [path for path in tried.objects.sizes() if path.startswith("runs/r1.")]
    assert published_again == {True, False}
    assert call > 10
