"""Small communities, written down as literals."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from random import Random

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.table import Table
from cqa_spark.text.embedding.model import EmbeddingModel

SITE = "qatarliving.com"


@dataclass(frozen=True)
class Said:
    """One comment of a thread: who said what, and whether it was judged relevant."""

    author: str | None
    text: str
    relevant: bool | None = None
    at: datetime | None = None
    name: str | None = None


@dataclass(frozen=True)
class Thread:
    """A question with its comments; comment ids are the thread's id, ``_C`` and the position.

    The question has a text only where one is given.
    """

    thread_id: str
    asker: str | None
    said: Sequence[Said]
    split: str = "train"
    at: datetime | None = None
    same_as: str | None = None
    category: str | None = None
    question: str | None = None


def community_of(spark: SparkSession, threads: Sequence[Thread]) -> FeatureInputs:
    """The inputs of feature groups; texts are split at blanks and are clean already."""
    comments = [(thread, place, said) for thread in threads for place, said in enumerate(thread.said, start=1)]
    asked = [thread for thread in threads if thread.question is not None]
    texts = {said.text for _, _, said in comments} | {thread.question for thread in asked}
    return FeatureInputs(
        examples=_table(spark, EXAMPLES, [_example(*each) for each in comments]),
        posts=_table(spark, POSTS, [_post(thread) for thread in threads]),
        comments=_table(spark, COMMENTS, [_comment(*each) for each in comments]),
        documents=_table(spark, DOCUMENTS, [*[_document(*each) for each in comments], *map(_asked, asked)]),
        texts=_table(spark, TEXTS, [_text(text) for text in sorted(texts)]),
        embeddings=_table(
            spark, EMBEDDINGS, [_embedding(text, name) for text in sorted(texts) for name in EmbeddingModel.names()]
        ),
    )


def _table(spark: SparkSession, table: Table, rows: list[dict[str, object]]) -> DataFrame:
    complete = [tuple(row.get(field.name) for field in table.columns) for row in rows]
    return spark.createDataFrame(complete, table.schema)


def _example(thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {
        "site": SITE,
        "task": "question_comment",
        "query_id": thread.thread_id,
        "candidate_id": f"{thread.thread_id}_C{place}",
        "thread_id": thread.thread_id,
        "fold_key": thread.same_as or thread.thread_id,
        "author_id": said.author,
        "asker_id": thread.asker,
        "asked_at": thread.at,
        "answered_at": said.at,
        "initial_rank": place,
        "label": None if said.relevant is None else int(said.relevant),
        "relevant": said.relevant,
        "split": thread.split,
    }


def _post(thread: Thread) -> dict[str, object]:
    return {
        "site": SITE,
        "post_id": thread.thread_id,
        "post_type": "question",
        "thread_id": thread.thread_id,
        "same_as": thread.same_as,
        "user_id": thread.asker,
        "created_at": thread.at,
        "category": thread.category,
        "split": thread.split,
        "source_file": "literal",
    }


def _comment(thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {
        "site": SITE,
        "comment_id": f"{thread.thread_id}_C{place}",
        "post_id": thread.thread_id,
        "thread_id": thread.thread_id,
        "position": place,
        "user_id": said.author,
        "user_name": said.name,
        "created_at": said.at,
        "body": said.text,
        "split": thread.split,
        "source_file": "literal",
    }


def _document(thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {"site": SITE, "document_id": f"{thread.thread_id}_C{place}", "text_id": said.text, "split": thread.split}


def _asked(thread: Thread) -> dict[str, object]:
    return {"site": SITE, "document_id": thread.thread_id, "text_id": thread.question, "split": thread.split}


def _text(text: str) -> dict[str, object]:
    tokens = text.lower().split()
    words = [token for token in tokens if any(letter.isalnum() for letter in token)]
    return {
        "text_id": text,
        "raw": text,
        "clean": text,
        "sentences": [text],
        "tokens": tokens,
        "words": words,
        "content_words": words,
        "stems": words,
        "bigrams": [" ".join(pair) for pair in pairwise(words)],
    }


def _embedding(text: str, name: str) -> dict[str, object]:
    """A vector of the size of an embedding model's; what it says of the text does not matter."""
    model = EmbeddingModel.read(name)
    drawn = Random(text)
    vector = [round(drawn.uniform(-0.1, 0.1), 4) for _ in range(model.dimension)]
    return {"text_id": text, "model": model.name, "version": model.version, "vector": vector}
