"""The flows: which steps each job takes, in order, from its settings.

A flow is made and checked before Spark starts; ``--dry-run`` draws it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cqa_spark.config.project_root import project_root
from cqa_spark.config.sections import EvaluationSettings, FeatureSettings
from cqa_spark.config.settings import (
    EvaluateSettings,
    FeatureAuditSettings,
    FeaturizeSettings,
    IngestSettings,
    NightlySettings,
    PairSettings,
    PreferredAnswerDatasetSettings,
    PreferredAnswerExperimentSettings,
    RankSettings,
    ReportSettings,
    RunSettings,
    ScoreSettings,
    TrainSettings,
)
from cqa_spark.corpora.registry import file_source
from cqa_spark.corpora.source import Source
from cqa_spark.experiments.ablation import Ablation
from cqa_spark.experiments.comparison import CrossValidation
from cqa_spark.experiments.evaluation_split import EvaluationSplit, EveryFold, HeldOut
from cqa_spark.experiments.learning_curve import LearningCurve
from cqa_spark.experiments.preferred_answer.every_question import RankEveryQuestion
from cqa_spark.experiments.preferred_answer.lineup import BASELINES, learned_systems
from cqa_spark.experiments.preferred_answer.measuring import Measure
from cqa_spark.experiments.preferred_answer.transfer import TransferSites
from cqa_spark.experiments.preferred_answer.tuning import Tune
from cqa_spark.experiments.seeds import OtherSeeds
from cqa_spark.features.registry import group_class, known_groups, reads_texts
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.step import Step
from cqa_spark.steps.analyse import Analyse
from cqa_spark.steps.audit import Audit
from cqa_spark.steps.changes import Changes
from cqa_spark.steps.check import Check
from cqa_spark.steps.dataset import AdoptCommunity, EveryQuestion, PreferredAnswerDataset
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.export import Export
from cqa_spark.steps.featurize import ComputeFeatures, Featurize
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.pair import Pair
from cqa_spark.steps.predictions import WritePredictions
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.refresh import RefreshFeatures, RefreshRankings
from cqa_spark.steps.report import Report
from cqa_spark.steps.reuse import KeepModels
from cqa_spark.steps.score import Score
from cqa_spark.steps.train import Train
from cqa_spark.steps.upstream import ScoreUpstream, TrainUpstream, tasks_of, upstream_of
from cqa_spark.systems.recipes import at_random, groups_of, read_systems, task_of
from cqa_spark.systems.system import System, known_systems
from cqa_spark.tasks.preferred_answer import MEASURES, PreferredAnswer
from cqa_spark.tasks.registry import known_tasks

Given = Collection[str] | None
"""Names of tables and artifacts that a resumed run has; None where that is not known, as in a dry run."""

NIGHT_BASELINE = "first_answer"


def run(settings: RunSettings) -> Flow:
    """Everything, from files to a report and a published run."""
    systems = read_systems(settings.systems)
    task = task_of(systems)
    source = _files(settings, settings.inputs.by_split())
    return Flow(
        "run",
        (
            Ingest(source),
            Pair(known_tasks(), allow_shared_threads=settings.allow_shared_threads),
            *_learning(systems, task, settings.features),
            Score(systems, task),
            Evaluate(settings.evaluation, settings.baseline, at_random(systems)),
            *_experiments(systems, settings),
            Report(settings.report, settings.evaluation.measures, settings.baseline),
            *([Publish()] if settings.publish else []),
        ),
    )


def rank(settings: RankSettings) -> Flow:
    """Train one system on files and rank another file."""
    systems = read_systems([settings.system])
    task = task_of(systems)
    by_split = {**settings.inputs.by_split(), "test": (settings.input,)}
    source = _files(settings, by_split)
    return Flow(
        "rank",
        (
            Ingest(source),
            Pair(tasks_of(systems), allow_shared_threads=settings.allow_shared_threads),
            *_learning(systems, task, settings.features),
            Score(systems, task),
            WritePredictions(settings.predictions, settings.system, task),
        ),
    )


def train_on_files(settings: TrainSettings) -> Flow:
    """Train one system on files."""
    assert settings.system is not None, "required with --model"
    systems = read_systems([settings.system])
    source = _files(settings, settings.inputs.by_split())
    return Flow(
        "train", (Ingest(source), Pair(tasks_of(systems)), *_learning(systems, task_of(systems), settings.features))
    )


def score_file(settings: ScoreSettings, system: System) -> Flow:
    """Rank a file with a trained system.

    Args:
        settings: of the job; they name the folder of the trained system.
        system: the recipe that it was trained by.
    """
    assert settings.model is not None, "the caller ranks by a model folder"
    assert settings.input is not None, "required with --model"
    assert settings.predictions is not None, "required with --model"
    by_split = {"test": (settings.input,)}
    source = _files(settings, by_split)
    return Flow(
        "score",
        (
            KeepModels({system.name: settings.model}),
            Ingest(source),
            Pair(tasks_of([system]), models=[system.name], allow_shared_threads=settings.allow_shared_threads),
            *_texts([system]),
            *([ScoreUpstream(system)] if system.upstream else []),
            ComputeFeatures(system.name, system.feature_groups, system.task),
            Score([system], system.task),
            WritePredictions(settings.predictions, system.name, system.task),
        ),
    )


def reproduce(
    source: Source,
    systems: Sequence[System],
    features: FeatureSettings,
    *,
    leave_out: Sequence[str],
    predictions: Mapping[tuple[str, str], str],
) -> Flow:
    """Train published systems of one task and rank the parts of their data set.

    Args:
        source: files of the data set.
        systems: recipes of one task, with the same upstream systems.
        features: folds of the cross-fitting, and what as-of groups may see.
        leave_out: training threads that a part holds too.
        predictions: file for the predictions of each system and split.
    """
    task = task_of(systems)
    files = (WritePredictions(path, system, task, split) for (system, split), path in predictions.items())
    return Flow(
        "reproduce",
        (
            Ingest(source),
            Pair(tasks_of(systems), leave_out=leave_out),
            *_learning(systems, task, features),
            Score(systems, task),
            *files,
        ),
    )


def nightly(
    settings: NightlySettings, source: Source, *, last: Snapshot | None = None, kept: Mapping[str, str] | None = None
) -> Flow:
    """A new dump: what changed is computed again, checked, published and exported.

    Args:
        settings: of the job.
        source: the dump.
        last: the published run; None where nothing is published.
        kept: folder of each system that was trained before and ranks again, by name.
    """
    systems, task = read_systems([settings.system, NIGHT_BASELINE]), PreferredAnswer.name
    kept = kept or {}
    new = [system for system in systems if system.name not in kept]
    names, groups = [system.name for system in systems], groups_of(systems)
    measures = settings.evaluation.measures
    return Flow(
        "nightly",
        (
            *([KeepModels(kept)] if kept else []),
            Ingest(source),
            EveryQuestion(settings.answers, tuple(kept), trains=bool(new)),
            *_texts(systems),
            *([Featurize(groups_of(new), task, settings.features), Train(new, task)] if new else []),
            *([Changes(last, names, groups, settings)] if last is not None else []),
            RefreshFeatures(names, groups, last, task, settings.features),
            RefreshRankings(systems, last, task),
            Evaluate(settings.evaluation, NIGHT_BASELINE),
            Check(last, settings.checks, settings.system, measures[0]),
            Report(settings.report, measures, NIGHT_BASELINE),
            Publish(force=settings.force, who=settings.who),
            Export(settings.system),
        ),
    )


def preferred_answer(settings: PreferredAnswerExperimentSettings) -> Flow:
    """Systems and figures of Xu et al. (2018), by their protocol or as of the cut: data set, features, report."""
    chosen, task = settings.experiment, PreferredAnswer.name
    systems = read_systems([*BASELINES, *learned_systems(chosen.rankers)])
    studied = [system for system in systems if system.name in learned_systems(chosen.studied)]
    every = chosen.measured_on == "every"
    split: EvaluationSplit = EveryFold(settings.features.folds) if every else HeldOut("split = 'test'")
    evaluation = EvaluationSettings(**settings.evaluation.model_dump(), measures=MEASURES)
    return Flow(
        "experiment preferred-answer",
        (
            AdoptCommunity(settings.from_run),
            PreferredAnswerDataset(settings.chosen_threads()),
            *_texts(systems),
            Featurize(groups_of(systems), task, settings.features, strict=chosen.strict),
            *([Tune(systems, chosen.budget, settings.evaluation)] if chosen.budget else []),
            Train(systems, task),
            RankEveryQuestion(systems, split) if every else Score(systems, task),
            Measure(split, settings.evaluation, chosen.rankers, at_random(systems)),
            *([OtherSeeds(studied, evaluation, split, chosen.seeds)] if studied and chosen.seeds > 1 else []),
            *([Ablation(studied, evaluation, split)] if studied and chosen.ablation else []),
            *([TransferSites(studied, settings.evaluation, split)] if studied and chosen.transfer else []),
            Report(settings.report, MEASURES, NIGHT_BASELINE),
        ),
    )


def ingest(settings: IngestSettings) -> Flow:
    """Files → community tables."""
    source = _files(settings, settings.inputs.by_split())
    return Flow("ingest", (Ingest(source),))


def ingest_dump(source: Source, *, publish: bool) -> Flow:
    """A dump → community tables.

    Args:
        source: the dump.
        publish: publish the run after checks.
    """
    return Flow("ingest stackexchange", (Ingest(source), *([Publish()] if publish else [])))


def dataset(settings: PreferredAnswerDatasetSettings) -> Flow:
    """Community tables of a run → examples and the data card of a new one."""
    steps = (AdoptCommunity(settings.from_run), PreferredAnswerDataset(settings.threads))
    return Flow("dataset preferred-answer", steps)


def pair(settings: PairSettings, given: Given) -> Flow:
    """Community tables → examples."""
    return Flow("pair", (Pair(known_tasks(), allow_shared_threads=settings.allow_shared_threads),), given)


def featurize(settings: FeaturizeSettings, given: Given) -> Flow:
    """Examples → features, with all that they need."""
    systems = read_systems(settings.systems)
    groups = list(dict.fromkeys([*groups_of(systems), *settings.groups]))
    task = settings.task or task_of(systems)
    texts = reads_texts([*groups, *groups_of(each.system for each in upstream_of(systems))])
    return Flow(
        "featurize",
        (
            *([Analyse()] if texts else []),
            *([TrainUpstream(systems, settings.features)] if upstream_of(systems) else []),
            Featurize(groups, task, settings.features, strict=settings.strict),
        ),
        given,
    )


def train(settings: TrainSettings, given: Given) -> Flow:
    """Features → models."""
    systems = read_systems(settings.systems)
    return Flow("train", (Train(systems, task_of(systems)),), given)


def score(settings: ScoreSettings, given: Given) -> Flow:
    """Models → rankings."""
    systems = read_systems(settings.systems)
    return Flow("score", (Score(systems, task_of(systems)),), given)


def evaluate(settings: EvaluateSettings, given: Given) -> Flow:
    """Rankings → metrics."""
    chance = at_random(read_systems(known_systems(project_root() / "conf")))
    return Flow("evaluate", (Evaluate(settings.evaluation, settings.baseline, chance),), given)


def report(settings: ReportSettings, given: Given) -> Flow:
    """Metrics → a page."""
    return Flow("report", (Report(settings.report, settings.evaluation.measures, settings.baseline),), given)


def audit(settings: FeatureAuditSettings, given: Given) -> Flow:
    """Features → the proof that they do not depend on the future."""
    groups = settings.audit.groups or tuple(name for name in known_groups() if group_class(name).is_as_of)
    return Flow("features audit", (Audit(groups, settings.audit.moments, settings.features),), given)


def _files(
    settings: RunSettings | RankSettings | TrainSettings | ScoreSettings | IngestSettings,
    by_split: Mapping[str, Sequence[str]],
) -> Source:
    """The files of a job's corpus, by split."""
    return file_source(settings.corpus, by_split, site=settings.site, storage=settings.object_storage)


def _learning(systems: Sequence[System], task: str, features: FeatureSettings) -> tuple[Step, ...]:
    """From examples to trained systems: texts and upstream systems where they are wanted, features, rankers."""
    return (
        *_texts(systems),
        *([TrainUpstream(systems, features)] if upstream_of(systems) else []),
        Featurize(groups_of(systems), task, features),
        Train(systems, task),
    )


def _texts(systems: Sequence[System]) -> tuple[Step, ...]:
    """The analysis of texts, where a group of the systems or of their upstream systems wants it."""
    groups = groups_of([*systems, *[each.system for each in upstream_of(systems)]])
    return (Analyse(),) if reads_texts(groups) else ()


def _experiments(systems: Sequence[System], settings: RunSettings) -> tuple[Step, ...]:
    """The experiments that the settings of a run ask for."""
    chosen, evaluation = settings.experiments, settings.evaluation
    studied = [system for system in systems if system.name in chosen.systems]
    return (
        *([CrossValidation(systems, chosen, evaluation, settings.features)] if chosen.cross_validation else []),
        *([Ablation(studied, evaluation)] if chosen.ablation else []),
        *([LearningCurve(studied, evaluation, chosen.shares, settings.features)] if chosen.learning_curve else []),
    )
