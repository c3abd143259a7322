"""Questions with one comment each, written down as literals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pyspark.sql import SparkSession

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.lake.table import Table
from cqa_spark.text.documents import distinct_texts, documents

SITE = "qatarliving.com"

Row = tuple[object, ...]
Rows = Iterable[Row]


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
    return inputs_of(
        spark,
        posts=[post(thread_id, pair.subject, pair.body, pair.split) for thread_id, pair in rows],
        comments=[comment(f"{thread_id}_C1", thread_id, pair.comment, pair.split) for thread_id, pair in rows],
        examples=[
            example("question_comment", thread_id, f"{thread_id}_C1", thread_id, pair.split) for thread_id, pair in rows
        ],
        partitions=partitions,
    )


def inputs_of(spark: SparkSession, posts: Rows, comments: Rows, examples: Rows, partitions: int = 2) -> FeatureInputs:
    """The inputs of feature groups: rows that ``post``, ``comment`` and ``example`` make, and their texts."""
    all_posts, all_comments = (
        spark.createDataFrame(list(rows), table.schema) for rows, table in ((posts, POSTS), (comments, COMMENTS))
    )
    texts = [_text(*row) for row in distinct_texts(all_posts, all_comments).collect()]
    return FeatureInputs(
        examples=spark.createDataFrame(list(examples), EXAMPLES.schema).repartition(partitions),
        posts=all_posts.repartition(partitions),
        comments=all_comments.repartition(partitions),
        documents=documents(all_posts, all_comments).repartition(partitions),
        texts=spark.createDataFrame(texts, TEXTS.schema).repartition(partitions),
    )


def post(thread_id: str, subject: str, body: str, split: str = "train") -> Row:
    """A question."""
    return _row(
        POSTS,
        site=SITE,
        post_id=thread_id,
        post_type="question",
        thread_id=thread_id,
        subject=subject,
        body=body,
        split=split,
        source_file="literal",
    )


def comment(comment_id: str, thread_id: str, body: str, split: str = "train", position: int = 1) -> Row:
    """A comment below a question."""
    return _row(
        COMMENTS,
        site=SITE,
        comment_id=comment_id,
        post_id=thread_id,
        thread_id=thread_id,
        position=position,
        body=body,
        split=split,
        source_file="literal",
    )


def example(task: str, query_id: str, candidate_id: str, thread_id: str, split: str = "train") -> Row:
    """A pair that is to be described."""
    return _row(
        EXAMPLES,
        site=SITE,
        task=task,
        query_id=query_id,
        candidate_id=candidate_id,
        thread_id=thread_id,
        fold_key=query_id,
        initial_rank=1,
        split=split,
    )


def _row(table: Table, **values: object) -> Row:
    return tuple(values.get(field.name) for field in table.columns)


def _text(text_id: str, raw: str) -> Row:
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
