"""examples → features."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cqa_spark.config.sections import FeatureSettings
from cqa_spark.features.feature_table import tables_of
from cqa_spark.features.needed_tables import Supplied, with_needed_tables
from cqa_spark.features.registry import group_class, libraries_of, require_libraries
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, LEFT_OUT_GROUPS
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.cautions import foreign_to
from cqa_spark.steps.feature_inputs import (
    IF_PRESENT,
    feature_inputs,
    fit_and_write,
    task_examples,
    text_tables,
)
from cqa_spark.systems.trained_system import save_groups

GROUPS = Artifact("groups")
"""The folder of a run's fitted groups."""


@dataclass(frozen=True)
class Featurize(Step):
    """Fit feature groups on the training split, write the values of all groups, and save the fitted ones.

    Attributes:
        groups: names of the groups, each once.
        task: the task whose examples get values.
        settings: folds of the cross-fitting, and the cut of as-of groups.
        strict: fail if a group needs a table that a site does not have; otherwise the group is omitted for that site,
            with a warning.
    """

    groups: Sequence[str]
    task: str
    settings: FeatureSettings
    strict: bool = False

    name = "features"

    def reads(self) -> tuple[Product, ...]:
        """Examples, posts and comments; analysed texts if a group needs them."""
        return EXAMPLES, POSTS, COMMENTS, *text_tables(self.groups)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """The values, the omitted groups, the fitted groups."""
        return *tables_of(self.groups), LEFT_OUT_GROUPS, GROUPS

    def prepare(self) -> None:
        """Check that the libraries of the groups are installed."""
        require_libraries(self.groups)

    def task_imports(self) -> Collection[str]:
        """The libraries of the groups."""
        return libraries_of(self.groups)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute and write.

        Raises:
            InputError: ``strict`` is set, and a table is missing.
        """
        with feature_inputs(run, task_examples(run, self.task), self.settings) as inputs:
            counts.rows_in = inputs.examples.count()
            supplied = list(with_needed_tables(map(group_class, self.groups), inputs, strict=self.strict))
            computed = [(each.group, each.inputs) for each in supplied if each.inputs is not None]
            fitted, counts.rows_out = fit_and_write(run, computed, folds=self.settings.folds)
        for text, groups in foreign_to(run, self.groups):
            Terminal(stderr=True).line(f"warning: {text} ({', '.join(groups)})")
        run.write_entries(LEFT_OUT_GROUPS, _left_out(supplied))
        path = run.artifact_path("models", GROUPS.name)
        save_groups(fitted, path, run.lake.storage)
        run.add_artifact(GROUPS.name, path)


def _left_out(supplied: Iterable[Supplied]) -> list[dict[str, str]]:
    return [
        {"site": site, "feature_group": each.group.name, "lacking": ", ".join(tables)}
        for each in supplied
        for site, tables in each.lacking.items()
    ]
