"""``cqa train``, ``train nights``, ``score`` and ``rank``: systems learn and rank, in a run or on files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from cqa_spark.commands.catalogue import card_tables
from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.preferred_answer import TrainNightsSettings
from cqa_spark.settings.sections import (
    AllowSharedThreads,
    Corpus,
    FeatureSettings,
    JobSettings,
    OptionalLake,
    Site,
    Systems,
    TrackedSettings,
    TrainingInputs,
)
from cqa_spark.settings.values import InputFile, NotHashed, OutputFile, OutputFolder, RunName, Shown, SystemName

if TYPE_CHECKING:
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.systems.system import System


class FileOrRunSettings(JobSettings):
    """Base of the settings of jobs that work on a run of a lake or, if a model is given, on files."""

    lake: OptionalLake = ""
    run_id: Annotated[RunName | None, NotHashed(), Field(description="run to continue; not for files")] = None
    site: Site = "qatarliving.com"
    corpus: Corpus = "qatar_living"
    systems: Systems = ()

    needs_with_files: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def required(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The files if a model is given, the run otherwise."""
        return cls.needs_with_files if values.get("model") else ("lake", "run_id", "systems")


class TrainSettings(FileOrRunSettings, TrackedSettings):
    """Train the systems of a run or, with --model, one system on files."""

    examples = (
        "cqa train --system best_a --train train.xml --model build/best_a",
        "cqa train --lake build/lake --run-id mine --systems logistic_a best_a",
    )
    needs_with_files = ("system", "inputs.train")

    system: Annotated[SystemName | None, Field(description="system to train on files")] = None
    inputs: TrainingInputs = TrainingInputs()
    model: Annotated[OutputFolder | None, NotHashed(), Field(description="output folder for the trained system")] = None
    features: FeatureSettings = FeatureSettings()

    def reads(self) -> list[str]:
        """The training files, or the run."""
        return list(self.inputs.train) if self.model else super().reads()

    def writes(self) -> list[str]:
        """The model, or the run."""
        return [self.model, *_kept_tables(self)] if self.model else super().writes()


def train(settings: TrainSettings) -> None:
    """Train the systems of a run, or one system on files if a folder for its model is given."""
    from cqa_spark.runtime.workspace import run_flow, temporary_lake
    from cqa_spark.systems.trained_system import model_artifact, trained_system

    if settings.model is None or settings.system is None:
        run_flow(train_flow(settings), settings, resume=True)
        return
    with temporary_lake(settings) as job:
        run = run_flow(train_flow(settings), job)
        trained_system(run, model_artifact(settings.system)).save(settings.model, settings.object_storage)
    Terminal().line(f"{settings.system} trained: {settings.model}")


def train_on_files(settings: TrainSettings) -> Flow:
    """Train one system on files."""
    from cqa_spark.flows import annotated_files, training_on_files
    from cqa_spark.systems.recipes import read_systems

    assert settings.system is not None, "required with --model"
    systems = read_systems([settings.system])
    source = annotated_files(settings, settings.inputs.by_split(), systems)
    return training_on_files(source, settings.corpus, systems, settings.features)


def train_flow(settings: TrainSettings) -> Flow:
    """The training on files if a folder for the model is given, else on a run."""
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.runtime.workspace import existing_products
    from cqa_spark.steps.train import Train
    from cqa_spark.systems.recipes import read_systems, task_of

    if settings.model:
        return train_on_files(settings)
    systems = read_systems(settings.systems)
    return Flow("train", (Train(systems, task_of(systems)),), existing_products(settings))


def planned_nights(settings: TrainNightsSettings) -> Flow:
    """The flow that ``cqa train nights`` would run now."""
    from cqa_spark.corpora.source import planned_dump
    from cqa_spark.tasks.preferred_answer.flow import train_nights as nights_flow
    from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

    return nights_flow(settings, planned_dump(PreferredAnswer.formats[0], settings))


def train_nights(settings: TrainNightsSettings) -> None:
    """Train a system on the nights of all dumps, and print its card."""
    from cqa_spark.corpora.source import one_dump
    from cqa_spark.runtime.workspace import run_flow, temporary_lake
    from cqa_spark.systems.trained_system import model_artifact, trained_system
    from cqa_spark.tasks.preferred_answer.flow import train_nights as nights_flow
    from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

    with temporary_lake(settings) as job:
        run = run_flow(nights_flow(settings, one_dump(PreferredAnswer.formats[0], job)), job)
        trained = trained_system(run, model_artifact(settings.system))
        trained.save(settings.model, settings.object_storage)
    assert trained.card is not None, "a system that learned from nights has a card"
    for table in card_tables(trained.card):
        Terminal().table(table)
    Terminal().line(f"{settings.system} trained: {settings.model}")


class ScoreSettings(FileOrRunSettings):
    """Rank the examples of a run with its trained systems or, with --model, rank a file."""

    examples = (
        "cqa score --model build/best_a --input test.xml --predictions best_a.pred",
        "cqa score --lake build/lake --run-id mine --systems logistic_a best_a",
    )
    needs_with_files = ("input", "predictions")

    model: Annotated[InputFile | None, NotHashed(), Shown("PATH"), Field(description="folder of a trained system")] = (
        None
    )
    input: InputFile | None = Field(default=None, description="file with the queries to rank; labels are not required")
    predictions: Annotated[
        OutputFile | None, NotHashed(), Field(description="output file in the official prediction format")
    ] = None
    allow_shared_threads: AllowSharedThreads = False

    def reads(self) -> list[str]:
        """The model and the file, or the run."""
        return [self.model, str(self.input)] if self.model else super().reads()

    def writes(self) -> list[str]:
        """The predictions, or the run."""
        return [str(self.predictions), *_kept_tables(self)] if self.model else super().writes()


def score(settings: ScoreSettings) -> None:
    """Rank the examples of a run, or a file if the folder of a trained system is given."""
    from cqa_spark.runtime.workspace import run_flow, temporary_lake

    flow = score_flow(settings)
    if settings.model is None:
        run_flow(flow, settings, resume=True)
        return
    with temporary_lake(settings) as job:
        run_flow(flow, job)
    Terminal().line(f"predictions: {settings.predictions}")


def score_flow(settings: ScoreSettings) -> Flow:
    """The ranking of a file if the folder of a trained system is given, else of a run."""
    from cqa_spark.lake.model_folder import open_model_folder
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.runtime.workspace import existing_products
    from cqa_spark.steps.score import Score
    from cqa_spark.systems.recipes import read_systems, task_of
    from cqa_spark.systems.trained_system import load_recipe

    if settings.model is None:
        systems = read_systems(settings.systems)
        return Flow("score", (Score(systems, task_of(systems)),), existing_products(settings))
    system = load_recipe(open_model_folder(settings.model, "trained_system", settings.object_storage)).system
    return score_file(settings, system)


def score_file(settings: ScoreSettings, system: System) -> Flow:
    """Rank a file with a trained system.

    Args:
        settings: of the job; they name the folder of the trained system.
        system: its recipe.
    """
    from cqa_spark.flows import annotated_files, text_analysis
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.featurize import ComputeFeatures
    from cqa_spark.steps.ingest import Ingest
    from cqa_spark.steps.kept_models import KeepModels
    from cqa_spark.steps.pair import Pair
    from cqa_spark.steps.predictions import WritePredictions
    from cqa_spark.steps.score import Score
    from cqa_spark.steps.upstream import ScoreUpstream, tasks_of

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


class RankSettings(TrackedSettings):
    """Train a system on files and rank another file with it."""

    examples = ("cqa rank --system best_a --train train.xml more.xml --input test.xml --predictions best_a.pred",)
    needs = ("inputs.train",)

    lake: OptionalLake = ""
    site: Site = "qatarliving.com"
    corpus: Corpus = "qatar_living"
    system: Annotated[SystemName, Field(description="system to train and rank with")]
    inputs: TrainingInputs = TrainingInputs()
    input: Annotated[InputFile, Field(description="file with the queries to rank; labels are not required")]
    predictions: Annotated[OutputFile, NotHashed(), Field(description="output file in the official prediction format")]
    allow_shared_threads: AllowSharedThreads = False
    features: FeatureSettings = FeatureSettings()

    def reads(self) -> list[str]:
        """The training files and the file to rank."""
        return [*self.inputs.train, self.input]

    def writes(self) -> list[str]:
        """The predictions."""
        return [self.predictions, *_kept_tables(self)]


def rank_flow(settings: RankSettings) -> Flow:
    """Train one system on files and rank another file."""
    from cqa_spark.flows import annotated_files, learning
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.ingest import Ingest
    from cqa_spark.steps.pair import Pair
    from cqa_spark.steps.predictions import WritePredictions
    from cqa_spark.steps.score import Score
    from cqa_spark.steps.upstream import tasks_of
    from cqa_spark.systems.recipes import read_systems, task_of

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


def rank(settings: RankSettings) -> None:
    """Write the official prediction file of a system for a file with or without labels."""
    from cqa_spark.runtime.workspace import run_flow, temporary_lake

    with temporary_lake(settings) as job:
        run_flow(rank_flow(settings), job)
    Terminal().line(f"predictions: {settings.predictions}")


def _kept_tables(settings: JobSettings) -> list[str]:
    """The intermediate tables, if a lake is given."""
    return [f"{settings.lake}: tables of run {settings.run_id or '(new)'}"] if settings.lake else []


JOBS = (
    Job(
        "train",
        "features → trained systems, or training files → a model folder",
        "single steps",
        TrainSettings,
        train,
        flow=train_flow,
        step=5,
    ),
    Job(
        "train nights",
        "dumps of many sites → a system that ranks answers on the first night of any site",
        "single steps",
        TrainNightsSettings,
        train_nights,
        flow=planned_nights,
        step=5,
    ),
    Job(
        "score",
        "trained systems → rankings, or a model folder and a file → predictions",
        "single steps",
        ScoreSettings,
        score,
        flow=score_flow,
        step=6,
    ),
    Job("rank", "train on files and rank another file", "on files", RankSettings, rank, flow=rank_flow),
)
