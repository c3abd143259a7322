"""The settings of ``reproduce``, which compares reproduced with published scores."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from cqa_spark.settings.research_data import data_folder
from cqa_spark.settings.sections import FeatureSettings, OptionalLake, TrackedSettings
from cqa_spark.settings.values import (
    DataSetName,
    InputFile,
    NotHashed,
    OutputFile,
    OutputFolder,
    Positional,
    SystemNames,
)


class ReproduceSettings(TrackedSettings):
    """Train and evaluate published systems on their data sets, and compare with the published scores."""

    examples = (
        "cqa reproduce given_order kelp_2016_a --data semeval",
        "cqa reproduce --all --output build/reproduced",
        "cqa reproduce best_a --data-set semeval2016 --scores figures.json",
        "cqa reproduce best_sts samsung_2016_sts --data-set sts2015",
    )

    lake: OptionalLake = ""
    recipes: Annotated[
        SystemNames, Positional(), Field(description="published systems, with a data set in their recipe")
    ] = ()
    data_set: DataSetName = Field(
        default="", description="data set in conf/datasets, for any systems; default: that of each recipe"
    )
    all: bool = Field(default=False, description="reproduce all published systems")
    data: InputFile = Field(
        default="",
        description="folder of the data sets; default: CQA_DATA, else data in the user's cache; see cqa data where",
    )
    output: Annotated[
        OutputFolder, NotHashed(), Field(description="output folder for the official prediction files")
    ] = "build/reproduced"
    scores: Annotated[OutputFile | None, NotHashed()] = Field(
        default=None,
        description="JSON file of scores to update; its other entries stay; default: scores.json in the output folder",
    )
    features: FeatureSettings = FeatureSettings()

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Neither recipes nor all."""
        if not given.get("recipes") and not given.get("all"):
            yield "recipes", "no recipes", "name recipes, or give --all"

    def reads(self) -> list[str]:
        """The data sets of the recipes."""
        return [f"{self.data or data_folder()}: files listed in conf/datasets"]

    def writes(self) -> list[str]:
        """The prediction files and the scores."""
        tables = [f"{self.lake}: tables of a run per data set and task"] if self.lake else []
        scores = self.scores or "scores.json"
        return [f"{self.output}: a prediction file per recipe and part", f"{scores}: updated", *tables]
