"""A ranker that also sees how each candidate differs from the others of its query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.members import build_member
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.saved_model import load_model
from cqa_spark.rankers.spec import RankerSpec

_MEMBER = "member"


class WithinQueryParameters(RankerParameters):
    """The ranker of the additional features."""

    member: RankerSpec = Field(description="the ranker, with name and parameters")

    def needs_features(self) -> tuple[str, ...]:
        """The features that the member's parameters name."""
        return build_member(self.member).parameters.needs_features()


@dataclass(frozen=True, eq=False)
class WithinQueryModel(RankerModel):
    """The member's scores, on twice the features."""

    member: RankerModel

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Both shares of a feature together; the direction is that of the feature itself."""
        found = {importance.feature: importance for importance in self.member.feature_importances()}
        return tuple(
            FeatureImportance(name, found[name].importance + found[_deviation(name)].importance, found[name].direction)
            for name in self.description.features
            if name in found
        )

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> WithinQueryModel:
        """Read the member."""
        return cls(description, load_model(folder.within(_MEMBER)))

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the member."""
        self.member.save(folder.within(_MEMBER))

    def _score(self, frame: DataFrame) -> DataFrame:
        return self.member.transform(with_deviations(frame)).drop("predicted")


class WithinQueryRanker(Ranker[WithinQueryParameters]):
    """Adds each feature's deviation from its mean over the query's candidates.

    A pointwise ranker that knows these can tell a long comment from one that is long for its thread; a linear one
    comes close to a pairwise ranker (Joachims 2002, Optimizing Search Engines using Clickthrough Data, KDD, section
    4.2, learns from differences between the candidates of a query alone).
    """

    name = "within_query"
    about = "lets a ranker see each feature also as its difference from the mean of the query's candidates"
    parameters_type: ClassVar[type[RankerParameters]] = WithinQueryParameters
    model_type: ClassVar[type[RankerModel]] = WithinQueryModel

    @property
    def gives_probabilities(self) -> bool:
        """As the member does."""
        return self._member().gives_probabilities

    def fit(self, frame: DataFrame) -> WithinQueryModel:
        """Fit the member; candidates without label count for the means of their query, too."""
        member = self._member().fit(with_deviations(frame))
        learned = member.description
        description = self.describe(feature_columns(frame), threshold=learned.threshold, training=learned.training)
        return WithinQueryModel(description, member)

    def _member(self) -> Ranker[Any]:
        return build_member(self.parameters.member)


def with_deviations(frame: DataFrame) -> DataFrame:
    """Add the deviation of every feature from its mean over the query, as one more feature.

    The candidates of a query are added up in the order of their ids, so that partitions do not show in the last digit.
    """
    by_id = Window.partitionBy("site", "query_id").orderBy("candidate_id")
    query = by_id.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    deviations = [(F.col(name) - F.avg(name).over(query)).alias(_deviation(name)) for name in feature_columns(frame)]
    return frame.select("*", *deviations)


def _deviation(feature: str) -> str:
    return f"{feature}_within_query"
