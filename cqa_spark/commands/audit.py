"""``cqa features audit``: whether as-of features depend on the future."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import ContractError
from cqa_spark.process.terminal import Terminal, TextTable, number
from cqa_spark.settings.sections import FeatureSettings, SettingsSection, StageSettings
from cqa_spark.settings.values import GroupNames

if TYPE_CHECKING:
    from cqa_spark.features.audit import AuditedGroup, Exposure
    from cqa_spark.runtime.flow import Flow


class AuditSettings(SettingsSection):
    """Scope of the audit."""

    flag_prefix = ""

    groups: GroupNames = Field(default=(), description="feature groups to audit; default: all as-of groups")
    moments: int = Field(
        default=3, ge=1, description="number of times, spread over the cuts, after which all data is changed"
    )


class FeatureAuditSettings(StageSettings):
    """Check that as-of features do not depend on later events: change these events and compare the features."""

    examples = (
        "cqa features audit --lake build/lake --run-id beer",
        "cqa features audit --lake build/lake --run-id beer --groups basic_u_asof_v1 --moments 5",
    )
    writing = ("{job.lake}: one record of the run log",)

    audit: AuditSettings = AuditSettings()
    features: FeatureSettings = FeatureSettings()


def audit_flow(settings: FeatureAuditSettings) -> Flow:
    """Features → a check that they do not depend on the future."""
    from cqa_spark.features.registry import group_class, known_groups
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.runtime.workspace import existing_products
    from cqa_spark.steps.audit import Audit

    groups = settings.audit.groups or tuple(name for name in known_groups() if group_class(name).is_as_of)
    return Flow(
        "features audit", (Audit(groups, settings.audit.moments, settings.features),), existing_products(settings)
    )


SHOWN_COLUMNS = 5


def audit(settings: FeatureAuditSettings) -> None:
    """Change the future of a run's examples and compare the features.

    Raises:
        ContractError: a value changed, or answers were posted after the cut.
        InputError: the run has no examples that the audit can use.
    """
    from cqa_spark.runtime.workspace import run_flow
    from cqa_spark.steps.audit import audited

    run = run_flow(audit_flow(settings), settings, resume=True)
    exposure, findings = audited(run)
    terminal = Terminal()
    terminal.table(findings_table(findings))
    terminal.line(exposed_pairs(exposure))
    refuse_changes(findings)
    refuse_late_answers(exposure)


def findings_table(findings: Sequence[AuditedGroup]) -> TextTable:
    """A row per group and moment."""
    table = TextTable(
        "group", "changed after", number("rows"), "columns that changed", "columns as of the dump", title="Audit"
    )
    for finding in findings:
        changes = map(_listed, (finding.changed, finding.as_of_dump))
        table.add_row(finding.group, f"{finding.moment:%Y-%m-%d %H:%M:%S}", f"{finding.rows:,}", *changes)
    return table


def exposed_pairs(exposure: Exposure) -> str:
    """A sentence about the pairs that columns as of the dump affect."""
    return (
        f"of {exposure.pairs:,} pairs, {exposure.edited:,} have a question or answer that was edited after the cut, "
        f"and {exposure.deleted:,} an asker or author without an account"
    )


def refuse_changes(findings: Sequence[AuditedGroup]) -> None:
    """Fail if a value changed.

    Raises:
        ContractError: a value changed; the message lists the groups with their columns.
    """
    leaking = {finding.group: _listed(finding.changed) for finding in findings if finding.changed}
    if leaking:
        listed = "; ".join(f"{group} ({columns})" for group, columns in leaking.items())
        raise ContractError(
            f"values depend on what happened after the cut: {listed}",
            "use the as-of variants of these groups if scores must hold for new questions",
        )


def refuse_late_answers(exposure: Exposure) -> None:
    """Fail if an answer was posted after the cut: features would be as of the cut, but candidates would not.

    Raises:
        ContractError: there is such an answer.
    """
    if exposure.late:
        raise ContractError(
            f"{exposure.late:,} of {exposure.pairs:,} answers were posted after the cut",
            "omit them: cqa dataset preferred-answer --within-hours, with the hours of --features.cut-hours",
        )


def _listed(changed: Mapping[str, int]) -> str:
    names = list(changed)
    more = f", {len(names) - SHOWN_COLUMNS} more" if len(names) > SHOWN_COLUMNS else ""
    return ", ".join(names[:SHOWN_COLUMNS]) + more or "none"


JOBS = (
    Job(
        "features audit",
        "check that as-of features do not depend on later events",
        "inspection",
        FeatureAuditSettings,
        audit,
        flow=audit_flow,
    ),
)
