"""features → an audit of whether they depend on the future."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cqa_spark.config.sections import FeatureSettings
from cqa_spark.errors import InputError
from cqa_spark.features.history.audit import Exposure, Finding, audit_groups, audit_moments, exposure, known_at
from cqa_spark.features.needed_tables import with_needed_tables
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.feature_inputs import OPTIONAL, feature_inputs, task_examples
from cqa_spark.steps.featurize import Featurize
from cqa_spark.tasks.preferred_answer import PreferredAnswer

AUDIT = Artifact("audit")


@dataclass(frozen=True)
class Audited:
    """What the audit found.

    Attributes:
        exposure: numbers of pairs that contain information from after the cut.
        findings: one per group and time.
    """

    exposure: Exposure
    findings: Sequence[Finding]


@dataclass(frozen=True)
class Audit(Step):
    """Change the future of a run's examples and compare the features.

    Attributes:
        groups: names of as-of groups.
        moments: number of times, spread over the cuts, after which everything is changed.
        settings: the cut of as-of groups.
    """

    groups: Sequence[str]
    moments: int
    settings: FeatureSettings

    name = "audit"

    def reads(self) -> tuple[Product, ...]:
        """The inputs of the groups."""
        return Featurize(self.groups, PreferredAnswer.name, self.settings).reads()

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every dump has."""
        return tuple(OPTIONAL.values())

    def writes(self) -> tuple[Product, ...]:
        """The findings, which stay in memory."""
        return (AUDIT,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Audit every group at every time.

        Raises:
            InputError: the run has no examples that the audit can use.
        """
        findings: list[Finding] = []
        with feature_inputs(run, task_examples(run, PreferredAnswer.name), self.settings) as inputs:
            exposed = exposure(inputs)
            moments = audit_moments(inputs, self.moments)
            supplied = list(with_needed_tables(map(group_class, self.groups), inputs, strict=False))
            for own in {id(each.inputs): each.inputs for each in supplied if each.inputs is not None}.values():
                groups = [each.group for each in supplied if each.inputs is own]
                for moment in moments:
                    findings += audit_groups(groups, known_at(own, moment), moment, folds=self.settings.folds)
        findings.sort(key=lambda finding: (self.groups.index(finding.group), finding.moment))
        counts.rows_in = sum(finding.rows for finding in findings)
        if not counts.rows_in:
            raise InputError(
                f"run {run.run_id} has no preferred-answer examples with a time",
                "create them: cqa dataset preferred-answer",
            )
        run.remember(AUDIT.name, Audited(exposed, findings))
