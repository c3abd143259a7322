"""Calibrates a ranker's scores to probabilities, and chooses the threshold, on out-of-fold scores."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from scipy.special import expit

from cqa_spark.features.training_data import sample_queries
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.average import MEMBER, MemberModel, MemberParameters, build_member, unbounded
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.linear import LinearLearning, LinearWeights
from cqa_spark.rankers.model import FeatureImportance, ModelDescription
from cqa_spark.rankers.out_of_fold import best_threshold, out_of_fold
from cqa_spark.rankers.ranker import Ranker, load_model
from cqa_spark.rankers.scoring import apply_to
from cqa_spark.rankers.training import TaskRows, TrainingGroup, TrainingParameters, train_in_tasks

# Chooses the score at which rankings are truncated; empty rankings are correct for queries without duplicates.

MISSED = "missed"
"""The column of training examples with the number of the query's relevant candidates that retrieval missed."""


def best_truncation(
    scores: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    queries: NDArray[np.int64],
    missed: NDArray[np.float64] | None = None,
) -> float:
    """The threshold with the highest TMAP; the highest of ties.

    The value of a ranking changes only at the scores of its candidates. TMAP at each threshold is therefore the
    cumulative sum of the changes of all rankings, from the highest score down.

    Args:
        scores: out-of-fold scores of examples; shape (examples,).
        relevant: whether each example is relevant; shape (examples,).
        queries: query of each example; shape (examples,).
        missed: number of relevant candidates of the example's query that are no examples, because retrieval missed
            them: they count in the measure; shape (examples,); None if there are none.

    Returns:
        A score, or a number above all scores if empty rankings are best.

    Source:
        Nakov et al. 2017, SemEval-2017 Task 3, section 3.2.2.
    """
    best_first = np.lexsort((-scores, queries))
    score, hit, query = scores[best_first], relevant[best_first].astype(np.float64), queries[best_first]
    is_first = np.diff(query, prepend=~query[:1]) != 0
    starts = np.flatnonzero(is_first)
    sizes = np.diff(starts, append=len(query))
    rank = np.arange(len(query)) - np.repeat(starts, sizes) + 1
    hits = _running_sums(hit, starts, sizes)
    precision = _running_sums(hit * hits / rank, starts, sizes)
    all_hits = np.repeat(np.add.reduceat(hit, starts), sizes) + (0.0 if missed is None else missed[best_first])
    gain = np.where(all_hits == 0, 1.0, hits / np.maximum(all_hits, 1))
    value = (precision + gain * (hits + gain) / (rank + 1)) / (all_hits + 1)
    before = np.where(is_first, all_hits == 0, np.roll(value, 1))
    highest_first = np.argsort(-score, kind="stable")
    ordered = score[highest_first]
    cuts = np.flatnonzero(np.diff(ordered, append=-np.inf))  # never between equal scores
    gained = np.cumsum((value - before)[highest_first])[cuts]
    best = int(np.argmax(gained))
    return float(ordered[cuts[best]]) if gained[best] > 0 else sys.float_info.max


def _running_sums(
    numbers: NDArray[np.float64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Cumulative sums within each query."""
    sums = np.cumsum(numbers)
    found: NDArray[np.float64] = sums - np.repeat(sums[starts] - numbers[starts], sizes)
    return found


_ITERATIONS = 100
_SCORE, _MISSED = "member__score", "query__missed"
_MOST_ROWS = 2_000_000
"""Maximum number of out-of-fold scores for fitting; of more, whole queries are sampled."""
_CURVE = "curve.json"


class CalibratedParameters(MemberParameters):
    """The member ranker, and the calibration of its scores."""

    folds: int = Field(5, ge=2, description="number of folds for out-of-fold scores, by thread")
    decide_by: Literal["mean", "tmap"] = Field(
        "mean",
        description="measure that the threshold maximises on out-of-fold scores: the mean of accuracy and F1, or TMAP, "
        "where candidates that retrieval missed count",
    )


@dataclass(frozen=True, eq=False)
class CalibratedModel(MemberModel):
    """The score is a probability: a logistic function of the member's score. The ranking is that of the member."""

    curve: LinearWeights

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The member's."""
        return self.member.feature_importances()

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> CalibratedModel:
        """Read the member and the curve."""
        curve = folder.read_json(_CURVE, LinearWeights)
        if curve.inputs != 1:
            raise folder.refusal(_CURVE, f"it is for {curve.inputs} scores, not 1")
        return cls(description, load_model(folder.within(MEMBER)), curve)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the member, in a folder, and the curve."""
        super().save_learned(folder)
        folder.write_json(_CURVE, self.curve)

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The value of the curve at the member's score."""
        parameters = CalibratedParameters(**self.description.parameters)
        return _heights(self.curve, unbounded(parameters.member, self.member.score(candidates)))


class CalibratedRanker(Ranker[CalibratedParameters]):
    """A logistic regression on out-of-fold scores.

    Source:
        Platt 1999, Probabilistic Outputs for Support Vector Machines.
    """

    name = "calibrated"
    about = "calibrates another ranker's scores to probabilities and chooses the threshold, on out-of-fold scores"
    parameters_type = CalibratedParameters
    model_type = CalibratedModel
    gives_probabilities = True

    def fit(self, frame: DataFrame) -> CalibratedModel:
        """Fit curve and threshold on out-of-fold scores, and the member on all examples."""
        ranker = build_member(self.parameters.member)
        features = feature_columns(frame)
        member = ranker.fit_scores(frame)
        scored = out_of_fold(ranker, frame, folds=self.parameters.folds)
        alone = scored.withColumn(_SCORE, apply_to("score", partial(unbounded, self.parameters.member)))
        if MISSED in frame.columns:
            of_query = frame.select(*QUERY, F.col(MISSED).cast("double").alias(_MISSED)).distinct()
            alone = alone.join(of_query, on=list(QUERY))
        learning = _Calibration(self.parameters.decide_by)
        used = sample_queries(alone, _MOST_ROWS, rows=member.training_rows)
        trained = train_in_tasks(
            used, lambda _: learning, TrainingParameters(workers=1), target="relevant", sent="double"
        )
        learned = json.loads(trained.learned)
        curve = LinearWeights.model_validate(learned["curve"])
        description = self.describe(features, threshold=learned["threshold"], training=trained.counts)
        return CalibratedModel(description, member, curve)


@dataclass(frozen=True)
class _Calibration:
    """Fits a curve and a threshold on the scores of a task's examples."""

    decide_by: Literal["mean", "tmap"]

    def __call__(self, rows: TaskRows, _: TrainingGroup) -> str:
        learned = LinearLearning("logistic", l2=0.0, iterations=_ITERATIONS)(rows.leading(1), TrainingGroup())
        assert learned is not None, "worker 0 returns what it learned"
        curve = LinearWeights.model_validate_json(learned)
        scores, *missed = rows.values.T
        heights = _heights(curve, scores)
        threshold = (
            best_truncation(heights, rows.relevant, rows.queries, *missed)
            if self.decide_by == "tmap"
            else best_threshold(heights, rows.relevant)
        )
        return json.dumps({"curve": curve.model_dump(), "threshold": threshold})


def _heights(curve: LinearWeights, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability at each score."""
    return expit(curve.sums(scores.reshape(-1, 1)))
