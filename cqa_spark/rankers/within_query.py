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
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.rankers.average import MemberModel, MemberParameters, build_member
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.model import FeatureImportance, RankerModel
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.scoring import VALUES, candidates_of, whole_queries, with_values


@dataclass(frozen=True, eq=False)
class WithinQueryModel(MemberModel):
    """Scores of the member, on features and deviations."""

    compares_candidates = True

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The summed shares of a feature and its deviation, with the direction of the feature."""
        found = {importance.feature: importance for importance in self.member.feature_importances()}
        return tuple(
            FeatureImportance(name, found[name].importance + found[_deviation(name)].importance, found[name].direction)
            for name in self.description.features
            if name in found
        )

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The member's scores."""
        features = self.description.features
        added = candidates.add(_names(features), deviations(candidates, features))
        return self.member.score(added)


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
        learned = member.description
        description = self.describe(feature_columns(frame), threshold=learned.threshold, training=learned.training)
        return WithinQueryModel(description, member)

    def _member(self) -> Ranker[Any]:
        return build_member(self.parameters.member)


def deviations(candidates: Candidates, features: Sequence[str]) -> NDArray[np.float64]:
    """The deviation of every feature from its mean over the query, of shape (candidates, features).

    The candidates of a query are summed in order, so that the result does not depend on the partitioning.
    """
    values, starts = candidates.of(features), candidates.starts
    numbers = np.diff([*starts, len(candidates)])
    means = np.add.reduceat(values, starts, axis=0) / numbers[:, None]
    found: NDArray[np.float64] = values - np.repeat(means, numbers, axis=0)
    return found


def with_deviations(frame: DataFrame) -> DataFrame:
    """Add the deviation of every feature from its mean over the query as a further feature."""
    features = feature_columns(frame)
    others = [name for name in frame.columns if name not in features]
    rows = whole_queries(with_values(frame, features).select(*others, VALUES))

    rows_schema = rows.schema

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(rows_schema)
        for candidates in candidates_of(batches, features, whole=True):
            both = np.hstack([candidates.values, deviations(candidates, features)])
            lists = pa.FixedSizeListArray.from_arrays(pa.array(both.ravel()), both.shape[1])
            columns = [column.combine_chunks() for column in candidates.examples.columns]
            yield pa.RecordBatch.from_arrays([*columns, lists.cast(pa.list_(pa.float64()))], schema=arrow_schema)

    added = rows.mapInArrow(compute, rows_schema)
    names = (*features, *_names(features))
    return added.select(*others, *[F.col(VALUES)[place].alias(name) for place, name in enumerate(names)])


def _names(features: Sequence[str]) -> list[str]:
    return [_deviation(name) for name in features]


def _deviation(feature: str) -> str:
    return f"{feature}_within_query"
