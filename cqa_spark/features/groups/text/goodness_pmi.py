"""Goodness polarity: association of the comment's words with relevance in the training threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup
from cqa_spark.features.judged_terms import CANDIDATES, RAREST, fit_on_counts
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.tabulate import candidate_texts, tabulate
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

if TYPE_CHECKING:
    import pandas as pd

BALCHEV = "Balchev et al. 2016, PMI-cool at SemEval-2016 Task 3"
_SMOOTHING = 1.0
_POLARITIES = "polarities.parquet"
_COLUMNS = pa.schema([("term", pa.string()), ("polarity", pa.float64())])

_FEATURES: Mapping[FeatureColumn, Callable[[Sequence[float]], float]] = {
    FeatureColumn("mean", "mean polarity of the words", BALCHEV): lambda found: sum(found) / max(1, len(found)),
    FeatureColumn("max", "highest polarity of a word", BALCHEV): lambda found: max(found, default=0.0),
    FeatureColumn("min", "lowest polarity of a word", BALCHEV): lambda found: min(found, default=0.0),
    FeatureColumn("sum", "sum of the polarities", BALCHEV): sum,
    FeatureColumn("good_share", "share of the words with positive polarity", BALCHEV): lambda found: (
        sum(polarity > 0 for polarity in found) / max(1, len(found))
    ),
}
"""Each column with the function of the sorted polarities of a comment's words."""


class GoodnessPmiV1(FittedQueryGroup):
    """Polarity of a word: PMI(word, relevant) - PMI(word, irrelevant), over comments that contain the word.

    Args:
        polarities: by token.
    """

    name: ClassVar[str] = "goodness_pmi_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "association of the comment's words with relevant comments of other threads"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    learns_from_labels: ClassVar[bool] = True

    def __init__(self, polarities: Mapping[str, float]) -> None:
        self._polarities = polarities

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the relevant and the irrelevant comments that contain each word."""
        return fit_on_counts(training, cls.of_counts)

    @classmethod
    def of_counts(cls, counts: pd.DataFrame) -> Self:
        """Compute the polarities from rows of ``judged_terms``."""
        polarities = term_polarities(counts)
        tokens = polarities[polarities["unit"] == "tokens"]
        return cls(dict(zip(tokens["term"], tokens["polarity"], strict=True)))

    def compute(self, batch: QueryBatch) -> Mapping[str, NDArray[np.float64]]:
        """Statistics of the polarities of each candidate's distinct words."""
        tokens = batch.texts.tokens
        return tabulate(
            _FEATURES, candidate_texts(batch), lambda index: sorted_polarities(self._polarities, tokens[index])
        )

    def save(self, folder: NewModelFolder) -> None:
        """Write the polarities as Parquet."""
        rows = pa.table([list(self._polarities), list(self._polarities.values())], schema=_COLUMNS)
        folder.write_arrow(_POLARITIES, rows)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the polarities."""
        rows = folder.read_arrow(_POLARITIES, _COLUMNS)
        return cls(dict(zip(*(rows[name].to_pylist() for name in _COLUMNS.names), strict=True)))


def term_polarities(counts: pd.DataFrame) -> pd.DataFrame:
    """The polarity of every term that occurs in at least ``RAREST`` candidates.

    Args:
        counts: rows of ``judged_terms``.

    Returns:
        ``unit``, ``term``, ``polarity``: log of the smoothed odds of relevance, relative to those of all candidates.
    """
    summed = counts.groupby(["unit", "term"], as_index=False)[["good", "bad"]].sum()
    frequent = summed[(summed["unit"] != CANDIDATES) & (summed["good"] + summed["bad"] >= RAREST)]
    everything = summed[summed["unit"] == CANDIDATES]
    prior = log_odds(everything["good"], everything["bad"]).sum()
    return frequent[["unit", "term"]].assign(polarity=log_odds(frequent["good"], frequent["bad"]) - prior)


def log_odds(good: pd.Series[int], bad: pd.Series[int]) -> NDArray[np.float64]:
    """The log of the smoothed odds of counts."""
    return np.log((good.to_numpy() + _SMOOTHING) / (bad.to_numpy() + _SMOOTHING))


def sorted_polarities(polarities: Mapping[str, float], terms: Sequence[str]) -> list[float]:
    """The known polarities of the distinct terms, in ascending order."""
    return sorted(polarities[term] for term in set(terms) if term in polarities)
