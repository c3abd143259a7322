"""Which sites a run computes, and which published files it keeps: decided by what rows are made from, without Spark."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pytest
from small_runs import held, lake_at, new_files, opened, published, put_users

from cqa_spark.lake.lake import Lake
from cqa_spark.lake.model_folder import Copy, new_model_folder
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot, published_snapshot, snapshot_of
from cqa_spark.lake.table import NO_FILES, Table
from cqa_spark.settings.sections import SettingsSection
from cqa_spark.settings.values import NotHashed
from cqa_spark.steps.changed_sites import SiteUpdate, site_update
from cqa_spark.systems.trained_system import model_artifact


class Window(SettingsSection):
    """Settings within a section."""

    days: int = 7
    cores: Annotated[int, NotHashed()] = 2


class Cut(SettingsSection):
    """Settings that a table may follow from."""

    window: Window = Window()


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return lake_at(tmp_path / "lake")


def update_of(
    run: Run,
    last: Snapshot | None,
    *,
    table: Table = COMMENTS,
    inputs: Sequence[Table] = (USERS, POSTS),
    settings: Cut | None = None,
    **more: Sequence[str],
) -> SiteUpdate:
    return site_update(run, last, table, inputs, settings={"cut": settings or Cut()}, **more)


def use_model(run: Run, path: str) -> None:
    run.lake.objects.put(f"{path}/model.json", b"{}")
    run.add_artifact(model_artifact("best_a"), run.lake.path(path))


@pytest.fixture
def last(lake: Lake) -> Snapshot:
    """A published run with users and comments of sites a and b; the comments follow from the users."""
    with opened(lake, "last") as run:
        put_users(run, a="x", b="y")
        run.put(USERS, run.files(USERS).with_fingerprints({"a": "fa", "b": "fb"}))
        use_model(run, "runs/old.1/models/best_a")
        comments = new_files(run, COMMENTS, {"a": [{"comment_id": "1"}], "b": [{"comment_id": "2"}]})
        run.put(COMMENTS, comments.with_fingerprints(update_of(run, None, models=["best_a"]).fingerprints))
    published(lake, "last")
    return published_snapshot(lake)


@pytest.fixture
def run(lake: Lake, last: Snapshot) -> Run:
    """A run with the same users, in other files, and the same model."""
    with opened(lake, "next") as run:
        put_users(run, a="x", b="y")
        run.put(USERS, run.files(USERS).with_fingerprints({"a": "fa", "b": "fb"}))
        use_model(run, "runs/old.1/models/best_a")
    return run


def test_a_run_from_equal_inputs_keeps_the_published_files(run: Run, last: Snapshot) -> None:
    update = update_of(run, last, models=["best_a"])
    assert update.sites == set()
    assert update.keep()
    assert run.files(COMMENTS) == last.files(COMMENTS)
    assert run.record.tables["comments"] == 2


def test_several_tables_are_kept_together(run: Run, last: Snapshot) -> None:
    assert update_of(run, last, models=["best_a"]).keep(USERS)
    assert run.files(USERS).files == last.files(USERS).files
    assert run.files(COMMENTS).files == last.files(COMMENTS).files


def test_a_site_that_changed_is_computed_and_nothing_is_kept_at_once(run: Run, last: Snapshot) -> None:
    run.put(USERS, run.files(USERS).with_fingerprints({"b": "changed"}))
    update = update_of(run, last, models=["best_a"])
    assert update.sites == {"b"}
    assert update.fingerprints["a"] == last.files(COMMENTS).fingerprint("a")
    assert update.fingerprints["b"] != last.files(COMMENTS).fingerprint("b")
    assert not update.keep()
    assert not run.has(COMMENTS)


def test_without_a_fingerprint_other_files_are_other_rows(run: Run, last: Snapshot) -> None:
    put_users(run, a="x", b="y")
    assert update_of(run, last, models=["best_a"]).sites == {"a", "b"}
    run.put(USERS, last.files(USERS))
    assert update_of(run, last, models=["best_a"]).sites == set()


def test_a_new_site_is_computed_and_one_that_is_gone_is_removed(run: Run, last: Snapshot) -> None:
    users = new_files(run, USERS, {"c": [{"user_id": "z"}]})
    run.put(USERS, run.files(USERS).without(["b"]).united(users))
    update = update_of(run, last, models=["best_a"])
    assert update.sites == {"b", "c"}
    assert update.fingerprints.keys() == {"a", "c"}


def test_a_site_that_appears_in_any_input_is_computed(run: Run, last: Snapshot) -> None:
    run.put(POSTS, new_files(run, POSTS, {"a": [{"post_id": "1"}]}))
    assert update_of(run, last, models=["best_a"]).sites == {"a"}
    run.put(POSTS, NO_FILES)
    assert update_of(run, last, models=["best_a"]).sites == set()


def test_other_settings_versions_or_models_compute_all_sites(run: Run, last: Snapshot) -> None:
    assert update_of(run, last, models=["best_a"], settings=Cut(window=Window(days=8))).sites == {"a", "b"}
    assert update_of(run, last, models=["best_a"], settings=Cut(window=Window(cores=8))).sites == set()
    assert update_of(run, last, models=["best_a"], versions=["pipeline 2"]).sites == {"a", "b"}
    assert update_of(run, last).sites == {"a", "b"}
    use_model(run, "runs/next.4/models/best_a")
    assert update_of(run, last, models=["best_a"]).sites == {"a", "b"}


def test_other_code_computes_all_sites(lake: Lake, last: Snapshot) -> None:
    for code_version, sites in (("0", set()), ("1", {"a", "b"})):
        with opened(lake, "next", code_version=code_version) as run:
            run.put(USERS, last.files(USERS))
            use_model(run, "runs/old.1/models/best_a")
            assert update_of(run, last, models=["best_a"]).sites == sites


def test_nothing_that_other_code_settings_versions_or_models_made_is_used(lake: Lake, run: Run, last: Snapshot) -> None:
    """Neither rankings of known queries, nor an index that grows, nor analysed texts."""
    assert update_of(run, last, models=["best_a"]).last is last
    assert update_of(run, last, models=["best_a"], settings=Cut(window=Window(days=8))).last is None
    assert update_of(run, last, models=["best_a"], versions=["pipeline 2"]).last is None
    assert update_of(run, last).last is last  # which had a further model
    use_model(run, "runs/next.4/models/best_a")
    assert update_of(run, last, models=["best_a"]).last is None
    with opened(lake, "other", code_version="1") as other:
        other.put(USERS, last.files(USERS))
        use_model(other, "runs/old.1/models/best_a")
        assert update_of(other, last, models=["best_a"]).last is None


@pytest.mark.parametrize(("signed", "used", "sites"), [("a", True, {"b"}), ("", False, {"a", "b"})])
def test_rows_without_a_fingerprint_are_computed(
    lake: Lake, run: Run, signed: str, used: bool, sites: set[str], last: Snapshot
) -> None:
    comments = last.files(COMMENTS)
    with opened(lake, "unsigned") as unsigned:
        kept = {site: each for site, each in comments.fingerprints.items() if site in signed}
        unsigned.put(COMMENTS, replace(comments, fingerprints=kept))
        use_model(unsigned, "runs/old.1/models/best_a")
    update = update_of(run, snapshot_of(lake, "unsigned"), models=["best_a"])
    assert (update.last is not None, update.sites) == (used, sites)


def test_a_lake_that_was_moved_computes_nothing(run: Run, last: Snapshot, tmp_path: Path) -> None:
    fingerprints = update_of(run, last, models=["best_a"]).fingerprints
    other = lake_at(tmp_path / "other")
    Path(run.lake.root).rename(other.root)
    with held(other) as leased, opened(leased, "moved") as moved:
        before = published_snapshot(other)
        moved.put(USERS, before.files(USERS))
        use_model(moved, "runs/old.1/models/best_a")
        update = update_of(moved, before, models=["best_a"])
        assert (update.fingerprints, update.sites) == (fingerprints, set())


@pytest.mark.parametrize("is_published", [True, False])
def test_a_table_that_was_never_published_is_computed_everywhere(run: Run, last: Snapshot, is_published: bool) -> None:
    update = update_of(run, last if is_published else None, table=POSTS, models=["best_a"])
    assert (update.last, update.sites) == (None, None)
    assert update.fingerprints.keys() == {"a", "b"}
    assert not update.keep()


def test_another_table_from_the_same_has_the_same_sites(run: Run, last: Snapshot) -> None:
    update = update_of(run, last, models=["best_a"])
    other = update.of(POSTS)
    assert (other.table, other.sites, other.fingerprints) == (POSTS, update.sites, update.fingerprints)


def test_a_copy_of_a_model_with_fewer_rows_is_the_same_model(run: Run, last: Snapshot) -> None:
    here, original = "runs/next.2/models/best_a", "runs/old.1/models/best_a"
    for copy_of, sites in (
        (Copy(location=here, original=original), set()),
        (Copy(location=here, original="runs/old.2/models/best_a"), {"a", "b"}),
        (Copy(location="runs/of_another_lake.2/models/best_a", original=original), {"a", "b"}),
        (None, {"a", "b"}),
    ):
        with new_model_folder(run.lake.path(here), "trained_system", run.lake.storage, copy_of=copy_of):
            pass
        use_model(run, here)
        assert update_of(run, last, models=["best_a"]).sites == sites
