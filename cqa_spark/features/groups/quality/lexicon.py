"""The lexicon: a bag-of-words model of relevant comments, independent of the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa

from cqa_spark.features.arrays import Mask, Reals
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.learned_group import StateGroup
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import Fitted, TrainingData, learn_by_fold
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, word n-grams"
_BUCKETS = 2**17
_REGULARIZATION = 1e-4
_MOST_ITERATIONS = 500
_MOST_CANDIDATES = 1_000_000
_COEFFICIENTS, _INTERCEPT = "coefficients.npy", "intercept.npy"


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A fitted bag-of-words model.

    Attributes:
        coefficients: contribution to the log-odds of a term in each bucket, for a text with one term.
        intercept: log-odds of a text without terms.
    """

    coefficients: Reals
    intercept: float

    def log_odds(self, texts: Texts) -> Reals:
        """The log-odds of relevance, one item per text; the last item, at ``ABSENT``, is NaN."""
        return np.append(texts.derive(_bags_of) @ self.coefficients + self.intercept, np.nan)

    def save(self, folder: NewModelFolder) -> None:
        """Write the weights as NumPy arrays."""
        folder.write_array(_COEFFICIENTS, self.coefficients)
        folder.write_array(_INTERCEPT, np.array([self.intercept]))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the weights."""
        coefficients = folder.read_array(_COEFFICIENTS, shape=(_BUCKETS,))
        (intercept,) = folder.read_array(_INTERCEPT, shape=(1,))
        return cls(coefficients, float(intercept))


class LexiconGroup(StateGroup[Lexicon], FittedQueryGroup):
    """Base class of groups that use the lexicon.

    Args:
        state: the fitted model.
    """

    learns_from_labels = True
    state_type = Lexicon
    libraries = ("sklearn.feature_extraction", "sklearn.linear_model")

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Fit the weights on the judged candidates."""
        return training.derive(learn_lexicons).map(cls)


class LexiconV2(LexiconGroup):
    """Logistic regression on hashed tokens, token pairs and stems of the comment; hashing needs no vocabulary."""

    name = "lexicon_v2"
    family = "quality"
    about = "relevance of the comment by a bag-of-words model"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("log_odds", "log-odds of being relevant", _NICOSIA),
        FeatureColumn("probability", "probability of being relevant", _NICOSIA, 0.4),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Predict from each candidate's text."""
        from scipy.special import expit

        log_odds = self.state.log_odds(batch.texts)[batch.candidate_text]
        return {"log_odds": log_odds, "probability": expit(log_odds)}


def learn_lexicons(training: TrainingData) -> Fitted[Lexicon]:
    """Fit on all folds and on the complement of each fold, in one task, which needs 1 kB per judged candidate."""
    texts = training.inputs.texts.select("text_id", "tokens", "stems")
    judged = (
        training.judged_sample(_MOST_CANDIDATES)
        .select("site", "candidate_id", "fold", "relevant", "text_id")
        .distinct()
    )
    rows = judged.join(texts, on="text_id").drop("text_id")
    learned = learn_by_fold(rows, ["site", "candidate_id", "fold", "relevant"], partial(_learn, folds=training.folds))
    return learned.map(lambda weights: Lexicon(weights[:-1], float(weights[-1])))


def fit_lexicon(bags: csr_matrix, relevant: Mask) -> Lexicon:
    """Logistic regression with an L2 penalty on the coefficients.

    Args:
        bags: of shape (texts, buckets).
        relevant: the label of each text. If all are equal, every text gets the smoothed log-odds of the label.
    """
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    if relevant.all() or not relevant.any():
        return Lexicon(np.zeros(_BUCKETS), float(np.log((relevant.sum() + 1) / ((~relevant).sum() + 1))))
    regression = LogisticRegression(C=1 / (_REGULARIZATION * len(relevant)), max_iter=_MOST_ITERATIONS)
    with threadpool_limits(1):
        fitted = regression.fit(bags, relevant)
    return Lexicon(fitted.coef_[0], float(fitted.intercept_[0]))


def bags(tokens: Sequence[Sequence[str]], stems: Sequence[Sequence[str]]) -> csr_matrix:
    """Binary term vectors of texts, scaled to unit length.

    Args:
        tokens: of each text.
        stems: of each text.

    Returns:
        Shape (texts, buckets). Terms are tokens, token pairs including the start and end of the text, and stems.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.preprocessing import normalize

    if not tokens:
        return csr_matrix((0, _BUCKETS))
    hasher = FeatureHasher(_BUCKETS, input_type="string", alternate_sign=False)
    hashed = hasher.transform(_terms(*of_text) for of_text in zip(tokens, stems, strict=True))
    hashed.data[:] = 1.0
    return normalize(hashed, copy=False)


def _terms(tokens: Sequence[str], stems: Sequence[str]) -> list[str]:
    """Terms of a text; kinds of terms cannot collide, because tokens contain no blanks."""
    pairs = (f"{one} {next_one}" for one, next_one in pairwise(("^", *tokens, "$")))
    return [*tokens, *pairs, *(f"stem:{stem}" for stem in stems)]


def _bags_of(texts: Texts) -> csr_matrix:
    return bags(texts.tokens, texts.stems)


def _learn(batches: Iterable[pa.RecordBatch], folds: int) -> Fitted[Reals]:
    """The lexicon of all folds, and of the complement of each: coefficients, then the intercept."""
    from scipy.sparse import vstack

    matrices, numbers, labels = [bags([], [])], [np.empty(0, np.int32)], [np.empty(0, np.bool_)]
    for batch in batches:
        matrices.append(bags(batch.column("tokens").to_pylist(), batch.column("stems").to_pylist()))
        numbers.append(batch.column("fold").to_numpy())
        labels.append(batch.column("relevant").to_numpy(zero_copy_only=False))
    matrix, fold, relevant = vstack(matrices, format="csr"), np.concatenate(numbers), np.concatenate(labels)

    def fit(excluded: int) -> Reals:
        lexicon = fit_lexicon(matrix[fold != excluded], relevant[fold != excluded])
        return np.append(lexicon.coefficients, lexicon.intercept)

    return Fitted.excluding(fit, folds)
