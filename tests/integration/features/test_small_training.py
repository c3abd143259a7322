"""Every fitted group learns from the smallest training data: one pair of texts, of one class or without a label."""

from dataclasses import replace
from math import isfinite
from pathlib import Path

import pytest
from literal_community import pairs_of
from literal_threads import Pair
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from saved_folders import NEARBY

from cqa_spark.features.feature_table import by_pass
from cqa_spark.features.group import LearningGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_pass, fit_groups
from cqa_spark.features.registry import embedding_models, group_class, known_groups
from cqa_spark.lake.schemas.activity import BADGES, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.schemas.rankings import UPSTREAM_SCORES
from cqa_spark.lake.schemas.retrieval import RETRIEVED
from cqa_spark.lake.schemas.text import EMBEDDINGS
from cqa_spark.systems.trained_system import load_groups, save_groups
from cqa_spark.text.encoders.model import EmbeddingModel

_FITTED = [
    name
    for name in known_groups()
    if issubclass(group_class(name), LearningGroup) and group_class(name).extra != "neural"
]
_LEARN_IN_ONE_TASK = [
    *("bge_pair_regression_v1", "lexicon_v2", "sentence_quality_v1", "topic_similarity_v2"),
    "translation_probability_v1",
]
_FOLDS = 2


def _embeddings(texts: DataFrame) -> DataFrame:
    vectors = F.explode(
        F.array(
            *[
                F.struct(
                    F.lit(model.name).alias("model"),
                    F.lit(model.version).alias("version"),
                    F.array_repeat(F.lit(0.25).cast("float"), model.dimension).alias("vector"),
                )
                for model in map(EmbeddingModel.read, embedding_models(_FITTED))
            ]
        )
    )
    return EMBEDDINGS.conform(texts.select("text_id", vectors.alias("of_model")).select("text_id", "of_model.*"))


def _one_pair(spark: SparkSession, words: str, *, relevant: bool | None) -> FeatureInputs:
    pair = pairs_of(spark, [Pair(words, words, words)])
    labels = {"relevant": F.lit(relevant), "similarity": F.lit(relevant).cast("double")}
    tables = {"users": USERS, "votes": VOTES, "badges": BADGES, "scores": UPSTREAM_SCORES, "post_links": POST_LINKS}
    return replace(
        pair,
        examples=pair.examples.withColumns(labels),
        embeddings=_embeddings(pair.texts),
        retrieved=RETRIEVED.empty(spark),
        **{name: table.empty(spark) for name, table in tables.items()},
    )


@pytest.mark.parametrize(
    ("names", "words", "relevant"),
    [(_FITTED, "a pair", True), (_LEARN_IN_ONE_TASK, "", None)],
    ids=["one class, no word five times", "no words, no label"],
)
def test_a_value_is_a_number_or_missing(
    spark: SparkSession, tmp_path: Path, names: list[str], words: str, relevant: bool | None
) -> None:
    inputs, groups = _one_pair(spark, words, relevant=relevant), [group_class(name) for name in names]
    fitted = fit_groups(groups, inputs, folds=_FOLDS)
    save_groups({name: group.on_all for name, group in fitted.items()}, str(tmp_path / "groups"), NEARBY)
    assert list(load_groups(names, str(tmp_path / "groups"), NEARBY)) == names
    for members in by_pass(groups).values():
        (row,) = compute_pass({group.name: fitted[group.name] for group in members}, inputs, _FOLDS).collect()
        values = {
            f"{group.name}.{column}": value for group in members for column, value in row[group.name].asDict().items()
        }
        assert {name: value for name, value in values.items() if value is not None and not isfinite(value)} == {}
        assert len(values) == sum(len(group.columns) for group in members)
