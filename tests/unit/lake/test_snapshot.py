"""A lake of two small runs, and every file of it damaged: a whole run stays published, and errors name the file."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_runs import (
    NOTES,
    crash,
    delta_table,
    finished,
    held,
    lake_at,
    opened,
    paths,
    published,
    put_users,
    stored_bytes,
    users,
)

from cqa_spark.errors import AnotherWriter, ContractError, CqaError, InputError
from cqa_spark.lake.collection import collect
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import LASTS, Holder, take_lease
from cqa_spark.lake.pointer import change_pointer, claim
from cqa_spark.lake.publishing import publish, rollback
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.snapshot import published_runs, published_snapshot, snapshot_of
from cqa_spark.runtime.workspace import write_lake
from cqa_spark.settings.sections import JobSettings

DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "emptied": lambda path: path.write_bytes(b""),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"garbage"),
    "missing": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_of_a_table_that_changed_is_named_before_spark_reads_it(lake: Lake, damage: str) -> None:
    finished(lake, "r1", a="x", b="y")
    for file in snapshot_of(lake, "r1").files(USERS).files:
        content = Path(lake.path(file.path)).read_bytes()
        DAMAGES[damage](Path(lake.path(file.path)))
        with pytest.raises(ContractError, match=f"{file.path} is (missing|damaged)"):
            snapshot_of(lake, "r1").read(USERS)
        Path(lake.path(file.path)).write_bytes(content)


def rolled_back(lake: Lake) -> CqaError | None:
    """Roll back as the command does; return what was in the way."""
    try:
        with write_lake(JobSettings(lake=lake.root), "rollback") as leased:
            rollback(leased)
    except CqaError as error:
        return error
    return None


@pytest.mark.parametrize("damage", DAMAGES)
def test_whatever_file_is_damaged_a_whole_run_is_published_and_the_file_named(
    lake: Lake, tmp_path: Path, damage: str
) -> None:
    for run_id, letter in (("r1", "x"), ("r2", "y")):
        finished(lake, run_id, a=letter)
        published(lake, run_id)
    files = sorted(path.relative_to(lake.root) for path in Path(lake.root).rglob("*") if path.is_file())
    assert len(files) == 16
    for number, file in enumerate(files):
        copy = lake_at(Path(shutil.copytree(lake.root, tmp_path / str(number))))
        DAMAGES[damage](Path(copy.root, file))
        error, is_log = rolled_back(copy), "_delta_log" in file.parts
        if error is not None:
            assert error.exit_code == 4 if is_log else error.exit_code in (3, 5), file
            assert ("tables/users" if is_log else file.name.partition(".")[0]) in error.problem, (file, error.problem)
            assert "\n" not in error.problem
        if is_log and error is not None:
            shutil.rmtree(copy.path("tables/users/_delta_log"))  # as the error advises
            with held(copy):
                error = None
        if error is None:
            assert users(published_snapshot(copy)) == ["a/x"], file
            assert delta_table(copy) == paths(published_snapshot(copy))
        elif file.name != "published.json" and "r2.4" not in file.parts:
            assert users(published_snapshot(copy)) == ["a/y"], file


# Runs of two small tables are published and rolled back, while processes die and lakes move; without Spark.


def test_nothing_is_visible_before_it_is_published(lake: Lake) -> None:
    finished(lake, "r1", a="x")
    with pytest.raises(InputError, match="nothing is published"):
        published_snapshot(lake)
    published(lake, "r1")
    finished(lake, "r2", a="y")
    assert users(published_snapshot(lake)) == ["a/x"]
    published(lake, "r2")
    assert users(published_snapshot(lake)) == ["a/y"]
    with pytest.raises(RuntimeError, match="power cut"):
        crash(lake, RuntimeError("power cut"))
    assert users(published_snapshot(lake)) == ["a/y"]


def test_the_same_run_again_converges_and_publishing_twice_adds_no_record(lake: Lake) -> None:
    for _ in range(2):
        finished(lake, "r1", a="x")
        first = published(lake, "r1")
        assert published(lake, "r1") == first
        assert users(published_snapshot(lake)) == ["a/x"]
    assert [each.attempt for each in RunLog(lake.objects).records(status="published")] == [1, 4]


def test_the_page_of_the_lake_is_that_of_the_latest_published_run_that_has_one(lake: Lake) -> None:
    for run_id, corpus in (("r1", "forum"), ("s1", "list"), ("r2", "forum")):
        with opened(lake, run_id) as run:
            run.read_corpus(corpus)
            if run_id == "r1":
                lake.objects.put(f"runs/r1.{run.record.attempt}/index.html", b"page of r1")
                run.add_artifact("index", run.artifact_path("index.html"))
    page = Path(lake.root, "index.html")
    published(lake, "r1")
    published(lake, "s1")
    assert page.read_text() == "page of r1"
    published(lake, "r2")
    assert not page.exists()
    with held(lake) as leased:
        rollback(leased, "r1")
    assert page.read_text() == "page of r1"


def test_a_publication_replaces_the_run_of_its_corpus_alone(lake: Lake) -> None:
    for run_id, corpus, sites in (("r1", "forum", {"a": "x"}), ("s1", "list", {"b": "y"}), ("r2", "forum", {"a": "z"})):
        finished(lake, run_id, corpus, **sites)
        published(lake, run_id)
    snapshot = published_snapshot(lake)
    assert users(snapshot) == ["a/z", "b/y"]
    assert delta_table(lake) == paths(snapshot)
    assert snapshot.entries(NOTES) == [{"note": "r2"}, {"note": "s1"}]
    assert [(each.run_id, each.corpus, each.sites) for each in published_runs(lake)] == [
        ("r2", "forum", ("a",)),
        ("s1", "list", ("b",)),
    ]
    assert [snapshot.of_site(site).record.run_id for site in "abc"] == ["r2", "s1", "r2"]
    with held(lake) as leased:
        assert rollback(leased).message == "rolled back from r2"
        assert users(published_snapshot(lake)) == ["a/x", "b/y"]
        with pytest.raises(InputError, match="run s1 was not published before"):
            rollback(leased, "s1")
    finished(lake, "s2", "list", c="w")
    published(lake, "s2")
    with held(lake) as leased:
        assert rollback(leased, "r2").message == "rolled back from r1"
    assert users(published_snapshot(lake)) == ["a/z", "c/w"]


def test_a_collection_of_one_corpus_keeps_the_runs_of_others(lake: Lake) -> None:
    for number in (1, 2):
        for corpus in ("forum", "list"):
            finished(lake, f"{corpus}{number}", corpus, **{f"of_{corpus}": "x"})
            published(lake, f"{corpus}{number}")
    with held(lake) as leased:
        kept = collect(leased, 1, fewest=1, corpus="forum").kept
        assert {each.run_id for each in kept} == {"forum2", "list1", "list2"}
        assert {each.run_id for each in collect(leased, 1, fewest=1).kept} == {"forum2", "list2"}


def test_a_run_that_may_still_be_published_is_kept_until_one_of_its_corpus_is(lake: Lake) -> None:
    finished(lake, "f1", "forum", of_forum="x")
    published(lake, "f1")
    finished(lake, "waits", "forum", of_forum="x")
    for corpus, run_id, kept in (("list", "l1", {"f1", "waits", "l1"}), ("forum", "f2", {"f1", "l1", "f2"})):
        finished(lake, run_id, corpus, **{f"of_{corpus}": "x"})
        published(lake, run_id)
        with held(lake) as leased:
            assert {each.run_id for each in collect(leased, 1).kept} == kept


def test_a_site_is_of_one_corpus(lake: Lake) -> None:
    finished(lake, "r1", "forum", a="x")
    published(lake, "r1")
    finished(lake, "s1", "list", a="y", b="y")
    with pytest.raises(InputError) as refused:
        published(lake, "s1")
    assert refused.value.problem == (
        "run s1 is not published: a is a site of forum, by the published run r1; nothing was changed"
    )
    assert users(published_snapshot(lake)) == ["a/x"]


def test_who_comes_after_a_dead_writer_completes_its_publication(lake: Lake) -> None:
    success = finished(lake, "r1", a="x")
    dead = Holder.of_this_process("nightly").model_copy(update={"pid": 2**22 + 1})
    lease = take_lease(lake.objects, dead, lambda: datetime.now(UTC))
    claim(lake.objects, lease.token)
    RunLog(lake.objects).append(replace(success, run_id="r2", status="running", attempt=3))
    shown = replace(success, status="published", message="killed before the log was written", sequence=4)
    change_pointer(lake.objects, lease.token, lambda pointer: pointer.model_copy(update={"record": shown}))
    for _ in range(2):
        with held(lake):
            records = RunLog(lake.objects).records()[3:]
            assert [(each.run_id, each.status, each.message) for each in records] == [
                ("r1", "published", shown.message),
                ("r2", "failed", f"ended without a record: {dead}"),
            ]
            assert delta_table(lake) == paths(published_snapshot(lake))
    assert published_runs(lake) == (shown,)


def overtake(lake: Lake) -> None:
    """Another process takes the lease, long after this one last renewed it."""
    later = Holder(job="second", host="other", pid=1, machine="another machine", attempt="2")
    take_lease(lake.objects, later, lambda: datetime.now(UTC) + 2 * LASTS, sleep=lambda _: None)


def test_a_process_that_lost_the_lease_writes_nothing_more(lake: Lake) -> None:
    for run_id, letter in (("r1", "x"), ("r2", "y")):
        finished(lake, run_id, a=letter)
        published(lake, run_id)
    finished(lake, "r3", a="z")

    def sleep_and_go_on() -> None:
        with held(lake) as sleeper, opened(sleeper, "late") as run:
            put_users(run, a="late")
            overtake(lake)
            before = stored_bytes(lake)
            for write in (
                lambda: run.write_entries(NOTES, [{"note": "late"}]),
                lambda: publish(sleeper, "r3"),
                lambda: rollback(sleeper),
            ):
                with pytest.raises(AnotherWriter, match="another process has taken the lease"):
                    write()
            assert stored_bytes(lake) == before

    with pytest.raises(AnotherWriter):
        sleep_and_go_on()
    assert users(published_snapshot(lake)) == ["a/y"]
    assert RunLog(lake.objects).last_success("late") is None
