"""The baseline of the STS tasks: cosine of binary token vectors."""

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch


class TokenCosineV1(QueryGroup):
    """Cosine of binary token vectors; tokens are separated by blanks in the raw text."""

    name = "token_cosine_v1"
    family = "similarity"
    about = "the baseline of the STS tasks"
    entity = Entity.PAIR
    columns = (
        FeatureColumn(
            "cosine",
            "cosine of the binary token vectors of the query and the candidate",
            "Agirre et al. 2016, SemEval-2016 Task 1: Semantic Textual Similarity, section 6.3",
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing."""
        pairs = zip(batch.query_text.tolist(), batch.candidate_text.tolist(), strict=True)
        tokens = [set(text.split()) for text in batch.texts.raw]
        found = [np.nan if ABSENT in pair else _cosine(*(tokens[text] for text in pair)) for pair in pairs]
        return {"cosine": np.array(found, dtype=np.float64)}


def _cosine(one: set[str], other: set[str]) -> float:
    """Shared tokens divided by the geometric mean of both counts; 0 if a text has none."""
    return len(one & other) / np.sqrt(len(one) * len(other)) if one and other else 0.0
