"""Probability that query and candidate translate each other, by word-to-word translation probabilities."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.learned_group import StateGroup, collection_of
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import Fitted, TrainingData, learn_by_fold
from cqa_spark.text.translation_model import TranslationModel, bags_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_UNIT = "stems"
_MOST_STEMS = 10_000
"""Only the stems with the highest document frequencies are learned from."""
_MOST_PAIRS = 25_000
"""Maximum number of judged pairs to learn from; of more, whole queries are sampled."""
_LONGEST = 20
"""Number of stems of a text that are learned from, the first ones: cost grows with the product of both lengths."""

_SOURCE = "Wu and Zhang 2016, ICL00 at SemEval-2016 Task 3; Berger et al. 2000, Bridging the lexical chasm, IBM model 1"
_ABOUT = "mean log probability of the stems of {} given {}, by IBM model 1, nats"


class TranslationProbabilityV1(StateGroup[TranslationModel], FittedQueryGroup):
    """Likelihoods of both texts, given the other one; fitted on queries and their relevant candidates.

    Args:
        state: the translation probabilities of stems.
    """

    name = "translation_probability_v1"
    family = "similarity"
    about = "likelihood of the query and of the candidate as a translation of the other"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("query", _ABOUT.format("the query", "the candidate"), _SOURCE),
        FeatureColumn("candidate", _ABOUT.format("the candidate", "the query"), _SOURCE),
    )
    learns_from_labels = True
    state_type = TranslationModel

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Learn from the relevant pairs, in one task, which needs at most 50 kB per pair."""
        stems = list(training.derive(collection_of, _UNIT).frequencies)[:_MOST_STEMS]
        texts = training.inputs.texts.select("text_id", _UNIT)
        queries = training.inputs.documents.select("site", F.col("document_id").alias("query_id"), "text_id")
        queries = queries.join(texts, on="text_id").select("site", "query_id", F.col(_UNIT).alias("query"))
        judged = training.judged_sample(_MOST_PAIRS).where("relevant = true").join(texts, on="text_id")
        rows = judged.join(queries, on=["site", "query_id"]).select(
            "site", "query_id", "candidate_id", "fold", "query", F.col(_UNIT).alias("candidate")
        )
        learn = partial(_learn, stems, folds=training.folds)
        learned = learn_by_fold(rows, ["site", "query_id", "candidate_id"], learn)
        return learned.map(lambda cells: cls(TranslationModel(stems, cells.reshape(-1, 3))))

    def compute(self, batch: QueryBatch) -> Values:
        """The likelihoods of each pair; NaN if a text has no stem of the vocabulary."""
        bags = batch.texts.derive(_bags, self.state)
        queries, candidates = bags[batch.query_text], bags[batch.candidate_text]
        both = np.where((queries.getnnz(axis=1) > 0) & (candidates.getnnz(axis=1) > 0), 0.0, np.nan)
        return {
            "query": self.state.log_likelihoods(candidates, queries) + both,
            "candidate": self.state.log_likelihoods(queries, candidates) + both,
        }


def _bags(texts: Texts, model: TranslationModel) -> "csr_matrix":
    """The bag of each text; the last row, at ``ABSENT``, is empty."""
    return bags_of(model.words, [*texts.stems, []])


def _learn(stems: Sequence[str], batches: Iterable[pa.RecordBatch], folds: int) -> Fitted[Reals]:
    """The cells of all folds, and of the complement of each fold, in one dimension."""
    rows = [row for batch in batches for row in batch.select(["fold", "query", "candidate"]).to_pylist()]

    def fit(excluded: int) -> Reals:
        pairs = [row for row in rows if row["fold"] != excluded]
        queries, candidates = ([row[side][:_LONGEST] for row in pairs] for side in ("query", "candidate"))
        return TranslationModel.learn(stems, queries, candidates).cells.ravel()

    return Fitted.excluding(fit, folds)
