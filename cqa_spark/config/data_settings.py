"""The settings of ``cqa data``, which finds and checks research data."""

from typing import Annotated

from pydantic import Field

from cqa_spark.config.file_commands import CatalogueSettings
from cqa_spark.config.research_data import data_folder
from cqa_spark.config.value_types import DataPackageName, OptionalFolder, Positional


class DataWhereSettings(CatalogueSettings):
    """Show a package of research data: official name, address, licence, and where its files lie in a folder."""

    examples = ("cqa data where semeval2016_task3",)

    name: Annotated[DataPackageName, Positional(), Field(description="package; see cqa data list")]
    folder: Annotated[OptionalFolder, Positional()] = Field(
        default="", description="local folder with the unpacked files; default: CQA_DATA, else data in the user's cache"
    )

    def reads(self) -> list[str]:
        """The folder."""
        return [self.folder or data_folder()]


class DataCheckSettings(DataWhereSettings):
    """Look for the files of a package in a folder, and say which are missing or differ from the official ones."""

    examples = ("cqa data check semeval2016_task3 semeval",)
