"""examples → features: one table a group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import functions as F

from cqa_spark.config.home import project_home
from cqa_spark.config.settings import FeaturizeSettings
from cqa_spark.features.featurize import compute_values, fit_and_compute
from cqa_spark.features.group import FeatureGroup, FeatureInputs
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.pipeline.analyse import analyse_step
from cqa_spark.pipeline.trained_system import save_groups
from cqa_spark.pipeline.workspace import open_job
from cqa_spark.rankers.system import System, read_system

GROUPS = "groups"


def featurize(settings: FeaturizeSettings) -> None:
    """Analyse the texts of a run and compute the feature groups that its systems need."""
    groups = [*groups_of(read_systems(settings.systems)), *settings.groups]
    with open_job(settings, "featurize", resume=True) as run:
        analyse_step(run)
        featurize_step(run, dict.fromkeys(groups), task=settings.task, folds=settings.features.folds)


def read_systems(names: Iterable[str]) -> list[System]:
    """The systems of these names, from ``conf/systems``."""
    return [read_system(project_home() / "conf", name) for name in names]


def groups_of(systems: Iterable[System]) -> list[str]:
    """The feature groups that any of the systems needs, each once, in the order of first use."""
    return list(dict.fromkeys(group for system in systems for group in system.feature_groups))


def featurize_step(run: Run, groups: Iterable[str], *, task: str, folds: int) -> None:
    """Fit the groups that learn on the training part, write all values, keep what was learned."""
    with run.step("features") as step, feature_inputs(run, task) as inputs:
        step.rows_in = inputs.examples.count()
        fitted: dict[str, FeatureGroup] = {}
        for name in groups:
            fitted[name], values = fit_and_compute(group_class(name), inputs, folds=folds)
            step.rows_out += run.write(fitted[name].table(), values).rows
        path = run.artifact_path("models", GROUPS)
        save_groups(fitted, path)
        run.add_artifact(GROUPS, path)


def compute_step(run: Run, groups: Mapping[str, FeatureGroup], *, task: str) -> None:
    """Write the values of groups that have learned already, for a saved model."""
    with run.step("features") as step, feature_inputs(run, task) as inputs:
        step.rows_in = inputs.examples.count()
        for group in groups.values():
            step.rows_out += run.write(group.table(), compute_values(group, inputs)).rows


@contextmanager
def feature_inputs(run: Run, task: str) -> Iterator[FeatureInputs]:
    """The run's tables, with the examples of one task; held in memory and on disk, since every group reads them."""
    inputs = FeatureInputs(
        examples=run.read(EXAMPLES).where(F.col("task") == task).persist(),
        posts=run.read(POSTS).persist(),
        comments=run.read(COMMENTS).persist(),
        documents=run.read(DOCUMENTS).persist(),
        texts=run.read(TEXTS).persist(),
    )
    try:
        yield inputs
    finally:
        for held in (inputs.examples, inputs.posts, inputs.comments, inputs.documents, inputs.texts):
            held.unpersist()
