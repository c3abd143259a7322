"""How a user compares with the other candidates of the question."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.query_batch import QueryBatch


class ExpertiseV1(QueryGroup):
    """The rank by earlier answers, as a share that is comparable between questions."""

    name: ClassVar[str] = "expertise_v1"
    family: ClassVar[str] = "expertise"
    about: ClassVar[str] = "earlier answers of the user, compared with those of the other candidates"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        FeatureColumn("reciprocal_rank", "1 / rank by answers to earlier questions with the same tags", "ours"),
    )
    reads_texts: ClassVar[bool] = False
    reads_comments: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """One value per candidate."""
        return {"reciprocal_rank": 1 / np.array(batch.column("initial_rank"), dtype=float)}
