"""Settings that belong together: the sections of a config file."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from cqa_spark.config.value_types import InputFiles, MeasureNames, Shown


class Section(BaseModel):
    """A group of settings; its fields are keys of the YAML file and flags of the command line alike.

    Attributes:
        flag_prefix: what the flags of the section start with; None stands for the section's own name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    flag_prefix: ClassVar[str | None] = None


class TrainingInputs(Section):
    """Input files to learn from."""

    flag_prefix: ClassVar[str | None] = ""

    train: InputFiles = Field(default=(), description="labelled files that systems are trained on")

    def by_split(self) -> dict[str, tuple[str, ...]]:
        """The files of every split that has some."""
        return {split: getattr(self, split) for split in type(self).model_fields if getattr(self, split)}


class Inputs(TrainingInputs):
    """Input files, by what they are for."""

    dev: InputFiles = Field(
        default=(), description="labelled files that systems are measured on while they are developed"
    )
    test: InputFiles = Field(default=(), description="files that systems are measured on once")
    unannotated: InputFiles = Field(
        default=(), description="files without judgments; they give text and user statistics"
    )


class FeatureSettings(Section):
    """What feature groups may see: labels of other folds only, and as-of groups the past only."""

    folds: int = Field(default=5, ge=2, description="folds of the cross-fitting, by thread with its repeats")
    cut: Literal["delay", "question", "answer"] = Field(
        default="delay",
        description="moment after which as-of groups know nothing: a delay after the question, the question's time or "
        "each answer's",
    )
    cut_hours: float = Field(default=24, ge=0, description="the delay, in hours")
    top_tags: int = Field(default=24, ge=1, le=30, description="tags of a site that have columns of their own")


class ResamplingSettings(Section):
    """How sure what is measured is."""

    resamples: int = Field(default=9999, ge=1, description="resamples of the bootstrap and of the randomization test")
    confidence: float = Field(default=0.95, gt=0, lt=1, description="coverage of the bootstrap intervals")
    seed: int = Field(default=20160616, ge=0, description="seed of the resampling")


class EvaluationSettings(ResamplingSettings):
    """What is measured, and how sure it is."""

    measures: MeasureNames = Field(
        default=("MAP@10", "AvgRec@10", "MRR@10", "P@1", "nDCG@10", "Precision", "Recall", "F1", "Accuracy"),
        min_length=1,
        description="measures to report; the first one orders the report",
    )


class SparkSettings(Section):
    """The Spark session; everything else about it stands in conf/spark/*.conf."""

    master: Annotated[str | None, Shown("URL")] = Field(
        default=None, description="Spark master; unset: what spark-submit says"
    )
    partitions: int | None = Field(
        default=None,
        ge=1,
        description="partitions after a shuffle; they never change a figure; unset: what conf/spark says",
    )
    driver_memory: Annotated[str | None, Shown("SIZE")] = Field(
        default=None,
        pattern=r"^[1-9][0-9]*[mg]$",
        description="memory of the driver, such as 2g; unset: what conf/spark says",
    )
    compile_plans: bool = Field(
        default=True,
        description="compile a program for every plan, which pays off on many rows; off: samples take half the time",
    )
