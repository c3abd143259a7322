"""The steps of task C's pairs, as examples of tasks A and B."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.steps.upstream import upstream_examples

A, B, C = "question_comment", "question_question", "external_comment"


@pytest.fixture(scope="module")
def examples(spark: SparkSession) -> DataFrame:
    rows = [
        ("s", A, "T1", "T1_1", "T1", "T1", "u", 1, 2, True, "train"),
        ("s", B, "Q1", "T1", "T1", "Q1", "v", 3, 1, True, "train"),
        ("s", B, "Q2", "T2", "T2", "Q2", "v", 1, None, None, "dev"),
        ("s", C, "Q1", "T1_1", "T1", "Q1", "u", 301, 2, True, "train"),
        # T2 repeats T1, which task A knows; T3 is new, and task A has no row of it.
        ("s", C, "Q2", "T2_1", "T2", "Q2", "u", 102, 2, True, "dev"),
        ("s", C, "Q2", "T2_2", "T2", "Q2", None, 101, 0, False, "dev"),
        ("s", C, "Q2", "T3_1", "T3", "Q2", "u", 201, None, None, "dev"),
    ]
    columns = (
        "site string, task string, query_id string, candidate_id string, thread_id string, fold_key string, "
        "author_id string, initial_rank int, label int, relevant boolean, split string"
    )
    return EXAMPLES.complete(spark.createDataFrame(rows, columns))


@pytest.fixture(scope="module")
def posts(spark: SparkSession) -> DataFrame:
    rows = [("s", "T1", "T1", None), ("s", "T2", "T2", "T1"), ("s", "T3", "T3", None)]
    return spark.createDataFrame(rows, "site string, post_id string, thread_id string, same_as string")


def test_comments_of_threads_that_task_a_leaves_out(examples: DataFrame, posts: DataFrame) -> None:
    found = upstream_examples(examples, posts, of=C, task_name=A)
    assert found.columns == [column.name for column in EXAMPLES.columns]
    told = found.drop(
        "site",
        "task",
        "asker_id",
        "asked_at",
        "answered_at",
        "similarity",
        "cut_at",
        "role",
        "age_days",
        "accepted",
        "choice",
    )
    assert sorted(tuple(row) for row in told.collect()) == [
        ("T1", "T1_1", "T1", "T1", "u", 1, 2, True, "train"),
        # As its thread repeats one that was learned from, it counts as training: it gets out-of-fold scores.
        ("T2", "T2_1", "T2", "T1", "u", 2, None, None, "train"),
        ("T2", "T2_2", "T2", "T1", None, 1, None, None, "train"),
        ("T3", "T3_1", "T3", "T3", "u", 1, None, None, "dev"),
    ]


def test_comments_are_judged_for_the_new_question_itself(examples: DataFrame, posts: DataFrame) -> None:
    found = upstream_examples(examples, posts, of=C, task_name=A, shortcut=True)
    direct = found.where("query_id LIKE 'Q%'").select("query_id", "candidate_id", "thread_id", "fold_key", "split")
    # Folds and splits are those of the thread that the comment was judged in.
    assert sorted(tuple(row) for row in direct.collect()) == [
        ("Q1", "T1_1", "T1", "T1", "train"),
        ("Q2", "T2_1", "T2", "T1", "train"),
        ("Q2", "T2_2", "T2", "T1", "train"),
        ("Q2", "T3_1", "T3", "T3", "dev"),
    ]
    assert found.count() == 4 + direct.count()


def test_every_thread_is_one_step_from_its_query(examples: DataFrame, posts: DataFrame) -> None:
    found = upstream_examples(examples, posts, of=C, task_name=B)
    assert sorted((row.query_id, row.candidate_id, row.label, row.split) for row in found.collect()) == [
        ("Q1", "T1", 1, "train"),
        ("Q2", "T2", None, "dev"),
        ("Q2", "T3", None, "dev"),
    ]
