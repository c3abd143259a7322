"""Values are put beside the examples."""

import pytest
from literal_threads import SITE, Said, Thread
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from cqa_spark.errors import ConfigError
from cqa_spark.features.feature_table import PASS_KEY, assemble, feature_names, tables_of
from cqa_spark.features.group import PassKey
from cqa_spark.features.inputs import FeatureInputs


@pytest.fixture
def inputs(community) -> FeatureInputs:
    return community(
        [
            Thread("Q1", "U9", [Said("U7", "a"), Said("U7", "b"), Said(None, "c")]),
            Thread("Q2", "U9", [Said("U8", "d")], split="dev"),
        ]
    )


def _values(spark: SparkSession, groups: list[str], rows: list[tuple]) -> dict[PassKey, DataFrame]:
    schema = T.StructType([field for field in tables_of(groups)[0].schema if field.name != PASS_KEY.name])
    return {PassKey.QUERY: spark.createDataFrame(rows, schema)}


def test_values_stand_in_the_order_of_groups_then_columns(spark: SparkSession, inputs: FeatureInputs) -> None:
    groups = ["lexicon_v2", "author_activity_v2"]
    known_author = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    values = _values(
        spark, groups, [(SITE, "Q1", "Q1_C1", (2.5, 0.9), known_author), (SITE, "Q1", "Q1_C2", None, known_author)]
    )
    table = assemble(inputs.examples, groups, values)
    names = feature_names(groups)
    assert table.columns == [*inputs.examples.columns, *names]
    rows = {row["candidate_id"]: tuple(row[name] for name in names) for row in table.collect()}
    unknown_author = (-1.0, -1.0, -1.0, -1.0, 0.0, -1.0, -1.0, -1.0, -1.0)
    assert rows == {
        "Q1_C1": (2.5, 0.9, *known_author),
        "Q1_C2": (0.0, 0.4, *known_author),
        "Q1_C3": (0.0, 0.4, *unknown_author),
        "Q2_C1": (0.0, 0.4, *unknown_author),
    }


def test_null_and_not_a_number_are_what_the_column_declares_as_missing(
    spark: SparkSession, inputs: FeatureInputs
) -> None:
    rows = [(SITE, "Q1", "Q1_C1", (1.0, None)), (SITE, "Q1", "Q1_C2", (1.0, float("nan"))), (SITE, "Q2", "Q2_C1", None)]
    table = assemble(inputs.examples, ["lexicon_v2"], _values(spark, ["lexicon_v2"], rows))
    assert {row["lexicon_v2__probability"] for row in table.collect()} == {0.4}


def test_an_unknown_group_is_refused(inputs: FeatureInputs) -> None:
    with pytest.raises(ConfigError, match="unknown feature group horoscope_v1"):
        assemble(inputs.examples, ["horoscope_v1"], {})
