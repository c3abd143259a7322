"""Computes the features of all query groups in one pass over the queries.

Spark groups and sorts the examples, posts, comments and analysed texts by query. Python workers read several queries at
a time (``QueryBatch``) and compute every group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.post_links import DUPLICATE_LINK
from cqa_spark.corpora.stackexchange.votes import DOWN, UP, end_of_day
from cqa_spark.features.author_facts import with_facts
from cqa_spark.features.batch_texts import vector_column
from cqa_spark.features.declared_values import declared_values
from cqa_spark.features.feature_table import KEY, values_type
from cqa_spark.features.folds import fold_of
from cqa_spark.features.group import QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.shared_accounts import person
from cqa_spark.features.training_data import Fitted
from cqa_spark.spark.whole_groups import whole_groups
from cqa_spark.text.documents import comment_document

EXAMPLES_AT_A_TIME = 1_000
"""Number of examples in a batch; a query with more examples is a batch of its own."""

_NO_FOLD = -1
_QUERY = ("site", "query_id")
_PARTS = ("examples", "posts", "said", "documents", "analysed", "scores", "votes", "retrieved", "links")
"""The tables of a ``QueryBatch``; in the shuffle, rows of each are structs of this name."""


def compute_queries(groups: Mapping[str, Fitted[QueryGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    """The values of all examples.

    Args:
        groups: by name. Training examples get out-of-fold values.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting; 0 if no example belongs to the training data.

    Returns:
        One row per example: its key, then a struct of each group's columns, null where a value is not known.
    """
    rows = _bring_together({name: group.on_all for name, group in groups.items()}, inputs, folds)
    partitions = int(str(rows.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    together = rows.repartition(partitions, *_QUERY).sortWithinPartitions(*_QUERY, "part")
    types = {name: values_type(type(group.on_all)) for name, group in groups.items()}
    keys = [T.StructField(name, T.StringType(), False) for name in KEY]
    schema = T.StructType([*keys, *[T.StructField(name, of_group) for name, of_group in types.items()]])
    return together.mapInArrow(_computing(groups, schema), schema)


def values_of(groups: Mapping[str, Fitted[QueryGroup]], batch: QueryBatch) -> dict[str, NDArray[np.float64]]:
    """The values of a batch's examples.

    Args:
        groups: by name, as for ``compute_queries``.
        batch: a batch whose examples have a column ``fold``: from 0 for training examples, -1 for others.

    Returns:
        An array of shape (examples, columns) per group; NaN where a value is unknown.
    """
    fold = batch.examples.column("fold").to_numpy()
    return {name: _group_values(fitted, batch, fold) for name, fitted in groups.items()}


def _group_values(fitted: Fitted[QueryGroup], batch: QueryBatch, fold: NDArray[np.int64]) -> NDArray[np.float64]:
    if not fitted.on_rests:
        return _values(fitted.on_all, batch)
    values = np.full((len(batch), len(fitted.on_all.columns)), np.nan)
    for number in np.unique(fold).tolist():
        chosen = fold == number
        group = fitted.on_all if number == _NO_FOLD else fitted.on_rests[number]
        values[chosen] = _values(group, batch if chosen.all() else batch.keep(chosen))
    return values


def _values(group: QueryGroup, batch: QueryBatch) -> NDArray[np.float64]:
    return declared_values(group, group.compute(batch), len(batch))


def _bring_together(by_name: Mapping[str, QueryGroup], inputs: FeatureInputs, folds: int) -> DataFrame:
    """All rows of all queries: site, query_id, the number of the part, and the row as the struct of its part.

    Rows of posts and comments include their text; the subject of a post is a separate row.
    """
    fold = F.when(F.col("split") == "train", fold_of(folds)).otherwise(_NO_FOLD) if folds else F.lit(_NO_FOLD)
    examples = inputs.examples.drop("label", "relevant", "similarity").withColumns(
        {"fold": fold.cast("bigint"), "cut": F.expr(inputs.cut.sql), "account": person("site", "author_id")}
    )
    facts = {name: found for name, group in by_name.items() if (found := group.facts(inputs)) is not None}
    threads = _threads(examples)
    groups = list(by_name.values())
    # Tables that no group reads are replaced by None, so that Spark skips their joins.
    reads_texts, reads_comments = (
        F.lit(any(reads)) for reads in zip(*((each.reads_texts, each.reads_comments) for each in groups), strict=True)
    )
    documents = inputs.documents.select("site", "document_id", "text_id", "subject_text_id").where(reads_texts)
    written = (
        _posts(groups, inputs)
        .unionByName(_said(groups, inputs).where(reads_comments), allowMissingColumns=True)
        .join(inputs.broadcast_if_few(threads), on=["site", "thread_id"])
        .where("of_candidates OR said IS NULL")
        .join(documents, on=["site", "document_id"], how="left")
    )
    each_text = written.select("*", F.posexplode(F.array("text_id", "subject_text_id")).alias("place", "id"))
    itself = F.when(F.col("said").isNull(), _PARTS.index("posts")).otherwise(_PARTS.index("said"))
    first = F.col("place") == 0
    rows = each_text.where(first | F.col("id").isNotNull()).select(
        *_QUERY,
        F.when(first, itself).otherwise(_PARTS.index("analysed")).alias("part"),
        *[F.when(first, F.col(name)).alias(name) for name in ("posts", "said")],
        F.when(first, F.struct("document_id", "text_id", "subject_text_id")).alias("documents"),
        F.col("id").alias("text_id"),
    )
    texts = _with_vectors(groups, inputs).where(reads_texts)
    texts = texts.select("text_id", _as_struct("analysed", texts))
    with_texts = rows.join(texts, on="text_id", how="left").drop("text_id")
    reads_votes = any(each.reads_votes for each in groups)
    needs = {table for each in groups for table in each.needs}
    others = {
        "examples": with_facts(examples, facts, inputs),
        "scores": _scores(inputs, threads),
        "votes": _votes(inputs) if reads_votes else None,
        "retrieved": _retrieved(inputs) if "retrieved" in needs else None,
        "links": _links(inputs) if "post_links" in needs else None,
    }
    return reduce(
        lambda one, other: one.unionByName(other, allowMissingColumns=True),
        (
            rows.select(*_QUERY, F.lit(_PARTS.index(part)).alias("part"), _as_struct(part, rows))
            for part, rows in others.items()
            if rows is not None
        ),
        with_texts,
    )


def _with_vectors(groups: Iterable[QueryGroup], inputs: FeatureInputs) -> DataFrame:
    """The texts, with one column per embedding model that a group uses."""
    texts = inputs.texts
    for model in sorted({model for group in groups for model in group.embeddings}):
        of_model = inputs.needed("embeddings").where(F.col("model") == model)
        vectors = of_model.select("text_id", F.col("vector").alias(vector_column(model)))
        texts = texts.join(vectors, on="text_id", how="left")
    return texts


def _threads(examples: DataFrame) -> DataFrame:
    """The threads of each query: those of its candidates, and its own thread, which is needed for its posts only."""
    both = F.array(
        F.struct("thread_id", F.lit(True).alias("of_candidates")),
        F.struct(F.col("query_id").alias("thread_id"), F.lit(False).alias("of_candidates")),
    )
    named = examples.select(*_QUERY, F.inline(both))
    return named.groupBy(*_QUERY, "thread_id").agg(F.max("of_candidates").alias("of_candidates"))


def _posts(groups: Iterable[QueryGroup], inputs: FeatureInputs) -> DataFrame:
    author = person("site", "user_id", "user_name").alias("author")
    wanted = sorted({name for group in groups for name in group.post_columns})
    post = F.struct("post_id", "thread_id", author, "created_at", "category", *wanted).alias("posts")
    return inputs.posts.select("site", "thread_id", F.col("post_id").alias("document_id"), post)


def _said(groups: Iterable[QueryGroup], inputs: FeatureInputs) -> DataFrame:
    author = person("site", "user_id", "user_name").alias("author")
    name = F.col("user_name").alias("author_name")
    wanted = sorted({name for group in groups for name in group.comment_columns})
    comment = F.struct("comment_id", "post_id", "position", author, name, "created_at", *wanted).alias("said")
    posts = inputs.posts.select("site", "post_id", F.col("thread_id").alias("of_post"))
    comments = inputs.comments.join(posts, on=["post_id", "site"], how="left")
    thread = F.coalesce("thread_id", "of_post", "post_id").alias("thread_id")
    return comments.select("site", thread, comment_document().alias("document_id"), comment)


def _scores(inputs: FeatureInputs, threads: DataFrame) -> DataFrame | None:
    """Upstream scores of the steps from each query to its threads, and from the threads to their comments."""
    if inputs.scores is None:
        return None
    scores = inputs.scores.select("site", "task", F.col("query_id").alias("of_query"), "candidate_id", "score")
    to_comments = scores.join(threads.withColumnRenamed("thread_id", "of_query"), on=["site", "of_query"])
    queries = threads.select(*_QUERY, F.col("query_id").alias("of_query")).distinct()
    to_threads = scores.join(queries, on=["site", "of_query"])
    columns = (*_QUERY, "task", "of_query", "candidate_id", "score")
    return to_comments.select(*columns).union(to_threads.select(*columns)).distinct()


def _votes(inputs: FeatureInputs) -> DataFrame:
    """Up and down votes for the candidates, one row per day."""
    candidates = inputs.examples.select(*_QUERY, F.col("candidate_id").alias("post_id")).distinct()
    cast = inputs.needed("votes").where(F.col("vote_type_id").isin(UP, DOWN))
    known = cast.select("site", "post_id", "vote_type_id", end_of_day("created_at").alias("known_at"))
    of_candidates = known.join(inputs.broadcast_if_few(candidates), on=["post_id", "site"])
    by_day = of_candidates.groupBy(*_QUERY, "post_id", "vote_type_id", "known_at")
    return by_day.agg(F.count(F.lit(1)).alias("number"))


def _retrieved(inputs: FeatureInputs) -> DataFrame:
    """Retrieval scores of the candidates."""
    candidates = inputs.examples.select(*_QUERY, "candidate_id")
    found = inputs.needed("retrieved").drop("fused", "rank")
    return found.join(inputs.broadcast_if_few(candidates), on=[*_QUERY, "candidate_id"], how="left_semi")


def _links(inputs: FeatureInputs) -> DataFrame:
    """Links to the candidates from other posts in the dump."""
    candidates = inputs.examples.select(*_QUERY, "candidate_id").distinct()
    links = inputs.needed("post_links").select(
        "site",
        F.col("related_post_id").alias("candidate_id"),
        F.col("created_at").alias("linked_at"),
        (F.col("link_type_id") == DUPLICATE_LINK).alias("is_duplicate"),
    )
    return links.join(inputs.broadcast_if_few(candidates), on=["site", "candidate_id"])


def _as_struct(part: str, rows: DataFrame) -> Column:
    return F.struct(*rows.columns).alias(part)


def _computing(
    groups: Mapping[str, Fitted[QueryGroup]], schema: T.StructType
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for rows in whole_groups(batches, *_QUERY, at_a_time=EXAMPLES_AT_A_TIME, size=_examples_of):
            batch = _query_batch(rows)
            values = values_of(groups, batch)
            keys = [batch.examples.column(name).combine_chunks() for name in KEY]
            structs = [_struct(values[name], arrow_schema.field(name).type) for name in groups]
            yield pa.RecordBatch.from_arrays([*keys, *structs], schema=arrow_schema)

    return compute


def _struct(values: NDArray[np.float64], of_group: pa.StructType) -> pa.StructArray:
    columns = [pa.array(column, pa.float64(), from_pandas=True) for column in values.T]
    return pa.StructArray.from_arrays(columns, fields=list(of_group))


def _examples_of(rows: pa.RecordBatch) -> int:
    return pc.sum(pc.equal(rows.column("part"), _PARTS.index("examples"))).as_py() or 0


def _query_batch(rows: pa.Table) -> QueryBatch:
    tables = {name: _table(rows, name) for name in _PARTS if name in rows.column_names}
    return QueryBatch(
        examples=tables["examples"].sort_by([(name, "ascending") for name in KEY]),
        posts=tables["posts"],
        said=tables["said"].append_column("document_id", _documents_of(rows, "said")),
        documents=tables["documents"],
        analysed=_first_of_each(tables["analysed"], "text_id"),
        scores=tables.get("scores", pa.table({})),
        votes=tables.get("votes", pa.table({})),
        retrieved=tables.get("retrieved", pa.table({})),
        links=tables.get("links", pa.table({})),
    )


def _table(rows: pa.Table, name: str) -> pa.Table:
    """The fields of the struct of this name, with the query, for rows where it is not null."""
    found = rows.filter(pc.is_valid(rows.column(name))).combine_chunks()
    column = found.column(name)
    empty = pa.array([], column.type)
    structs = pa.Table.from_struct_array(column if column.num_chunks else empty)
    absent = [key for key in _QUERY if key not in structs.column_names]
    return reduce(lambda table, key: table.append_column(key, found.column(key)), absent, structs)


def _documents_of(rows: pa.Table, name: str) -> pa.ChunkedArray:
    found = rows.filter(pc.is_valid(rows.column(name)))
    return pc.struct_field(found.column("documents"), "document_id")


def _first_of_each(rows: pa.Table, key: str) -> pa.Table:
    ids = rows.column(key).to_pylist()
    first = {text_id: place for place, text_id in reversed(list(enumerate(ids)))}
    return rows.take(pa.array(sorted(first.values()), pa.int64()))
