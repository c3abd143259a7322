"""One night after the other: what changed is computed again, and gives what computing everything gives."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from two_nights import SITE, SYSTEM, Nights, content, copied, night

from cqa_spark.cli import main
from cqa_spark.lake.publishing import published_snapshot
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import CHANGES
from cqa_spark.lake.schemas.rankings import RANKINGS


@pytest.mark.slow
def test_a_second_night_gives_what_computing_everything_gives(nights: Nights, tmp_path: Path) -> None:
    full = copied(nights.first, tmp_path / "full")
    assert main(night(full.root, nights.dumps[1], "r2", "--full")) == 0
    second = published_snapshot(nights.second)
    assert content(second) == content(published_snapshot(full))
    assert content(second) != content(published_snapshot(nights.first))
    changes = {(row["table_name"], row["change"]): row["rows"] for row in second.read(CHANGES).collect()}
    assert changes == {
        ("posts", "new"): 1, ("posts", "gone"): 1, ("posts", "changed"): 2, ("votes", "new"): 1,
        ("comments", "new"): 1, **{key: rows for key, rows in changes.items() if key[0] == "examples"},
    }  # fmt: skip
    redone = {step.step: step.rows_in for step in second.record.steps}
    assert 0 < redone["features"] < second.read(EXAMPLES).count() / 2
    kept = second.read(RANKINGS).where("run_id = 'r1'").count()
    assert 0 < kept < second.read(RANKINGS).count()


@pytest.mark.slow
def test_what_is_exported_is_named_and_can_be_checked(nights: Nights) -> None:
    root = Path(nights.second.root)
    manifest = json.loads((root / "exports" / "current.json").read_text())
    assert (manifest["run_id"], manifest["system"]) == ("r2", SYSTEM)
    ranked = published_snapshot(nights.second).read(RANKINGS).where(f"system = '{SYSTEM}'").count()
    for kind in ("parquet", "json"):
        assert sum(file["rows"] for file in manifest["files"] if file["format"] == kind) == ranked
    for file in manifest["files"]:
        data = (root / file["path"]).read_bytes()
        assert (file["site"], file["bytes"], file["sha256"]) == (SITE, len(data), sha256(data).hexdigest())


@pytest.mark.slow
def test_force_garbage_and_rolling_back(nights: Nights, tmp_path: Path) -> None:
    lake = copied(nights.second, tmp_path / "lake")
    strict = night(lake.root, nights.dumps[0], "r3", "--checks.max-row-loss", "0", "--checks.max-row-growth", "0")
    assert main([*strict, "--force"]) == 2  # nobody says so
    assert main([*strict, "--force", "--who", "A. Editor"]) == 0
    assert published_snapshot(lake).record.message == "A. Editor says so, against: row counts"
    assert content(published_snapshot(lake)) == content(published_snapshot(nights.first))

    assert main(["runs", "gc", "--lake", lake.root, "--keep", "2"]) == 0
    assert sorted(path.name for path in Path(lake.root, "exports").iterdir()) == ["current.json", "r2", "r3"]
    assert main(["runs", "rollback", "--lake", lake.root]) == 0
    assert content(published_snapshot(lake)) == content(published_snapshot(nights.second))
