"""What a night does with a lake: the published run, the models that it reuses, and the flows that it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cqa_spark.corpora.source import Source, file_source, is_of_dumps, site_of
from cqa_spark.errors import ConfigError
from cqa_spark.flows import evaluation_of, training, training_on_files
from cqa_spark.lake.schemas.night import CHECKS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.reports.reported_run import Unranked
from cqa_spark.runtime.flow import Flow, Step
from cqa_spark.runtime.workspace import code_version
from cqa_spark.settings.nightly import NightlySettings
from cqa_spark.settings.rendering import config_hash
from cqa_spark.steps.changes import Changes, FirstAnswers
from cqa_spark.steps.check import Check
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.featurize import ComputeFeatures
from cqa_spark.steps.find import finding_steps
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.kept_models import Challenge, KeepModels, can_be_challenged, challenging_release, kept_model
from cqa_spark.steps.lake_page import WriteLakePage, WriteThreads
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.steps.train import Train
from cqa_spark.steps.trained_worth import RememberWorth
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


@dataclass(frozen=True)
class NightPlan:
    """What a night does with a lake; ``--dry-run`` prints its flows, and the night runs them.

    Attributes:
        settings: of the job.
        systems: the system that ranks, and the simple orders of its task.
        source: the dump, or the files.
        last: the published run; None before the first publication.
        kept: folder of each reused trained system, by name.
        released: folder of each model of the package that challenges one of these, by name.
    """

    settings: NightlySettings
    systems: Sequence[System]
    source: Source
    last: Snapshot | None
    kept: Mapping[str, str]
    released: Mapping[str, str]

    @classmethod
    def of(
        cls, settings: NightlySettings, systems: Sequence[System], source: Source, last: Snapshot | None
    ) -> NightPlan:
        """The plan for a published run, with the models that can be reused.

        Args:
            settings: of the job.
            systems: as ``night_systems`` reads them.
            source: the dump, or the files.
            last: the published run; None before the first publication.
        """
        kept: dict[str, str] = {}
        released: dict[str, str] = {}
        for system in systems:
            named_model = settings.model if system.name == settings.system else None
            model = kept_model(system, last, settings.object_storage, named_model)
            if model is None:
                continue
            kept[system.name] = model
            # A model that the user names has no rival from the package.
            if settings.model is None:
                release = challenging_release(system, model, last, settings.object_storage)
                if release is not None:
                    released[system.name] = release
        return cls(settings, systems, source, last, kept, released)

    @property
    def learners(self) -> list[System]:
        """The systems that learn on annotated files, in a run of its own; dumps have labels themselves."""
        new = [system for system in self.systems if system.name not in self.kept and learn([system])]
        return [] if new and is_of_dumps(night_format(self.settings, new)) else new

    @property
    def carried(self) -> Snapshot | None:
        """The published run if it is a night of the same dump, code, settings and models; needs no Spark."""
        settings, last = self.settings, self.last
        is_unchanged = (
            last is not None
            and not (settings.full or settings.retrain or self.released or self.learners)
            and last.record.code_version == code_version()
            and last.record.config_hash == config_hash(settings)
            and all(last.record.artifacts.get(model_artifact(name)) == path for name, path in self.kept.items())
            and last.has(CHECKS)
            and self.source.is_unchanged(last, last.record.code_version)
        )
        return last if is_unchanged else None

    def training(self) -> Flow | None:
        """The run before, in which systems learn from annotated files; None if there are none to train.

        Raises:
            ConfigError: systems that learn from annotated files have neither files nor a model.
        """
        if not self.learners:
            return None
        settings, source_format = self.settings, night_format(self.settings, self.learners)
        if not settings.inputs.train:
            raise ConfigError(
                f"{self.learners[0].name} is not trained, and files of {source_format} are ranked without learning "
                "from them",
                "name annotated files with --train, in the first night, or a trained system with --model",
            )
        site = site_of(source_format, settings)
        files = {"train": settings.inputs.train}
        source = file_source(source_format, files, site=site, storage=settings.object_storage)
        return training_on_files(source, source_format, self.learners, settings.features)

    def ranking(self, trained: Mapping[str, str]) -> Flow:
        """The run that ranks: a new dump or new files → rankings of the changed sites, checked and published.

        Args:
            trained: folders of the systems that the run before has trained, by name.
        """
        settings, systems, last = self.settings, self.systems, self.last
        kept = {**self.kept, **trained}
        task = task_named(task_of(systems))
        evaluation = evaluation_of(settings.evaluation, task.name)
        baseline = systems[1].name if task.replays_nights else simple_orders(task.name)[0]
        unchanged = None if settings.full else last  # the run whose rows of unchanged sites stay

        steps: list[Step] = []
        if kept:
            steps.append(KeepModels(kept))
        steps.append(Ingest(self.source, night_format(settings, systems)))
        steps += self._examples(kept, unchanged)
        steps += self._features(kept, unchanged)
        for system in systems:
            if system.name in kept and can_be_challenged(system):
                release = self.released.get(system.name)
                steps.append(
                    Challenge(system, settings.features, last, settings.retrain, settings.max_model_age, release)
                )
        steps += task.measure_nights(systems, last, unchanged)
        steps.append(
            Score(
                systems,
                task.name,
                unchanged,
                task.candidates_stay,
                settings.system,
                accepted_first=task.replays_nights and settings.accepted == "first",
            )
        )
        if not task.replays_nights:
            # Without nights to replay, the order is measured on the queries with a label.
            steps.append(Evaluate(evaluation, baseline, last=unchanged))
        steps.append(RememberWorth(systems[0], baseline, last))
        if task.replays_nights:
            steps += finding_steps(settings.findings, unchanged)
        if last is not None:
            steps += [Changes(last), FirstAnswers(last)]
        min_answers = settings.answers.min_answers if task.replays_nights else None
        steps.append(Check(last, settings.checks, settings.system, evaluation.measures[0], min_answers))
        if settings.pages:
            steps.append(WriteThreads(settings.page_rows, served=True, last=unchanged))
        unranked = None if min_answers is None else Unranked(settings.system, task.name, min_answers)
        steps.append(Report(settings.report, evaluation.measures, baseline, unranked))
        if settings.pages:
            steps.append(WriteLakePage(settings.keep))
        steps.append(Publish(force=settings.force, who=settings.who))
        return Flow("nightly", tuple(steps))

    def _examples(self, kept: Mapping[str, str], unchanged: Snapshot | None) -> tuple[Step, ...]:
        """The steps of the task from community tables to examples and analysed texts.

        Args:
            kept: folder of each reused trained system, by name.
            unchanged: the published run, whose rows of unchanged sites are kept; None to compute all rows.
        """
        new = [system for system in self.systems if system.name not in kept]
        # Texts of the last run are reused where the same models read them: others may need other texts.
        models = unchanged.record.artifacts if unchanged is not None else {}
        has_same_models = not new and all(models.get(model_artifact(name)) == folder for name, folder in kept.items())
        readers = [*self.systems, *[upstream.system for upstream in upstream_of(self.systems)]]
        night = Night(
            settings=self.settings,
            tasks=tasks_of(self.systems),
            groups=groups_of(readers),
            reads_words=rank_by_words(readers),
            kept=tuple(kept),
            new=tuple(system.name for system in new),
            learns=learn(new),
            learns_choices=learn_choices(self.systems),
            last=unchanged,
            last_texts=unchanged if has_same_models else None,
        )
        return task_named(task_of(self.systems)).night(night)

    def _features(self, kept: Mapping[str, str], unchanged: Snapshot | None) -> tuple[Step, ...]:
        """The steps that compute features, and train the systems that no model is kept of.

        Args:
            kept: folder of each reused trained system, by name.
            unchanged: as for ``_examples``.
        """
        features, task = self.settings.features, task_named(task_of(self.systems))
        names = [system.name for system in self.systems]
        new = [system for system in self.systems if system.name not in kept]
        # Baselines whose tables the dump of a site lacks are skipped with a warning; the last is the one that stays.
        dispensable = names[:-1] if task.replays_nights else []
        steps: list[Step] = []
        for system in self.systems:
            if system.upstream and system.name in kept:
                steps.append(ScoreUpstream(system))
        computed: Sequence[str] = ()
        if are_fitted(new):
            steps += training(new, task.name, features, dispensable)
            computed = groups_of(new)
        elif new:
            steps.append(Train(new, task.name, dispensable))
        steps.append(
            ComputeFeatures(
                names,
                groups_of(self.systems),
                task.name,
                features,
                unchanged,
                task.candidates_stay,
                computed=computed,
                dispensable=dispensable,
            )
        )
        return tuple(steps)


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
