"""Flows that study which answer of a thread was accepted."""

from cqa_spark.corpora.source import Source
from cqa_spark.experiments.ablation import AblateFamilies, OtherSeeds
from cqa_spark.experiments.experiment import EvaluationSplit, EveryFold, HeldOut, RankEveryQuery
from cqa_spark.flows.shared_steps import text_analysis, training
from cqa_spark.runtime.flow import Flow, Step
from cqa_spark.settings.preferred_answer import (
    PreferredAnswerDatasetSettings,
    PreferredAnswerExperimentSettings,
    ThreadSettings,
    TrainNightsSettings,
)
from cqa_spark.settings.sections import EvaluationSettings
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.report import Report
from cqa_spark.steps.restore_texts import RestoreTexts
from cqa_spark.steps.score import Score
from cqa_spark.steps.train import Train
from cqa_spark.systems.recipes import at_random, groups_of, learn_choices, read_systems
from cqa_spark.tasks.preferred_answer.measure_nights import MeasureNights
from cqa_spark.tasks.preferred_answer.night_card import WriteCard
from cqa_spark.tasks.preferred_answer.steps import AdoptCommunity, PreferredAnswerDataset, ReplayNights
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer
from cqa_spark.tasks.preferred_answer.transfer import TransferSites
from cqa_spark.tasks.preferred_answer.xu_2018 import BASELINES, Attend, Measure, Tune, learned_systems


def dataset(settings: PreferredAnswerDatasetSettings) -> Flow:
    """Community tables of a run → examples and the data card of a new one."""
    return Flow("dataset preferred-answer", _dataset(settings.from_run, settings.threads))


def preferred_answer(settings: PreferredAnswerExperimentSettings) -> Flow:
    """Systems and tables of Xu et al. (2018), by their protocol or as of the cut: data set, features, report."""
    chosen, task = settings.experiment, PreferredAnswer.name
    systems = read_systems([*BASELINES, *learned_systems(chosen.rankers)])
    studied = [system for system in systems if system.name in learned_systems(chosen.studied)]
    reading = [system for system in systems if system.reads_texts()]
    every = chosen.evaluation_split == "every"
    split: EvaluationSplit = EveryFold(settings.features.folds) if every else HeldOut("split = 'test'")
    evaluation = EvaluationSettings(**settings.evaluation.model_dump(), measures=PreferredAnswer.measures)
    return Flow(
        "experiment preferred-answer",
        (
            *_dataset(settings.from_run, settings.chosen_threads()),
            *text_analysis(systems, examples_only=True),
            Featurize(groups_of(systems), task, settings.features, strict=chosen.strict),
            *([Tune(systems, chosen.budget, settings.evaluation)] if chosen.budget else []),
            Train(systems, task),
            RankEveryQuery(systems, split) if every else Score(systems, task),
            Measure(split, settings.evaluation, chosen.rankers, at_random(systems)),
            *([Attend(reading)] if reading else []),
            *([OtherSeeds(studied, evaluation, split, chosen.seeds)] if studied and chosen.seeds > 1 else []),
            *([AblateFamilies(studied, evaluation, split)] if studied and chosen.ablation else []),
            *([TransferSites(studied, settings.evaluation, split)] if studied and chosen.transfer else []),
            Report(settings.report, PreferredAnswer.measures, PreferredAnswer.baseline),
        ),
    )


def train_nights(settings: TrainNightsSettings, source: Source) -> Flow:
    """Dumps → a system that has learned from the nights of all sites."""
    system, *simple = systems = read_systems([settings.system, *PreferredAnswer.simple_orders])
    return Flow(
        "train nights",
        (
            Ingest(source, PreferredAnswer.formats[0]),
            ReplayNights(PreferredAnswer(), settings.nights, learner=system.name, undecided=learn_choices([system])),
            *training(systems, PreferredAnswer.name, settings.features),
            MeasureNights(systems, last=None, unchanged=None),
            WriteCard(system, simple),
        ),
    )


def _dataset(community: str | None, threads: ThreadSettings) -> tuple[Step, ...]:
    """Examples from the tables of another run, with texts as of the time up to which answers are candidates."""
    hours = threads.within_hours
    return (
        AdoptCommunity(community),
        PreferredAnswerDataset(PreferredAnswer(), threads),
        *([] if hours is None else [RestoreTexts(hours)]),
    )
