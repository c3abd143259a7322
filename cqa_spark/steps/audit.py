"""features → an audit of whether they depend on the future."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.audit import AuditedGroup, Exposure, audit_groups, audit_moments, exposure, known_at
from cqa_spark.features.registry import group_class, with_needed_tables
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.studies import AUDIT_EXPOSURES, AUDIT_FINDINGS
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.feature_inputs import IF_PRESENT, feature_inputs, text_tables


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
        return EXAMPLES, POSTS, COMMENTS, *text_tables(self.groups)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every dump has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """The findings, and the pairs that reveal something whatever the features."""
        return AUDIT_FINDINGS, AUDIT_EXPOSURES

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Audit every group at every time.

        Raises:
            InputError: the run has no examples that the audit can use.
        """
        findings: list[AuditedGroup] = []
        with feature_inputs(run, _dated_examples(run), self.settings) as inputs:
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
                f"run {run.run_id} has no examples with a time", "create some, as cqa dataset preferred-answer does"
            )
        run.write_entries(AUDIT_FINDINGS, [_entry(finding) for finding in findings])
        run.write_entries(AUDIT_EXPOSURES, [asdict(exposed)])


def _dated_examples(run: Run) -> DataFrame:
    """The examples of the task whose questions have times.

    Raises:
        InputError: there are several such tasks.
    """
    examples = run.read(EXAMPLES).where(F.col("asked_at").isNotNull())
    tasks = sorted(row["task"] for row in examples.select("task").distinct().collect())
    if len(tasks) > 1:
        raise InputError(f"run {run.run_id} has dated examples of {', '.join(tasks)}", "audit a run of one task")
    return examples


def audited(run: RunTables) -> tuple[Exposure, list[AuditedGroup]]:
    """The result of the audit of a run: exposure, and one finding per group and time."""
    [exposed] = run.entries(AUDIT_EXPOSURES)
    return Exposure(**exposed), [_finding(entry) for entry in run.entries(AUDIT_FINDINGS)]


def _entry(finding: AuditedGroup) -> Entry:
    entry = asdict(finding)
    return {"feature_group": entry.pop("group"), **entry}


def _finding(entry: Entry) -> AuditedGroup:
    values = dict(entry)
    return AuditedGroup(group=values.pop("feature_group"), **values)
