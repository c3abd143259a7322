"""The nightly flow, for all tasks."""

from collections.abc import Mapping, Sequence

from cqa_spark.corpora.source import Source
from cqa_spark.errors import ConfigError
from cqa_spark.flows.shared_steps import evaluation_of, training
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Flow, Step
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.steps.changes import Changes, FirstAnswers
from cqa_spark.steps.check import Check
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.featurize import ComputeFeatures
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.kept_models import Challenge, KeepModels, can_be_challenged
from cqa_spark.steps.lake_page import WriteLakePage, WriteThreads
from cqa_spark.steps.night_worth import MeasureLabelled
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.steps.train import Train
from cqa_spark.steps.upstream import ScoreUpstream, tasks_of, upstream_of
from cqa_spark.systems.recipes import (
    are_fitted,
    cross_fitted,
    groups_of,
    learn,
    learn_choices,
    rank_by_words,
    read_systems,
    task_of,
)
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import model_artifact
from cqa_spark.task_contract.contract import Night
from cqa_spark.task_contract.contract import task as task_named


def nightly(
    settings: NightlySettings,
    systems: Sequence[System],
    source: Source,
    *,
    last: Snapshot | None = None,
    kept: Mapping[str, str] | None = None,
    released: Mapping[str, str] | None = None,
) -> Flow:
    """A new dump or new files → rankings of the changed sites, checked and published.

    Args:
        settings: of the job.
        systems: as ``night_systems`` reads them.
        source: the dump, or the files.
        last: the published run; None before the first publication.
        kept: folder of each reused trained system, by name.
        released: folder of each model of the package that challenges one of these, by name.
    """
    kept, released = kept or {}, released or {}
    task = task_of(systems)
    of_task = task_named(task)
    ranked_once = of_task.candidates_stay
    new = [system for system in systems if system.name not in kept]
    names, groups = [system.name for system in systems], groups_of(systems)
    baseline, evaluation = simple_orders(task)[0], evaluation_of(settings.evaluation, task)
    unchanged = None if settings.full else last
    dispensable = names[:-1] if of_task.replays_nights else []
    learning = are_fitted(new)
    measuring: tuple[Step, ...] = ()
    if not of_task.replays_nights:
        worth = MeasureLabelled(systems[0], baseline, evaluation.measures, last)
        measuring = Evaluate(evaluation, baseline, last=unchanged), worth
    return Flow(
        "nightly",
        (
            *([KeepModels(kept)] if kept else []),
            Ingest(source, night_format(settings, systems)),
            *_examples(settings, systems, new, kept, unchanged),
            *[ScoreUpstream(system) for system in systems if system.upstream and system.name in kept],
            *(training(new, task, settings.features, dispensable) if learning else []),
            *([Train(new, task, dispensable)] if new and not learning else []),
            ComputeFeatures(
                names,
                groups,
                task,
                settings.features,
                unchanged,
                ranked_once,
                computed=groups_of(new) if learning else (),
                dispensable=dispensable,
            ),
            *[
                Challenge(
                    each, settings.features, last, settings.retrain, settings.max_model_age, released.get(each.name)
                )
                for each in systems
                if each.name in kept and can_be_challenged(each)
            ],
            *of_task.measure_nights(systems, last, unchanged),
            Score(systems, task, unchanged, ranked_once, settings.system),
            *measuring,
            *([] if last is None else [Changes(last), FirstAnswers(last)]),
            Check(
                last,
                settings.checks,
                settings.system,
                evaluation.measures[0],
                settings.answers.min_answers if of_task.replays_nights else None,
            ),
            *([WriteThreads(settings.page_rows, served=True, last=unchanged)] if settings.pages else []),
            Report(settings.report, evaluation.measures, baseline, evaluated=bool(measuring)),
            *([WriteLakePage(settings.keep)] if settings.pages else []),
            Publish(force=settings.force, who=settings.who),
        ),
    )


def _examples(
    settings: NightlySettings,
    systems: Sequence[System],
    new: Sequence[System],
    kept: Mapping[str, str],
    last: Snapshot | None,
) -> tuple[Step, ...]:
    """The steps from community tables to examples and analysed texts.

    Args:
        settings: of the job.
        systems: the systems that rank.
        new: those that are trained in this night.
        kept: folders of the reused ones, by name.
        last: the published run, whose rows of unchanged sites are kept; None to compute all rows.
    """
    # Other systems may have needed other texts, such as questions alone.
    models = last.record.artifacts if last is not None else {}
    is_same = not new and all(models.get(model_artifact(name)) == folder for name, folder in kept.items())
    everyone = [*systems, *[each.system for each in upstream_of(systems)]]
    night = Night(
        settings=settings,
        tasks=tasks_of(systems),
        groups=groups_of(everyone),
        reads_words=rank_by_words(everyone),
        kept=tuple(kept),
        new=tuple(system.name for system in new),
        learns=learn(new),
        learns_choices=learn_choices(systems),
        last=last,
        last_texts=last if is_same else None,
    )
    return task_named(task_of(systems)).night(night)


def night_format(settings: NightlySettings, systems: Sequence[System]) -> str:
    """The name of the format of a night's input."""
    return settings.dump_format or task_named(task_of(systems)).formats[0]


def night_systems(settings: NightlySettings) -> list[System]:
    """The system that a night ranks with, and the simple orders of its task.

    Raises:
        ConfigError: the system is for another task than the settings name.
    """
    [system] = read_systems([settings.system])
    if settings.task not in (None, system.task):
        raise ConfigError(
            f"{system.name} ranks for the task {system.task}",
            f"name a system of {settings.task}: --system, of cqa systems list",
        )
    others = read_systems([name for name in simple_orders(system.task) if name != system.name])
    if task_named(system.task).replays_nights:
        system = cross_fitted(system, settings.features.folds)
    return [system, *others]


def simple_orders(task: str) -> tuple[str, ...]:
    """Names of the simple orders of a task; the first is what others are compared with."""
    return task_named(task).simple_orders or (task_named(task).baseline,)
