"""Findings that somebody has seen stay seen, until their evidence changes."""

from pathlib import Path

import pytest

from cqa_spark.errors import ContractError
from cqa_spark.lake.done import KEY, add_done, done_findings, remove_done, version_of
from cqa_spark.object_store.locations import open_store
from cqa_spark.settings.sections import ObjectStorageSettings

LATE = ("beer", "late_answer", "3", "2", "votes 1 against 2")
CHANGED = (*LATE[:4], "votes 2 against 3")


def test_findings_that_were_seen_are_kept_once(tmp_path: Path) -> None:
    objects = open_store(str(tmp_path), ObjectStorageSettings())
    assert done_findings(objects) == []
    assert add_done(objects, [LATE]) == 1
    assert add_done(objects, [CHANGED, LATE]) == 2
    assert done_findings(objects) == [LATE, CHANGED]
    assert (tmp_path / KEY).is_file()


def test_findings_about_forgotten_posts_of_the_site_go(tmp_path: Path) -> None:
    objects = open_store(str(tmp_path), ObjectStorageSettings())
    remove_done(objects, "beer", ["3"])
    assert not (tmp_path / KEY).exists()
    others = [("beer", "late_answer", "5", "4", "votes 0 against 3"), ("wine", *LATE[1:])]
    add_done(objects, [LATE, ("beer", "duplicate_question", "7", "3", "same words"), *others])
    remove_done(objects, "beer", ["3", "9"])
    assert done_findings(objects) == others


def test_a_damaged_list_is_named_and_stays(tmp_path: Path) -> None:
    objects = open_store(str(tmp_path), ObjectStorageSettings())
    objects.put(KEY, b'[["beer", 3]')
    with pytest.raises(ContractError, match=KEY):
        done_findings(objects)
    with pytest.raises(ContractError, match=KEY):
        add_done(objects, [LATE])
    assert (tmp_path / KEY).read_bytes() == b'[["beer", 3]'


def test_other_evidence_is_another_version() -> None:
    assert len({version_of([]), version_of([LATE]), version_of([CHANGED]), version_of([LATE, CHANGED])}) == 4
