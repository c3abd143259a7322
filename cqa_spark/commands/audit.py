"""The features of a run → the proof that they know nothing of the future."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Column, Table

from cqa_spark.config.preferred_answer_settings import FeatureAuditSettings
from cqa_spark.errors import ContractError, InputError
from cqa_spark.features.history.audit import Finding, audit_group, audit_moments, known_at
from cqa_spark.features.needed_tables import with_needed_tables
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.runtime.workspace import open_job
from cqa_spark.steps.feature_inputs import feature_inputs, task_examples
from cqa_spark.tasks.preferred_answer import PreferredAnswer

SHOWN_COLUMNS = 5


def audit(settings: FeatureAuditSettings) -> None:
    """Change the future of a run's examples and compare the features.

    Raises:
        ContractError: a value changed.
        InputError: the run has no examples that it can be tried on.
    """
    groups = settings.audit.groups or tuple(name for name in known_groups() if group_class(name).is_as_of)
    with open_job(settings, "features audit", resume=True) as run:
        findings: list[Finding] = []
        examples = task_examples(run, PreferredAnswer.name)
        with run.step("audit") as step, feature_inputs(run, examples, settings.features) as inputs:
            moments = audit_moments(inputs, settings.audit.moments)
            for each in with_needed_tables(map(group_class, groups), inputs, strict=False):
                if each.inputs is None:
                    continue
                for moment in moments:
                    known = known_at(each.inputs, moment)
                    findings.append(audit_group(each.group, known, moment, folds=settings.features.folds))
            step.rows_in = sum(finding.rows for finding in findings)
        if not any(finding.rows for finding in findings):
            raise InputError(
                f"run {run.run_id} has no preferred-answer examples with a time",
                "make some: cqa dataset preferred-answer",
            )
        Console().print(findings_table(findings))
        refuse_changes(findings)


def findings_table(findings: Sequence[Finding]) -> Table:
    """A line for each group and moment."""
    grid = Table("group", "changed after", Column("rows", justify="right"), "columns that changed", title="Audit")
    for finding in findings:
        grid.add_row(finding.group, f"{finding.moment:%Y-%m-%d %H:%M:%S}", f"{finding.rows:,}", _changed(finding))
    return grid


def refuse_changes(findings: Sequence[Finding]) -> None:
    """Fail where a value changed.

    Raises:
        ContractError: one did; the groups with their columns are listed.
    """
    leaking = {finding.group: _changed(finding) for finding in findings if finding.changed}
    if leaking:
        listed = "; ".join(f"{group} ({columns})" for group, columns in leaking.items())
        raise ContractError(
            f"values depend on what happened after the cut: {listed}",
            "leave these groups out where figures have to hold for new questions, and use their as-of variants",
        )


def _changed(finding: Finding) -> str:
    names = list(finding.changed)
    more = f", {len(names) - SHOWN_COLUMNS} more" if len(names) > SHOWN_COLUMNS else ""
    return ", ".join(names[:SHOWN_COLUMNS]) + more or "none"
