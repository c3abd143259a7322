"""Pairs of a query and a candidate, a row each, as community tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from cqa_spark.errors import InputError
from cqa_spark.examples.task import Task
from cqa_spark.spark.whole_groups import whole_groups

SITE = "frame"
"""The site of the pairs."""

REQUIRED = ("query_id", "query", "candidate_id", "candidate")
KEY = ("query_id", "candidate_id")


def require_columns(names: Sequence[str]) -> None:
    """Check the columns of pairs.

    Raises:
        InputError: columns are missing.
    """
    if missing := [name for name in REQUIRED if name not in names]:
        raise InputError(f"the pairs have no column {', '.join(missing)}", f"required: {', '.join(REQUIRED)}")


def community_in_spark(pairs: DataFrame, task: Task) -> dict[str, DataFrame]:
    """The community tables of a Spark frame of pairs, as ``community`` makes them; nothing is computed yet."""
    texts = pairs.withColumns({name: F.col(name).cast("string") for name in KEY})
    by_query = texts.repartition(KEY[0]).sortWithinPartitions(KEY[0])
    empty = to_arrow_schema(texts.schema).empty_table()
    return {
        name: by_query.mapInArrow(partial(_of_queries, name, task), from_arrow_schema(rows.schema))
        for name, rows in community(empty, task).items()
    }


def _of_queries(name: str, task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for pairs in whole_groups(batches, KEY[0]):
        yield from community(pairs, task)[name].combine_chunks().to_batches()


def community(pairs: pa.Table, task: Task) -> dict[str, pa.Table]:
    """The community tables of whole queries, whose ids are texts: posts, judgments, and comments if they are ranked."""
    for name in KEY:
        pairs = pairs.set_column(pairs.column_names.index(name), name, pc.cast(pairs[name], pa.string()))
    query = _selected(pairs, {"query_id": "post_id", "query": "body", "title": "subject", "asker_id": "user_id",
                              "asked_at": "created_at"})  # fmt: skip
    queries = query.group_by("post_id", use_threads=False).aggregate(
        [(name, "first") for name in query.column_names if name != "post_id"]
    )
    queries = queries.rename_columns([name.removesuffix("_first") for name in queries.column_names])
    candidate = {"candidate_id": task.candidate_id, "candidate": "body", "author_id": "user_id",
                 "answered_at": "created_at", "query_id": "thread_id"}  # fmt: skip
    candidates = _selected(pairs, candidate)
    judged = _selected(pairs, {"query_id": "query_id", "candidate_id": "candidate_id", "initial_rank": "initial_rank"})
    labels = pa.array(_labels(pairs, task), pa.string())
    names = pa.array([task.name] * len(pairs), pa.string())
    judged = judged.append_column("thread_id", judged["query_id"]).append_column("task", names)
    judgments = judged.append_column("label", labels)
    if task.candidate_id == "comment_id":
        comments = candidates.append_column("post_id", candidates["thread_id"])
        return {"posts": queries, "comments": comments, "judgments": judgments}
    posts = pa.concat_tables([queries, candidates], promote_options="default")
    return {"posts": posts, "judgments": judgments}


def _selected(pairs: pa.Table, columns: Mapping[str, str]) -> pa.Table:
    present = {name: new for name, new in columns.items() if name in pairs.column_names}
    return pairs.select(list(present)).rename_columns(list(present.values()))


def _labels(pairs: pa.Table, task: Task) -> list[str | None]:
    """The labels of the task.

    Raises:
        InputError: a value is neither a label, nor a grade, nor a boolean.
    """
    if "label" not in pairs.column_names:
        return [None] * len(pairs)
    given = pairs["label"].to_pylist()
    if not task.grades:
        return [None if value is None else str(value) for value in given]
    labels: dict[object, str] = {label: label for label in task.grades}
    labels |= {grade: label for label, grade in task.grades.items()}
    best, worst = (choose(task.grades, key=lambda label: task.grades[label]) for choose in (max, min))
    found: list[str | None] = []
    for value in given:
        label = (best if value else worst) if isinstance(value, bool) else labels.get(value)
        if value is not None and label is None:
            raise InputError(
                f"label {value!r} is not known", f"give a boolean, or one of {', '.join(map(str, labels))}"
            )
        found.append(label)
    return found
