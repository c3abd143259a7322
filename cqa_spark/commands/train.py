"""``cqa train``, ``train nights``, ``score`` and ``rank``: systems learn and rank, in a run or on files."""

from cqa_spark import flows
from cqa_spark.commands.model_cards import card_tables
from cqa_spark.corpora.source import one_dump, planned_dump
from cqa_spark.lake.model_folder import open_model_folder
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.workspace import given, run_flow, temporary_lake
from cqa_spark.settings.files import RankSettings, ScoreSettings, TrainSettings
from cqa_spark.settings.preferred_answer import TrainNightsSettings
from cqa_spark.systems.trained_system import load_recipe, model_artifact, trained_system
from cqa_spark.tasks.preferred_answer.flow import train_nights as nights_flow
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer


def train_flow(settings: TrainSettings) -> Flow:
    """The training on files if a folder for the model is given, else on a run."""
    return flows.train_on_files(settings) if settings.model else flows.train(settings, given(settings))


def train(settings: TrainSettings) -> None:
    """Train the systems of a run, or one system on files if a folder for its model is given."""
    if settings.model is None or settings.system is None:
        run_flow(train_flow(settings), settings, resume=True)
        return
    with temporary_lake(settings) as job:
        run = run_flow(train_flow(settings), job)
        trained_system(run, model_artifact(settings.system)).save(settings.model, settings.object_storage)
    Terminal().line(f"{settings.system} trained: {settings.model}")


def planned_nights(settings: TrainNightsSettings) -> Flow:
    """The flow that ``cqa train nights`` would run now."""
    return nights_flow(settings, planned_dump(PreferredAnswer.formats[0], settings))


def train_nights(settings: TrainNightsSettings) -> None:
    """Train a system on the nights of all dumps, and print its card."""
    with temporary_lake(settings) as job:
        run = run_flow(nights_flow(settings, one_dump(PreferredAnswer.formats[0], job)), job)
        trained = trained_system(run, model_artifact(settings.system))
        trained.save(settings.model, settings.object_storage)
    assert trained.card is not None, "a system that learned from nights has a card"
    for table in card_tables(trained.card):
        Terminal().table(table)
    Terminal().line(f"{settings.system} trained: {settings.model}")


def score_flow(settings: ScoreSettings) -> Flow:
    """The ranking of a file if the folder of a trained system is given, else of a run."""
    if settings.model is None:
        return flows.score(settings, given(settings))
    system = load_recipe(open_model_folder(settings.model, "trained_system", settings.object_storage)).system
    return flows.score_file(settings, system)


def score(settings: ScoreSettings) -> None:
    """Rank the examples of a run, or a file if the folder of a trained system is given."""
    flow = score_flow(settings)
    if settings.model is None:
        run_flow(flow, settings, resume=True)
        return
    with temporary_lake(settings) as job:
        run_flow(flow, job)
    Terminal().line(f"predictions: {settings.predictions}")


def rank(settings: RankSettings) -> None:
    """Write the official prediction file of a system for a file with or without labels."""
    with temporary_lake(settings) as job:
        run_flow(flows.rank(settings), job)
    Terminal().line(f"predictions: {settings.predictions}")
