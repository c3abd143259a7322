"""Topics of a collection: latent Dirichlet allocation of its texts.

Blei, Ng and Jordan 2003, Latent Dirichlet allocation; learned as in Hoffman, Blei and Bach 2010, Online learning for
latent Dirichlet allocation. The vocabulary is sorted, and learning takes one sorted partition with a seed: the same
texts give the same topics, however they were spread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

if TYPE_CHECKING:
    from pyspark.ml.feature import CountVectorizerModel

TOPICS = 50
RAREST = 5
"""Texts that a term needs."""
MOST_COMMON = 0.5
"""Share of the texts from which on a term says nothing of a topic."""
MOST_TERMS = 10_000
MOST_TEXTS = 50_000
"""Learned from so many texts at most: those of the lowest keys, which are hashes, so a fair sample."""

_PASSES = 4
_BATCH = 0.1
"""Share of the texts that one step of learning looks at."""
_OFFSET, _DECAY = 10.0, 0.7
"""How fast steps grow smaller; Spark's defaults are for a thousand steps and more, and hardly move in forty."""
_SEED = 1


_COUNTER = "counter.json"
_TERMS_OF_TOPICS, _PRIOR = "topics.npy", "document_concentration.npy"


class _Counter(BaseModel):
    """What ``counter.json`` holds."""

    unit: str
    vocabulary: list[str]


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics of a collection.

    Attributes:
        unit: an array column; its items are the terms.
        vocabulary: the terms that the topics know.
        weights: of each term in each topic; a row per term, a column per topic.
        document_concentration: prior of each topic in a document.
    """

    unit: str
    vocabulary: list[str]
    weights: NDArray[np.float64]
    document_concentration: NDArray[np.float64]

    @classmethod
    def learn(cls, texts: DataFrame, unit: str) -> Self:
        """Learn topics.

        Args:
            texts: ``text_id`` (a hash) and ``unit``, one row a text; long texts tell more than short ones.
            unit: an array column; its items are the terms.
        """
        from pyspark.ml.clustering import LDA

        # A vocabulary may not be empty: where all terms are rare, the topics know a term that no text has.
        vocabulary = _vocabulary(texts, unit) or [""]
        sample = texts.select("text_id", unit).orderBy("text_id").limit(MOST_TEXTS)
        counted = _counter(vocabulary, unit).transform(sample)
        in_order = counted.repartition(1).sortWithinPartitions("text_id").select("counts").persist()
        learner = LDA(
            k=TOPICS,
            optimizer="online",
            maxIter=round(_PASSES / _BATCH),
            subsamplingRate=_BATCH,
            learningOffset=_OFFSET,
            learningDecay=_DECAY,
            seed=_SEED,
            featuresCol="counts",
        )
        model = learner.fit(in_order)
        in_order.unpersist()
        return cls(
            unit,
            vocabulary,
            model.topicsMatrix().toArray(),
            model.estimatedDocConcentration().toArray(),
        )

    def shares(self, texts: DataFrame) -> DataFrame:
        """The topics of texts.

        Returns:
            ``text_id``, ``topics`` (array of ``TOPICS`` shares that sum to 1); no row for a text without terms that the
            topics know.
        """
        from pyspark.ml import PipelineModel
        from pyspark.ml.functions import vector_to_array

        from cqa_spark.spark import ml

        model = ml.topic_model(self.weights, self.document_concentration, _SEED)
        inferring = model.setFeaturesCol("counts").setTopicDistributionCol("topics")
        found = PipelineModel([_counter(self.vocabulary, self.unit), inferring]).transform(texts)
        shares = found.select("text_id", vector_to_array(F.col("topics")).alias("topics"))
        return shares.where(F.exists("topics", lambda share: share > 0))

    def save(self, folder: NewModelFolder) -> None:
        """Write the vocabulary as JSON, and the numbers as NumPy arrays."""
        folder.write_json(_COUNTER, _Counter(unit=self.unit, vocabulary=self.vocabulary))
        folder.write_array(_TERMS_OF_TOPICS, self.weights)
        folder.write_array(_PRIOR, self.document_concentration)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read what ``save`` wrote."""
        counter = folder.read_json(_COUNTER, _Counter)
        weights = folder.read_array(_TERMS_OF_TOPICS, shape=(len(counter.vocabulary), None))
        prior = folder.read_array(_PRIOR, shape=(weights.shape[1],))
        return cls(counter.unit, counter.vocabulary, weights, prior)


def _counter(vocabulary: list[str], unit: str) -> CountVectorizerModel:
    from pyspark.ml.feature import CountVectorizerModel

    return CountVectorizerModel.from_vocabulary(vocabulary, inputCol=unit, outputCol="counts")


def _vocabulary(texts: DataFrame, unit: str) -> list[str]:
    """The terms that are neither rare nor everywhere, the most frequent first, equals by spelling."""
    holding = (
        texts.select(F.explode(F.array_distinct(unit)).alias("term")).groupBy("term").agg(F.count("*").alias("texts"))
    )
    wanted = holding.where(F.col("texts").between(RAREST, max(RAREST, MOST_COMMON * texts.count())))
    return [row.term for row in wanted.orderBy(F.desc("texts"), "term").limit(MOST_TERMS).collect()]
