"""examples → features: one table a group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cqa_spark.config.parts import FeatureSettings
from cqa_spark.config.settings import FeaturizeSettings
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.needed_tables import Supplied, with_needed_tables
from cqa_spark.features.registry import group_class
from cqa_spark.lake.folders import MODELS
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.left_out import LEFT_OUT_GROUPS
from cqa_spark.runtime.workspace import open_job
from cqa_spark.steps.analyse import analyse_step
from cqa_spark.steps.feature_inputs import compute_groups, feature_inputs, fit_groups, task_examples
from cqa_spark.steps.upstream import upstream_step
from cqa_spark.systems.recipes import groups_of, read_systems, task_of
from cqa_spark.systems.trained_system import save_groups

GROUPS = "groups"


def featurize(settings: FeaturizeSettings) -> None:
    """Analyse the texts of a run and compute the feature groups that its systems need."""
    systems = read_systems(settings.systems)
    groups = [*groups_of(systems), *settings.groups]
    with open_job(settings, "featurize", resume=True) as run:
        if any(group_class(name).reads_texts for name in groups):
            analyse_step(run)
        upstream_step(run, systems, settings.features)
        task = settings.task or task_of(systems)
        featurize_step(run, dict.fromkeys(groups), task=task, settings=settings.features, strict=settings.strict)


def featurize_step(
    run: Run, groups: Iterable[str], *, task: str, settings: FeatureSettings, strict: bool = False
) -> None:
    """Fit the groups that learn on the training part, write all values, keep what was learned.

    Args:
        run: the run, with examples of the task.
        groups: names of the groups.
        task: the task.
        settings: folds of the cross-fitting, and what as-of groups may see.
        strict: refuse a group that needs a table which a site lacks; else it is left out, for that site, with a
            warning.

    Raises:
        InputError: strict, and a table is lacking.
    """
    with run.step("features") as step, feature_inputs(run, task_examples(run, task), settings) as inputs:
        step.rows_in = inputs.examples.count()
        supplied = list(with_needed_tables(map(group_class, groups), inputs, strict=strict))
        computed = [(each.group, each.inputs) for each in supplied if each.inputs is not None]
        fitted, step.rows_out = fit_groups(run, computed, folds=settings.folds)
        _note_left_out(run, supplied)
        path = run.artifact_path(MODELS, GROUPS)
        save_groups(fitted, path)
        run.add_artifact(GROUPS, path)


def compute_step(run: Run, groups: Mapping[str, FeatureGroup], *, task: str) -> None:
    """Write the values of groups that have learned already, for a saved model."""
    with (
        run.step("features") as step,
        feature_inputs(run, task_examples(run, task), FeatureSettings()) as inputs,
    ):
        step.rows_in = inputs.examples.count()
        step.rows_out = compute_groups(run, groups, inputs)


def _note_left_out(run: Run, supplied: Iterable[Supplied]) -> None:
    rows = [(site, each.group.name, ", ".join(tables)) for each in supplied for site, tables in each.lacking.items()]
    run.write(LEFT_OUT_GROUPS, run.lake.spark.createDataFrame(rows, LEFT_OUT_GROUPS.schema))
