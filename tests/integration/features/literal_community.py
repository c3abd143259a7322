"""Small communities, written down as literals."""

from collections.abc import Iterable, Sequence
from random import Random

from literal_threads import SITE, Pair, Said, Thread, analysed_text, threads_of
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.text import DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.table import Table
from cqa_spark.text.encoders.model import EmbeddingModel


def pairs_of(spark: SparkSession, pairs: Sequence[Pair], partitions: int = 2) -> FeatureInputs:
    """The inputs for questions Q1, Q2 and so on, each with the comment Qn_C1."""
    return community_of(spark, threads_of(pairs), partitions=partitions)


def community_of(
    spark: SparkSession,
    threads: Sequence[Thread],
    examples: Sequence[tuple[str, str, str]] | None = None,
    partitions: int | None = None,
) -> FeatureInputs:
    """The inputs of feature groups; texts are split at blanks and are clean already.

    Args:
        spark: the session.
        threads: questions with their comments.
        examples: query, candidate and the candidate's thread; by default all comments below their questions.
        partitions: of every table; by default as Spark makes them.
    """

    def table(declared: Table, rows: Iterable[dict[str, object]]) -> DataFrame:
        filled = {"site": SITE, "task": "question_comment", "post_type": "question", "source_file": "literal"}
        complete = [tuple((filled | row).get(field.name) for field in declared.columns) for row in rows]
        frame = spark.createDataFrame(complete, declared.schema)
        return frame.repartition(partitions) if partitions else frame

    comments = [(thread, place, said) for thread in threads for place, said in enumerate(thread.said, start=1)]
    own = [_example(*comment) for comment in comments]
    names = ("query_id", "candidate_id", "thread_id")
    chosen = [
        {**dict(zip(names, pair, strict=True)), "fold_key": pair[0], "initial_rank": 1, "split": "train"}
        for pair in examples or ()
    ]
    asked = [thread for thread in threads if thread.question is not None]
    texts = {said.text for _, _, said in comments} | {text for thread in asked for text in thread.texts}
    return FeatureInputs(
        examples=table(EXAMPLES, chosen or own),
        posts=table(POSTS, map(_post, threads)),
        comments=table(COMMENTS, [_comment(*comment) for comment in comments]),
        documents=table(DOCUMENTS, [*[_document(*comment) for comment in comments], *map(_asked, asked)]),
        texts=table(TEXTS, map(analysed_text, sorted(texts))),
        embeddings=table(
            EMBEDDINGS, [_embedding(text, name) for text in sorted(texts) for name in EmbeddingModel.names()]
        ),
    )


def _example(thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {
        "query_id": thread.thread_id, "candidate_id": f"{thread.thread_id}_C{place}", "thread_id": thread.thread_id,
        "fold_key": thread.same_as or thread.thread_id, "author_id": said.author, "asker_id": thread.asker,
        "asked_at": thread.at, "answered_at": said.at, "initial_rank": place, "relevant": said.relevant,
        "label": None if said.relevant is None else int(said.relevant), "split": thread.split,
    }  # fmt: skip


def _post(thread: Thread) -> dict[str, object]:
    return {
        "post_id": thread.thread_id, "thread_id": thread.thread_id, "same_as": thread.same_as,
        "user_id": thread.asker, "created_at": thread.at, "category": thread.category, "split": thread.split,
    }  # fmt: skip


def _comment(thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {
        "comment_id": f"{thread.thread_id}_C{place}", "post_id": thread.thread_id, "thread_id": thread.thread_id,
        "position": place, "user_id": said.author, "user_name": said.name, "created_at": said.at, "body": said.text,
        "split": thread.split,
    }  # fmt: skip


def _document(thread: Thread, place: int, said: Said) -> dict[str, object]:
    return {"document_id": f"{thread.thread_id}_C{place}", "text_id": said.text, "split": thread.split}


def _asked(thread: Thread) -> dict[str, object]:
    return {
        "document_id": thread.thread_id, "text_id": thread.question, "subject_text_id": thread.subject,
        "split": thread.split,
    }  # fmt: skip


def _embedding(text: str, name: str) -> dict[str, object]:
    """A vector of the size of an embedding model's; what it says of the text does not matter."""
    model = EmbeddingModel.read(name)
    drawn = Random(text)
    vector = [round(drawn.uniform(-0.1, 0.1), 4) for _ in range(model.dimension)]
    return {"text_id": text, "model": model.name, "version": model.version, "vector": vector}
