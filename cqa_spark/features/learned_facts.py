"""A fitted group whose knowledge is one table of people."""

from __future__ import annotations

from typing import Any, ClassVar, Self

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
    """Base of groups that learn facts of people; what is learned grows with the community and is saved as Parquet.

    Args:
        learned: as ``AuthorFacts.of_people``.
    """

    reads_texts: ClassVar[bool] = False

    def __init__(self, learned: DataFrame) -> None:
        self.learned = learned

    def __getstate__(self) -> dict[str, Any]:
        """Workers get the facts with the examples."""
        return {name: value for name, value in vars(self).items() if name != "learned"}

    def facts(self, inputs: FeatureInputs) -> AuthorFacts | None:
        """What was learned."""
        return AuthorFacts(self.learned)

    def save(self, folder: NewModelFolder) -> None:
        """Write the table."""
        folder.write_table(LEARNED, self.learned)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the table."""
        return cls(folder.read_table(LEARNED))


def in_section(batch: QueryBatch, example: Indices, sections: pa.ChunkedArray) -> Mask:
    """Whether what is known of the author of an example is of the forum section of the candidate's thread.

    Args:
        batch: the examples.
        example: the index of the example, of each piece of knowledge.
        sections: its section.
    """
    found, here = codes(sections, pa.chunked_array([pa.array(batch.category, pa.string())]))
    same: Mask = (found == here[example]) & (found != ABSENT)
    return same
