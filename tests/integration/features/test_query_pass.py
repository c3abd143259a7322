"""Spark brings whole queries together: their posts, comments and texts, whatever the partitions."""

import sys
from collections.abc import Mapping

import numpy as np
import pytest
from literal_community import community_of
from literal_threads import Said, Thread
from numpy.typing import ArrayLike
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.query_pass import compute_queries
from cqa_spark.features.training_data import Fitted

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import a test


class WhatIsThereV1(QueryGroup):
    """Counts what a batch holds of each example's query."""

    name = "what_is_there_v1"
    family = "test"
    about = "what a batch holds"
    entity = Entity.PAIR
    columns = tuple(
        FeatureColumn(name, name, "ours")
        for name in ("query_words", "subject_words", "candidate_words", "comments_of_thread", "is_comment", "unknown")
    )

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        words = [*map(len, batch.texts.words), np.nan]
        threads = list(zip(batch.question.tolist(), batch.column("thread_id"), strict=True))
        comments = batch.thread_comments.by_post
        return {
            "query_words": [words[place] for place in batch.query_text],
            "subject_words": [words[place] for place in batch.subject_text],
            "candidate_words": [words[place] for place in batch.candidate_text],
            "comments_of_thread": [len(batch.thread_comments.ids[comments[key]]) for key in threads],
            "is_comment": batch.comment >= 0,
            "unknown": np.full(len(batch), np.nan),
        }


@pytest.fixture
def inputs(spark: SparkSession) -> FeatureInputs:
    """Two queries; one has candidates in two threads, one of which the other has, too."""
    return community_of(
        spark,
        [
            Thread(
                "Q1",
                None,
                [Said(None, "below no candidate's thread")],
                question="car sale\nand where",
                subject="car sale",
            ),
            Thread("Q2", None, [], question="cheap car\nby whom", subject="cheap car"),
            Thread("T1", None, [Said(None, "try the souq"), Said(None, "no")], question="cars"),
            Thread("T2", None, [Said(None, "yes you can")], question="x"),
        ],
        [("Q1", "T1_C1", "T1"), ("Q1", "T2_C1", "T2"), ("Q2", "T1_C2", "T1")],
        partitions=3,
    )


def test_each_query_has_its_texts_and_the_whole_threads_of_its_candidates(inputs: FeatureInputs) -> None:
    frame = compute_queries({"what_is_there_v1": Fitted(WhatIsThereV1())}, inputs, folds=2)
    rows = sorted(frame.select("site", "query_id", "candidate_id", "what_is_there_v1.*").collect())
    assert [tuple(row)[1:] for row in rows] == [
        ("Q1", "T1_C1", 4.0, 2.0, 3.0, 2.0, 1.0, None),
        ("Q1", "T2_C1", 4.0, 2.0, 3.0, 1.0, 1.0, None),
        ("Q2", "T1_C2", 4.0, 2.0, 1.0, 2.0, 1.0, None),
    ]


def test_without_examples_there_are_no_values(inputs: FeatureInputs) -> None:
    nothing = inputs.keep_examples(inputs.examples["query_id"] == "Q9")
    assert compute_queries({"what_is_there_v1": Fitted(WhatIsThereV1())}, nothing, folds=0).collect() == []
