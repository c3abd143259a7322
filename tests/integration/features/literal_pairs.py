"""Questions with one comment each, written down as literals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pyspark.sql import SparkSession

from cqa_spark.features.group import FeatureInputs
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.lake.table import Table
from cqa_spark.text import distinct_texts, documents

SITE = "qatarliving.com"


@dataclass(frozen=True)
class Pair:
    """A question's subject and body, and what is said below it."""

    subject: str
    body: str
    comment: str
    split: str = "train"


def pairs_of(spark: SparkSession, pairs: Sequence[Pair], partitions: int = 2) -> FeatureInputs:
    """The inputs of feature groups for questions Q1, Q2 and so on, each with the comment Qn_C1.

    Every table is spread over so many partitions. Texts are clean already, their words stand between blanks, and each
    word is its own stem.
    """
    rows = [(f"Q{number}", pair) for number, pair in enumerate(pairs, start=1)]
    posts = spark.createDataFrame([_post(*row) for row in rows], POSTS.schema)
    comments = spark.createDataFrame([_comment(*row) for row in rows], COMMENTS.schema)
    texts = [_text(*row) for row in distinct_texts(posts, comments).collect()]
    return FeatureInputs(
        examples=spark.createDataFrame([_example(*row) for row in rows], EXAMPLES.schema).repartition(partitions),
        posts=posts.repartition(partitions),
        comments=comments.repartition(partitions),
        documents=documents(posts, comments).repartition(partitions),
        texts=spark.createDataFrame(texts, TEXTS.schema).repartition(partitions),
    )


def _row(table: Table, **values: object) -> tuple[object, ...]:
    return tuple(values.get(field.name) for field in table.columns)


def _post(thread_id: str, pair: Pair) -> tuple[object, ...]:
    return _row(
        POSTS,
        site=SITE,
        post_id=thread_id,
        post_type="question",
        thread_id=thread_id,
        subject=pair.subject,
        body=pair.body,
        split=pair.split,
        source_file="literal",
    )


def _comment(thread_id: str, pair: Pair) -> tuple[object, ...]:
    return _row(
        COMMENTS,
        site=SITE,
        comment_id=f"{thread_id}_C1",
        post_id=thread_id,
        thread_id=thread_id,
        position=1,
        body=pair.comment,
        split=pair.split,
        source_file="literal",
    )


def _example(thread_id: str, pair: Pair) -> tuple[object, ...]:
    return _row(
        EXAMPLES,
        site=SITE,
        task="question_comment",
        query_id=thread_id,
        candidate_id=f"{thread_id}_C1",
        thread_id=thread_id,
        fold_key=thread_id,
        initial_rank=1,
        split=pair.split,
    )


def _text(text_id: str, raw: str) -> tuple[object, ...]:
    words = raw.split()
    return _row(
        TEXTS,
        text_id=text_id,
        raw=raw,
        clean=" ".join(words),
        sentences=[raw],
        tokens=words,
        words=words,
        content_words=words,
        stems=words,
        bigrams=[" ".join(pair) for pair in pairwise(words)],
    )
