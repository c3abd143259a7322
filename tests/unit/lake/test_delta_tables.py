"""The published tables as other programs see and change them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copy, copytree, rmtree

import pyarrow as pa
import pytest
from attacked_lakes import (
    ALPHA,
    BETA,
    Clock,
    Content,
    copied,
    delta_rs,
    duck_db,
    finished,
    ours,
    publish_tables,
    published,
    report,
    seen,
    taken_over,
    two_tables,  # noqa: F401
)
from deltalake import DeltaTable, write_deltalake
from seams import Killed, Seams, killed_before, pausing, seams

from cqa_spark.errors import ContractError, EnvironmentProblem
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.publishing import publish, rollback
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.table import column

pytestmark = pytest.mark.usefixtures("two_tables")

FIRST: Content = {"alpha": {"a": 1, "b": 1}, "beta": {"a": 1}}
SECOND: Content = {"alpha": {"a": 2, "b": 1}, "beta": {"a": 2}}
WITHOUT_BETA: Content = {"alpha": {"a": 3}}
WITHOUT_ALPHA: Content = {"beta": {"a": 4}}


def test_two_publications_interrupted_between_their_tables(lake: Lake, clock: Clock) -> None:
    published(lake, clock, ("r1", FIRST))
    for run_id, content in (("r2", SECOND), ("r3", WITHOUT_BETA)):
        with taken_over(lake, clock) as leased:
            finished(leased, run_id, content)
    die_between_tables(lake, clock, "r2", commits=1)
    assert (ours(lake), delta_rs(lake)) == (SECOND, {"alpha": SECOND["alpha"], "beta": FIRST["beta"]})
    die_between_tables(lake, clock, "r3", commits=2)  # the first one completes the publication of r2
    assert ours(lake) == WITHOUT_BETA
    assert delta_rs(lake) == duck_db(lake) == {"alpha": WITHOUT_BETA["alpha"], "beta": SECOND["beta"]}
    with taken_over(lake, clock) as leased:
        assert seen(lake) == WITHOUT_BETA
        rollback(leased)
        assert seen(lake) == SECOND


def die_between_tables(lake: Lake, clock: Clock, run_id: str, commits: int) -> None:
    """Publish a run, and die after so many commits."""

    def count(seams: Seams, call: Callable[[], object], of_deltalake: bool) -> object:
        seams.is_down = True  # every call is counted
        if seams.names.count("create_write_transaction") > commits:
            return killed_before(seams, call, of_deltalake)
        return call()

    with seams(count, 1) as between, pytest.raises(Killed), taken_over(lake, clock) as leased:
        publish(leased, run_id)
    assert between.names[-1] == "create_write_transaction"


def test_a_run_without_a_table_of_the_last_one_and_the_other_way_round(lake: Lake, clock: Clock) -> None:
    for number, content in enumerate((WITHOUT_BETA, WITHOUT_ALPHA, FIRST, {}, SECOND, WITHOUT_BETA)):
        published(lake, clock, (f"r{number}", content))
        assert seen(lake) == content
    with taken_over(lake, clock) as leased:
        for number, content in ((4, SECOND), (3, {}), (1, WITHOUT_ALPHA)):
            rollback(leased, f"r{number}")
            assert seen(lake) == content


def compact(table: DeltaTable) -> None:
    table.optimize.compact()


def clean_up(table: DeltaTable) -> None:
    table.vacuum(dry_run=False)
    table.vacuum(dry_run=False, full=True)
    table.cleanup_metadata()


def checkpoint(table: DeltaTable) -> None:
    table.create_checkpoint()


def append(table: DeltaTable) -> None:
    rows = pa.table({"site": ["theirs"], "number": pa.array([99], pa.int32())})
    write_deltalake(table, rows, mode="append")


@pytest.mark.parametrize("act", [compact, clean_up, checkpoint, append])
def test_other_programs_between_any_two_calls_of_a_publication(
    lake: Lake, clock: Clock, tmp_path: Path, act: Callable[[DeltaTable], None]
) -> None:
    published(lake, clock, ("r1", FIRST), ("r2", SECOND))
    with taken_over(lake, clock) as leased:
        finished(leased, "r3", FIRST)
    happened, call = True, 0
    while happened:
        call += 1
        tried = copied(lake, tmp_path / "tried")

        def outsider(root: str = tried.root) -> None:
            for name in ("alpha", "beta"):
                act(DeltaTable(f"{root}/tables/{name}"))

        with taken_over(tried, clock) as leased, seams(pausing(outsider), call) as between:
            publish(leased, "r3")
        happened = between.happened
        assert ours(tried) == FIRST
        if act is not append:  # what others append stays until the next publication
            assert seen(tried) == FIRST, between.names[call - 1 :]
        with taken_over(tried, clock) as leased:
            rollback(leased)
            assert seen(tried) == SECOND


def test_25_publications_with_a_new_column_among_them(
    lake: Lake, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 26):
        if number == 12:
            columns = (*ALPHA.columns, column("more", "double", "declared later"))
            publish_tables(monkeypatch, replace(ALPHA, columns=columns), BETA)
        content: Content = {"alpha": {"a": number, "b": number // 5}, "beta": {"a": number // 2}}
        published(lake, clock, (f"r{number}", content))
        assert seen(lake) == content
    table = DeltaTable(f"{lake.root}/tables/alpha")
    assert table.version() == 25  # the column takes a commit of its own
    assert [field.name for field in table.schema().fields] == ["site", "number", "more"]
    checkpoints = Path(lake.root, "tables/alpha/_delta_log").glob("*.checkpoint.parquet")
    assert sorted(path.name[18:20] for path in checkpoints) == ["09", "19"]
    with taken_over(lake, clock) as leased:
        rollback(leased, "r3")
        assert seen(lake) == {"alpha": {"a": 3, "b": 0}, "beta": {"a": 1}}
        rollback(leased, "r24")


def test_a_column_of_another_type_is_refused_before_anything_changes(
    lake: Lake, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(lake, clock, ("r1", FIRST))
    with taken_over(lake, clock) as leased:
        finished(leased, "r2", SECOND)
    columns = (BETA.columns[0], column("number", "string", "a number, once"))
    publish_tables(monkeypatch, ALPHA, replace(BETA, columns=columns))
    with taken_over(lake, clock) as leased, pytest.raises(ContractError, match="number of the table beta"):
        publish(leased, "r2")
    assert seen(lake) == FIRST
    assert report(lake) == {"r1"}
    publish_tables(monkeypatch, ALPHA, BETA)
    published(lake, clock, ("r3", SECOND))
    assert seen(lake) == SECOND


def test_a_table_that_cannot_be_updated_keeps_no_other_from_it(lake: Lake, clock: Clock) -> None:
    published(lake, clock, ("r1", FIRST))
    log = Path(lake.root, "tables/alpha/_delta_log")
    log.rename(log.with_name("_away"))
    log.write_text("in the way")
    with taken_over(lake, clock) as leased:
        finished(leased, "r2", SECOND)
        with pytest.raises(EnvironmentProblem, match="alpha cannot be updated") as error:
            publish(leased, "r2")
    shown = "run r2 is published; Delta readers may see tables of the run before, until they are updated"
    assert shown in error.value.__notes__
    log.unlink()
    log.with_name("_away").rename(log)
    assert ours(lake) == SECOND
    assert delta_rs(lake) == duck_db(lake) == {"alpha": FIRST["alpha"], "beta": SECOND["beta"]}
    with taken_over(lake, clock):
        assert seen(lake) == SECOND
    assert [each.status for each in RunLog(lake.objects).records("r2")][-1] == "published"


@pytest.mark.parametrize("is_restored", [True, False], ids=["restored", "started over"])
def test_tables_ahead_of_the_run_log_get_the_rows_of_the_next_publication(
    lake: Lake, clock: Clock, tmp_path: Path, is_restored: bool
) -> None:
    published(lake, clock, ("r1", FIRST))
    backup = copied(lake, tmp_path / "backup")
    published(lake, clock, ("r2", SECOND), ("r3", FIRST), ("r4", SECOND))
    rmtree(lake.path("runs"))
    for name in ("published.json", "lease.json"):
        Path(lake.root, name).unlink()
        if is_restored:
            copy(backup.path(name), lake.path(name))
    if is_restored:
        copytree(backup.path("runs"), lake.path("runs"))
    published(lake, clock, ("r5", WITHOUT_BETA))
    assert seen(lake) == WITHOUT_BETA
    published(lake, clock, ("r6", FIRST))
    assert seen(lake) == FIRST


def test_types_that_another_program_changed_last_until_the_next_publication(lake: Lake, clock: Clock) -> None:
    published(lake, clock, ("r1", FIRST))
    rows = pa.table({"site": ["a"], "number": ["1"]})
    write_deltalake(f"{lake.root}/tables/alpha", rows, mode="overwrite", schema_mode="overwrite")
    published(lake, clock, ("r2", SECOND))
    assert seen(lake) == SECOND
