"""Converts the record of a run to the values that the report shows."""

from __future__ import annotations

from cqa_spark.lake.run_record import RunRecord
from cqa_spark.reports.run.record.content import InputFile, RunFacts, Step


def run_facts(record: RunRecord) -> RunFacts:
    """The facts of a run, from its record in the run log."""
    return RunFacts(
        run_id=record.run_id,
        recorded_at=record.recorded_at,
        code_version=record.code_version,
        config_hash=record.config_hash,
        config=record.config,
        inputs=tuple(InputFile(item.path, item.split, item.bytes, item.sha256) for item in record.inputs),
        steps=tuple(
            Step(step.step, step.rows_in, step.rows_out, step.rows_quarantined, step.seconds) for step in record.steps
        ),
    )
