"""Base class of fitted groups whose state is one table of facts about authors."""

from typing import Any, Self

import pyarrow as pa
from pyspark.sql import DataFrame

from cqa_spark.features.arrays import ABSENT, Indices, Mask, codes
from cqa_spark.features.author_facts import AuthorFacts
from cqa_spark.features.group import FittedQueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

LEARNED = "learned"
"""The name of the table in a model folder."""


class LearnedFactsGroup(FittedQueryGroup):
    """Base class of groups that learn facts about authors; the facts grow with the community and are saved as Parquet.

    Args:
        learned: as ``AuthorFacts.of_people``.
    """

    reads_texts = False

    def __init__(self, learned: DataFrame) -> None:
        self.learned = learned

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the table; workers receive the facts with the examples."""
        return {name: value for name, value in vars(self).items() if name != "learned"}

    def facts(self, inputs: FeatureInputs) -> AuthorFacts | None:
        """The fitted facts."""
        return AuthorFacts(self.learned)

    def save(self, folder: NewModelFolder) -> None:
        """Write the table."""
        folder.write_table(LEARNED, self.learned)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the table."""
        return cls(folder.read_table(LEARNED))


def in_section(batch: QueryBatch, example: Indices, sections: pa.ChunkedArray) -> Mask:
    """Whether facts about authors are from the forum section of the candidate's thread.

    Args:
        batch: the examples.
        example: index of the example of each fact.
        sections: the section of each fact.
    """
    found, here = codes(sections, pa.chunked_array([pa.array(batch.category, pa.string())]))
    same: Mask = (found == here[example]) & (found != ABSENT)
    return same
