"""The result of an audit as it is read from a run."""

from datetime import UTC, datetime
from pathlib import Path

from small_runs import lake_at, opened

from cqa_spark.features.audit import AuditedGroup, Exposure
from cqa_spark.lake.schemas.studies import AUDIT_EXPOSURES, AUDIT_FINDINGS
from cqa_spark.steps.audit import audited

EVENING, MORNING = datetime(2020, 1, 1, 20, tzinfo=UTC), datetime(2020, 1, 2, 8, tzinfo=UTC)


def test_an_audit_is_read_as_it_was_written(tmp_path: Path) -> None:
    entry = {"feature_group": "basic_u_asof_v1", "moment": EVENING, "rows": 3, "changed": {}, "as_of_dump": {}}
    with opened(lake_at(tmp_path / "lake"), "r1") as run:
        changed = {"moment": MORNING, "rows": 7, "changed": {"badges": 2, "age": 1}, "as_of_dump": {"badges": 4}}
        run.write_entries(AUDIT_FINDINGS, [entry, entry | changed])
        run.write_entries(AUDIT_EXPOSURES, [{"pairs": 9, "late": 1, "edited": 2, "deleted": 3}])
        exposed, groups = audited(run)
    assert exposed == Exposure(pairs=9, late=1, edited=2, deleted=3)
    assert groups == [
        AuditedGroup("basic_u_asof_v1", EVENING, 3, {}, {}),
        AuditedGroup("basic_u_asof_v1", MORNING, 7, {"badges": 2, "age": 1}, {"badges": 4}),
    ]
