"""Where the forum or the search engine put the candidate, and the thread that holds it."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.inputs import FeatureInputs

_SEARCH = "Nakov et al. 2016, SemEval-2016 Task 3, section 5: the search engine's order as a feature"

_FEATURES = {
    FeatureColumn("log_given", "ln of the rank as given, which may have gaps", _SEARCH): "ln(initial_rank)",
    FeatureColumn("place", "place among the query's candidates, from 1", _SEARCH): "place",
    FeatureColumn("reciprocal", "1 over the place", _SEARCH): "1 / place",
    FeatureColumn("log_place", "ln of the place", _SEARCH): "ln(place)",
    FeatureColumn("thread_place", "place of the candidate's thread among the query's threads, from 1", _SEARCH): (
        "thread_place"
    ),
    FeatureColumn("thread_reciprocal", "1 over the thread's place", _SEARCH): "1 / thread_place",
    FeatureColumn("log_thread_given", "ln of the best rank given to a candidate of the thread", _SEARCH): (
        "ln(thread_rank)"
    ),
    FeatureColumn("place_in_thread", "place among the candidates of its thread, from 1", _SEARCH): "place_in_thread",
    FeatureColumn("reciprocal_in_thread", "1 over the place in its thread", _SEARCH): "1 / place_in_thread",
}
"""Each column with its SQL over a row of ``_places``."""


class SearchRankV1(FeatureGroup):
    """The initial rank in several shapes; for comments of found threads, that of the thread and that within it."""

    name: ClassVar[str] = "search_rank_v1"
    family: ClassVar[str] = "rank"
    about: ClassVar[str] = "where the forum or the search engine put the candidate and its thread"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reads_texts: ClassVar[bool] = False

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair."""
        values = feature_values(_FEATURES)
        return _places(inputs.examples).select(*self.entity.key, *values)


def _places(examples: DataFrame) -> DataFrame:
    query = Window.partitionBy("site", "task", "query_id")
    thread = Window.partitionBy("site", "task", "query_id", "thread_id")
    known = examples.withColumn("thread_rank", F.min("initial_rank").over(thread))
    order = ("initial_rank", "candidate_id")
    return known.withColumns(
        {
            "place": F.row_number().over(query.orderBy(*order)),
            "thread_place": F.dense_rank().over(query.orderBy("thread_rank", "thread_id")),
            "place_in_thread": F.row_number().over(thread.orderBy(*order)),
        }
    )
