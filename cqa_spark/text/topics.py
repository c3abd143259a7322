"""Topics of a collection: latent Dirichlet allocation of its texts.

Blei, Ng and Jordan 2003, Latent Dirichlet allocation; learned as in Hoffman, Blei and Bach 2010, Online learning for
latent Dirichlet allocation. The vocabulary is sorted, and learning takes one sorted partition with a seed: the same
texts give the same topics, however they were spread.
"""

from __future__ import annotations

from pyspark.ml import PipelineModel
from pyspark.ml.clustering import LDA
from pyspark.ml.feature import CountVectorizerModel
from pyspark.ml.functions import vector_to_array
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

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


def learn_topics(texts: DataFrame, unit: str) -> PipelineModel:
    """Learn topics.

    Args:
        texts: ``text_id`` (a hash) and ``unit``, one row a text; long texts tell more than short ones.
        unit: an array column; its items are the terms.

    Returns:
        From the column ``unit`` to the column ``topics``, a vector of ``TOPICS`` shares that sum to 1; of zeros for a
        text without terms that the topics know.
    """
    # A vocabulary may not be empty: where all terms are rare, the topics know a term that no text has.
    vocabulary = _vocabulary(texts, unit) or [""]
    counter = CountVectorizerModel.from_vocabulary(vocabulary, inputCol=unit, outputCol="counts")
    sample = texts.select("text_id", unit).orderBy("text_id").limit(MOST_TEXTS)
    in_order = counter.transform(sample).repartition(1).sortWithinPartitions("text_id").select("counts").persist()
    learner = LDA(
        k=TOPICS,
        optimizer="online",
        maxIter=round(_PASSES / _BATCH),
        subsamplingRate=_BATCH,
        learningOffset=_OFFSET,
        learningDecay=_DECAY,
        seed=_SEED,
        featuresCol="counts",
        topicDistributionCol="topics",
    )
    model = learner.fit(in_order)
    in_order.unpersist()
    return PipelineModel([counter, model])


def topic_shares(model: PipelineModel, texts: DataFrame) -> DataFrame:
    """The topics of texts.

    Returns:
        ``text_id``, ``topics`` (array of shares that sum to 1); no row for a text without terms that the topics know.
    """
    found = model.transform(texts).select("text_id", vector_to_array(F.col("topics")).alias("topics"))
    return found.where(F.exists("topics", lambda share: share > 0))


def _vocabulary(texts: DataFrame, unit: str) -> list[str]:
    """The terms that are neither rare nor everywhere, the most frequent first, equals by spelling."""
    holding = (
        texts.select(F.explode(F.array_distinct(unit)).alias("term")).groupBy("term").agg(F.count("*").alias("texts"))
    )
    wanted = holding.where(F.col("texts").between(RAREST, max(RAREST, MOST_COMMON * texts.count())))
    return [row.term for row in wanted.orderBy(F.desc("texts"), "term").limit(MOST_TERMS).collect()]
