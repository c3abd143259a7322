import pytest
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.rankers.registry import build_ranker

ROWS = [("Q1", "C1", 2, True), ("Q1", "C2", 1, None), ("Q2", "C1", 1, False)]


def scored(ranker, frame):
    return ranker.fit(frame).transform(frame).orderBy("query_id", "candidate_id")


def test_the_column_is_the_score_and_every_candidate_is_predicted(make_examples) -> None:
    frame = make_examples(ROWS).withColumn("g_v1__x", F.col("initial_rank") * 0.5)
    found = scored(build_ranker("column", {"column": "g_v1__x"}), frame)
    assert found.columns == [*EXAMPLES.schema.names, "score", "predicted"]
    assert [tuple(row) for row in found.select("score", "predicted").collect()] == [
        (1.0, True),
        (0.5, True),
        (0.5, True),
    ]


def test_a_column_that_is_not_there_is_refused_with_those_that_are(make_examples) -> None:
    frame = make_examples(ROWS).withColumn("g_v1__x", F.lit(1.0))
    with pytest.raises(ContractError) as caught:
        build_ranker("column", {"column": "g_v1__y"}).fit(frame)
    assert "sorts by g_v1__y, which is not among the features: g_v1__x" in str(caught.value)


def test_the_random_order_depends_on_seed_and_key_alone(make_examples) -> None:
    frame = make_examples(ROWS)

    def order(seed: int, partitions: int):
        found = scored(build_ranker("random_order", {"seed": seed}), frame.repartition(partitions))
        return [row["score"] for row in found.collect()]

    assert order(1, 1) == order(1, 3)
    assert order(1, 1) != order(2, 1)
    assert len(set(order(1, 1))) == 3
    assert all(0 <= score < 1 for score in order(1, 1))
