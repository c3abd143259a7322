"""A ranker with additional features: differences from the other candidates of the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.members import MemberModel, MemberParameters, build_member
from cqa_spark.rankers.model import FeatureImportance, RankerModel
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.scoring import VALUES, candidate_batches, whole_queries, with_values
from cqa_spark.spark.internals import to_arrow_schema


@dataclass(frozen=True, eq=False)
class WithinQueryModel(MemberModel):
    """Scores of the member, on features and deviations."""

    compares_candidates = True

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The summed shares of a feature and its deviation, with the direction of the feature."""
        by_name = {importance.feature: importance for importance in self.member.feature_importances()}
        summed = []
        for name in self.description.features:
            if name in by_name:
                own, deviation = by_name[name], by_name[_deviation_name(name)]
                summed.append(FeatureImportance(name, own.importance + deviation.importance, own.direction))
        return tuple(summed)

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The member's scores."""
        features = self.description.features
        names = [_deviation_name(feature) for feature in features]
        return self.member.score(candidates.add(names, deviations(candidates, features)))


class WithinQueryRanker(Ranker[MemberParameters]):
    """Adds each feature's deviation from its mean over the query's candidates.

    With these, a pointwise ranker can distinguish a long comment from one that is long for its thread. A linear one
    approximates a pairwise ranker, which learns only from differences between the candidates of a query (Joachims 2002,
    Optimizing Search Engines using Clickthrough Data, KDD, section 4.2).
    """

    name = "within_query"
    about = "adds each feature's difference from its mean over the query's candidates to a ranker's features"
    parameters_type = MemberParameters
    model_type = WithinQueryModel

    @property
    def gives_probabilities(self) -> bool:
        """Whether the member's scores are probabilities."""
        return self._member().gives_probabilities

    def fit(self, frame: DataFrame) -> WithinQueryModel:
        """Fit the member; the means of a query include unlabelled candidates."""
        return self._around(self._member().fit(with_deviations(frame)), frame)

    def fit_scores(self, frame: DataFrame) -> WithinQueryModel:
        """Fit the member for its scores only."""
        return self._around(self._member().fit_scores(with_deviations(frame)), frame)

    def _around(self, member: RankerModel, frame: DataFrame) -> WithinQueryModel:
        fitted = member.description
        description = self.describe(feature_columns(frame), threshold=fitted.threshold, training=fitted.training)
        return WithinQueryModel(description, member)

    def _member(self) -> Ranker[Any]:
        return build_member(self.parameters.member)


def deviations(candidates: Candidates, features: Sequence[str]) -> NDArray[np.float64]:
    """The deviation of every feature from its mean over the query; shape (candidates, features).

    The candidates of a query are summed in order, so that the result does not depend on the partitioning.
    """
    values = candidates.of(features)
    means = np.add.reduceat(values, candidates.starts, axis=0) / candidates.sizes[:, None]  # shape (queries, features)
    return np.asarray(values - np.repeat(means, candidates.sizes, axis=0))


def with_deviations(frame: DataFrame) -> DataFrame:
    """Add the deviation of every feature from its mean over the query as a further feature."""
    features = feature_columns(frame)
    other_columns = [name for name in frame.columns if name not in features]
    rows = whole_queries(with_values(frame, features).select(*other_columns, VALUES))
    schema = rows.schema  # a worker gets the schema, but no DataFrame

    def append_deviations(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for candidates in candidate_batches(batches, features, by_query=True):
            # Each row's array has the features, then their deviations.
            values = np.hstack([candidates.values, deviations(candidates, features)])
            lists = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
            columns = [column.combine_chunks() for column in candidates.examples.columns]
            yield pa.RecordBatch.from_arrays([*columns, lists.cast(pa.list_(pa.float64()))], schema=arrow_schema)

    extended = rows.mapInArrow(append_deviations, schema)
    names = (*features, *(_deviation_name(feature) for feature in features))
    return extended.select(*other_columns, *[F.col(VALUES)[index].alias(name) for index, name in enumerate(names)])


def _deviation_name(feature: str) -> str:
    return f"{feature}_within_query"
