"""Flows over annotated files: from files to tables, to a trained system, to a published run."""

from collections.abc import Sequence

from cqa_spark.corpora.source import Source
from cqa_spark.experiments.ablation import AblateFamilies, LearningCurve, OtherSeeds
from cqa_spark.experiments.cross_validation import CrossValidate
from cqa_spark.experiments.experiment import EveryFold, HeldOut, RankEveryQuery
from cqa_spark.flows.shared_steps import annotated_files, evaluation_of, learning, text_analysis
from cqa_spark.runtime.flow import Flow, Step
from cqa_spark.settings.files import RankSettings, ScoreSettings, TrainSettings
from cqa_spark.settings.run import IngestSettings, RunSettings
from cqa_spark.settings.sections import EvaluationSettings, FeatureSettings
from cqa_spark.steps.evaluate import Evaluate
from cqa_spark.steps.evaluate_sets import EvaluateSets
from cqa_spark.steps.featurize import ComputeFeatures
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.kept_models import KeepModels
from cqa_spark.steps.lake_page import WriteLakePage, WriteThreads
from cqa_spark.steps.pair import Pair
from cqa_spark.steps.predictions import WritePredictions
from cqa_spark.steps.publish import Publish
from cqa_spark.steps.report import Report
from cqa_spark.steps.score import Score
from cqa_spark.steps.upstream import ScoreUpstream, tasks_of
from cqa_spark.systems.recipes import at_random, read_systems, task_of
from cqa_spark.systems.system import System
from cqa_spark.task_contract.contract import TASKS
from cqa_spark.task_contract.contract import task as task_named


def ingest(settings: IngestSettings) -> Flow:
    """Files → community tables."""
    source = annotated_files(settings, settings.inputs.by_split())
    return Flow("ingest", (Ingest(source, settings.corpus),))


def run(settings: RunSettings) -> Flow:
    """Everything, from files to a report and a published run."""
    systems = read_systems(settings.systems)
    task = task_of(systems)
    source = annotated_files(settings, settings.inputs.by_split(), systems)
    folds, evaluation = EveryFold(settings.features.folds), evaluation_of(settings.evaluation, task)
    pages = [WriteThreads(settings.page_rows, served=False), WriteLakePage()] if settings.pages else []
    return Flow(
        "run",
        (
            Ingest(source, settings.corpus),
            Pair(TASKS.names(), allow_shared_threads=settings.allow_shared_threads),
            *learning(systems, task, settings.features, every_fold=settings.every_fold),
            RankEveryQuery(systems, folds) if settings.every_fold else Score(systems, task),
            Evaluate(evaluation, settings.baseline, at_random(systems), cross_validated=settings.every_fold),
            *([EvaluateSets(evaluation, settings.baseline)] if task_named(task).grades_pairs else []),
            *_experiments(systems, settings, evaluation),
            Report(settings.report, evaluation.measures, settings.baseline),
            *([*pages, Publish()] if settings.publish else []),
        ),
    )


def rank(settings: RankSettings) -> Flow:
    """Train one system on files and rank another file."""
    systems = read_systems([settings.system])
    task = task_of(systems)
    by_split = {**settings.inputs.by_split(), "test": (settings.input,)}
    source = annotated_files(settings, by_split, systems)
    return Flow(
        "rank",
        (
            Ingest(source, settings.corpus),
            Pair(tasks_of(systems), allow_shared_threads=settings.allow_shared_threads),
            *learning(systems, task, settings.features),
            Score(systems, task),
            WritePredictions(settings.predictions, settings.system, task),
        ),
    )


def train_on_files(settings: TrainSettings) -> Flow:
    """Train one system on files."""
    assert settings.system is not None, "required with --model"
    systems = read_systems([settings.system])
    source = annotated_files(settings, settings.inputs.by_split(), systems)
    return training_on_files(source, settings.corpus, systems, settings.features)


def training_on_files(source: Source, corpus: str, systems: Sequence[System], features: FeatureSettings) -> Flow:
    """Annotated files of a format → trained systems of one task."""
    task = task_of(systems)
    return Flow("train", (Ingest(source, corpus), Pair(tasks_of(systems)), *learning(systems, task, features)))


def score_file(settings: ScoreSettings, system: System) -> Flow:
    """Rank a file with a trained system.

    Args:
        settings: of the job; they name the folder of the trained system.
        system: its recipe.
    """
    assert settings.model is not None, "the caller ranks by a model folder"
    assert settings.input is not None, "required with --model"
    assert settings.predictions is not None, "required with --model"
    by_split = {"test": (settings.input,)}
    source = annotated_files(settings, by_split, [system])
    return Flow(
        "score",
        (
            KeepModels({system.name: settings.model}),
            Ingest(source, settings.corpus),
            Pair(tasks_of([system]), models=[system.name], allow_shared_threads=settings.allow_shared_threads),
            *text_analysis([system]),
            *([ScoreUpstream(system)] if system.upstream else []),
            ComputeFeatures([system.name], system.feature_groups, system.task, FeatureSettings()),
            Score([system], system.task),
            WritePredictions(settings.predictions, system.name, system.task),
        ),
    )


def _experiments(systems: Sequence[System], settings: RunSettings, evaluation: EvaluationSettings) -> tuple[Step, ...]:
    """The experiments that the settings of a run enable."""
    chosen = settings.experiments
    studied = [system for system in systems if system.name in chosen.systems]
    return (
        *([CrossValidate(systems, evaluation, settings.features, chosen)] if chosen.cross_validation else []),
        *([AblateFamilies(studied, evaluation)] if chosen.ablation else []),
        *([LearningCurve(studied, evaluation, settings.features, chosen.shares)] if chosen.learning_curve else []),
        *([OtherSeeds(studied, evaluation, HeldOut(), chosen.seeds)] if chosen.seeds > 1 else []),
    )
