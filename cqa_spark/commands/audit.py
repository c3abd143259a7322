"""``cqa features audit``: whether as-of features depend on the future."""

from __future__ import annotations

from collections.abc import Sequence

from cqa_spark import flows
from cqa_spark.config.settings import FeatureAuditSettings
from cqa_spark.errors import ContractError
from cqa_spark.features.history.audit import Finding
from cqa_spark.process.terminal import Terminal, TextTable, number
from cqa_spark.runtime.workspace import given, run_flow
from cqa_spark.steps.audit import AUDIT

SHOWN_COLUMNS = 5


def audit(settings: FeatureAuditSettings) -> None:
    """Change the future of a run's examples and compare the features.

    Raises:
        ContractError: a value changed.
        InputError: the run has no examples that the audit can use.
    """
    run = run_flow(flows.audit(settings, given(settings)), settings, resume=True)
    findings: list[Finding] = run.recall(AUDIT.name)
    Terminal().table(findings_table(findings))
    refuse_changes(findings)


def findings_table(findings: Sequence[Finding]) -> TextTable:
    """A line for each group and moment."""
    table = TextTable("group", "changed after", number("rows"), "columns that changed", title="Audit")
    for finding in findings:
        table.add_row(finding.group, f"{finding.moment:%Y-%m-%d %H:%M:%S}", f"{finding.rows:,}", _changed(finding))
    return table


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
