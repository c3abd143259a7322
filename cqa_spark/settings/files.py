"""The settings of jobs that work on a run or on files."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

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


class FileOrRunSettings(JobSettings):
    """Base of the settings of jobs that work on a run of a lake or, if a model is given, on files."""

    lake: OptionalLake = ""
    run_id: Annotated[RunName | None, NotHashed(), Field(description="run to continue; not for files")] = None
    site: Site = "qatarliving.com"
    corpus: Corpus = "qatar_living"
    systems: Systems = ()

    needs_with_files: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def required(cls, given: Mapping[str, Any]) -> tuple[str, ...]:
        """The files if a model is given, the run otherwise."""
        return cls.needs_with_files if given.get("model") else ("lake", "run_id", "systems")


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


def _kept_tables(settings: JobSettings) -> list[str]:
    """The intermediate tables, if a lake is given."""
    return [f"{settings.lake}: tables of run {settings.run_id or '(new)'}"] if settings.lake else []
