"""The base class of the settings of every command, and the sections of a config file that several jobs share."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from cqa_spark.config.value_types import InputFiles, MeasureNames, Shown


class SettingsSection(BaseModel):
    """A group of settings; its fields are YAML keys and command-line flags.

    Attributes:
        flag_prefix: prefix of its flags; None for the name of the section.
        rare: names of settings that ``--help`` leaves to ``--help-all``, as it does all flags with a prefix.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    flag_prefix: ClassVar[str | None] = None
    rare: ClassVar[frozenset[str]] = frozenset()


class TrainingInputs(SettingsSection):
    """Training files."""

    flag_prefix: ClassVar[str | None] = ""

    train: InputFiles = Field(default=(), description="labelled files to train on")

    def by_split(self) -> dict[str, tuple[str, ...]]:
        """The files by split, without empty splits."""
        return {split: getattr(self, split) for split in type(self).model_fields if getattr(self, split)}


class Inputs(TrainingInputs):
    """Input files by split."""

    dev: InputFiles = Field(default=(), description="labelled files to evaluate on during development")
    test: InputFiles = Field(default=(), description="files for the final evaluation")
    unannotated: InputFiles = Field(default=(), description="files without judgments, for text and user statistics")


class FeatureSettings(SettingsSection):
    """Features: cross-fitting of labels, and the time cut of as-of groups."""

    folds: int = Field(default=5, ge=2, description="folds of the cross-fitting, grouped by thread")
    cut: Literal["delay", "question", "answer"] = Field(
        default="delay",
        description="time cut of as-of groups: a delay after the question, the time of the question, or the time of "
        "each answer",
    )
    cut_hours: float = Field(default=24, ge=0, description="the delay, in hours")
    top_tags: int = Field(default=24, ge=1, le=30, description="most frequent tags of a site with a column each")


class ResamplingSettings(SettingsSection):
    """Uncertainty: bootstrap intervals and paired tests."""

    resamples: int = Field(default=9999, ge=1, description="resamples of the bootstrap and of the randomization test")
    confidence: float = Field(default=0.95, gt=0, lt=1, description="coverage of the bootstrap intervals")
    seed: int = Field(default=20160616, ge=0, description="seed of the resampling")


class EvaluationSettings(ResamplingSettings):
    """Evaluation: measures and uncertainty."""

    measures: MeasureNames = Field(
        default=(),
        description="measures to report, of which the first one sorts the report; default: those of the task",
    )


class SparkSettings(SettingsSection):
    """The Spark session; see also conf/spark/*.conf."""

    master: Annotated[str | None, Shown("URL")] = Field(
        default=None,
        pattern=r"^(local(-cluster)?(\[[\d*, ]+\])?|yarn|(spark|k8s|mesos)://.+)$",
        description="Spark master URL, such as local[4] or spark://HOST:7077; default from spark-submit or conf/spark",
    )
    partitions: int | None = Field(
        default=None,
        ge=1,
        description="shuffle partitions; does not affect results; default from conf/spark",
    )
    driver_memory: Annotated[str | None, Shown("SIZE")] = Field(
        default=None,
        pattern=r"^([1-9][0-9]*g|[1-9][0-9]{3,}m|[5-9][0-9]{2}m)$",
        description="driver memory, such as 2g, at least 500m; default from conf/spark",
    )
    compile_plans: bool | None = Field(
        default=None,
        description="generate and optimize code for queries, which costs more time than it saves on small inputs; "
        "default: if the input files have more than 64 MB, or 8 MB of texts to analyse",
    )


class Command(SettingsSection):
    """The settings of a command.

    Attributes:
        examples: command lines at the end of the help text.
        needs: dotted keys that must be set although they have a default.
        reading: descriptions of the inputs, with settings as ``{job.lake}``.
        writing: descriptions of the outputs.
    """

    examples: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    reading: ClassVar[tuple[str, ...]] = ()
    writing: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def required(cls, given: Mapping[str, Any]) -> tuple[str, ...]:
        """The dotted keys that must be set, given the other settings."""
        return cls.needs

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield (key, problem, remedy) for every setting that contradicts another."""
        return iter(())

    def reads(self) -> list[str]:
        """The inputs, for ``--dry-run``."""
        return [text.format(job=self) for text in self.reading]

    def writes(self) -> list[str]:
        """The outputs, for ``--dry-run``."""
        return [text.format(job=self) for text in self.writing]
