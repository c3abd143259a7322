"""How often an author's comments were judged relevant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from pyspark.sql import functions as F

from cqa_spark.features.aliases import by_id, person, same_person
from cqa_spark.features.folds import fold_of
from cqa_spark.features.group import Entity, FeatureColumn
from cqa_spark.features.groups.author.judged_authors import NICOSIA, SHARES, Judged, JudgedAuthorsGroup, by_person
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData

_FEATURES: Mapping[FeatureColumn, Callable[[Judged], ArrayLike]] = {
    **SHARES,
    FeatureColumn("log_judged", "ln(1 + judged comments of the author)", NICOSIA): (
        lambda judged: np.log(1 + judged.author["judged"])
    ),
    FeatureColumn("log_relevant", "ln(1 + relevant comments of the author)", NICOSIA): (
        lambda judged: np.log(1 + judged.author["relevant"])
    ),
    FeatureColumn("log_irrelevant", "ln(1 + irrelevant comments of the author)", NICOSIA): (
        lambda judged: np.log(1 + judged.author["judged"] - judged.author["relevant"])
    ),
}
"""Each column with the function that computes it."""


class AuthorQualityV1(JudgedAuthorsGroup):
    """Share and number of an author's relevant comments in the training threads; the mean if none was judged."""

    name: ClassVar[str] = "author_quality_v1"
    family: ClassVar[str] = "author"
    about: ClassVar[str] = "how often the author's comments in other threads were judged relevant"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the judged and the relevant comments of every author."""
        askers = training.inputs.posts.select(
            "site", F.col("post_id").alias("thread_id"), person("site", "user_id").alias("asker")
        )
        known = training.inputs.examples.where("relevant IS NOT NULL").withColumn("author", person("site", "author_id"))
        judged = known.where("author IS NOT NULL").join(askers, on=["site", "thread_id"], how="left")
        counted = by_person(
            judged.select(
                "site",
                by_id("author").alias("person"),
                F.lit(None).cast("string").alias("section"),
                fold_of(training.folds).cast("int").alias("fold"),
                "relevant",
                (~same_person("author", "asker")).alias("helps"),
            )
        )
        return Fitted(cls.of_people(counted.select("*", F.col("person").alias("alias"), F.lit(False).alias("named"))))

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """Values of each candidate whose author is one person."""
        is_person = batch.examples.column("account").is_valid().to_numpy()
        judged = self.judged(batch)
        return {each.name: np.where(is_person, compute(judged), np.nan) for each, compute in _FEATURES.items()}
