"""Computes the features of all query groups in one pass over the questions.

Spark groups and sorts the examples, posts, comments and analysed texts by question. Python workers read several
questions at a time (``QueryBatch``) and compute every group.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.values import DOWN, UP, end_of_day
from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import Reals
from cqa_spark.features.author_batch import person, with_facts
from cqa_spark.features.author_pass import compute_authors
from cqa_spark.features.feature_table import KEY, declared_values, pass_type, values_struct
from cqa_spark.features.group import AuthorGroup, FeatureGroup, LearningGroup, QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch, vector_column
from cqa_spark.features.training_data import NO_FOLD, Fitted, fold_of, training_data
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK
from cqa_spark.lake.schemas.examples import QUERY_POST
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.spark.frames import run_concurrently, whole_groups

# Brings together the rows of each question: its examples, and the posts, comments, texts and votes of its threads.

QUESTION = ("site", "query_post_id")
PARTS = ("examples", "posts", "said", "documents", "analysed", "scores", "votes", "retrieved", "links")
"""The tables of a ``QueryBatch``; in the shuffle, rows of each are structs of this name."""


def query_rows(by_name: Mapping[str, QueryGroup], inputs: FeatureInputs, folds: int) -> DataFrame:
    """All rows of all questions.

    Args:
        by_name: the groups, by name; tables that none of them reads are skipped.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting; 0 if no example belongs to the training data.

    Returns:
        Columns ``site``, ``query_post_id``, the number of the part, and the row as the struct of its part. Rows of
        posts and comments include their text; the subject of a post is a separate row.
    """
    fold = F.when(F.col("split") == "train", fold_of(folds)).otherwise(NO_FOLD) if folds else F.lit(NO_FOLD)
    examples = inputs.examples.drop("label", "relevant", "similarity").withColumns(
        {
            "fold": fold.cast("bigint"),
            "cut": F.expr(inputs.cut.sql),
            "account": person("site", "author_id"),
            "query_post_id": F.expr(QUERY_POST),
        }
    )
    facts = {name: found for name, group in by_name.items() if (found := group.facts(inputs)) is not None}
    threads = _threads(examples)
    groups = list(by_name.values())
    reads_votes = any(each.reads_votes for each in groups)
    needs = {table for each in groups for table in each.needs}
    others = {
        "examples": with_facts(examples, facts, inputs),
        "scores": _scores(inputs, threads),
        "votes": _votes(examples, inputs) if reads_votes else None,
        "retrieved": _retrieved(examples, inputs) if "retrieved" in needs else None,
        "links": _links(examples, inputs) if "post_links" in needs else None,
    }
    return reduce(
        lambda one, other: one.unionByName(other, allowMissingColumns=True),
        (
            rows.select(*QUESTION, F.lit(PARTS.index(part)).alias("part"), _as_struct(part, rows))
            for part, rows in others.items()
            if rows is not None
        ),
        _posts_and_comments(groups, inputs, threads),
    )


def _posts_and_comments(groups: Sequence[QueryGroup], inputs: FeatureInputs, threads: DataFrame) -> DataFrame:
    """The rows of the threads' posts and comments, each with its text; the subject of a post is a row of its own."""
    # Tables that no group reads are replaced by None, so that Spark skips their joins.
    reads_texts, reads_comments = (
        F.lit(any(reads)) for reads in zip(*((each.reads_texts, each.reads_comments) for each in groups), strict=True)
    )
    documents = inputs.documents.select("site", "document_id", "text_id", "subject_text_id").where(reads_texts)
    written = (
        _posts(groups, inputs)
        .unionByName(_said(groups, inputs).where(reads_comments), allowMissingColumns=True)
        .join(threads, on=["site", "thread_id"])
        .where("of_candidates OR said IS NULL")
        .join(documents, on=["site", "document_id"], how="left")
    )
    each_text = written.select("*", F.posexplode(F.array("text_id", "subject_text_id")).alias("place", "id"))
    itself = F.when(F.col("said").isNull(), PARTS.index("posts")).otherwise(PARTS.index("said"))
    first = F.col("place") == 0
    rows = each_text.where(first | F.col("id").isNotNull()).select(
        *QUESTION,
        F.when(first, itself).otherwise(PARTS.index("analysed")).alias("part"),
        *[F.when(first, F.col(name)).alias(name) for name in ("posts", "said")],
        F.when(first, F.struct("document_id", "text_id", "subject_text_id")).alias("documents"),
        F.col("id").alias("text_id"),
    )
    texts = _with_vectors(groups, inputs).where(reads_texts)
    texts = texts.select("text_id", _as_struct("analysed", texts))
    return rows.join(texts, on="text_id", how="left").drop("text_id")


def _with_vectors(groups: Iterable[QueryGroup], inputs: FeatureInputs) -> DataFrame:
    """The texts, with one column per embedding model that a group uses."""
    texts = inputs.texts
    for model in sorted({model for group in groups for model in group.embeddings}):
        of_model = inputs.needed("embeddings").where(F.col("model") == model)
        vectors = of_model.select("text_id", F.col("vector").alias(vector_column(model)))
        texts = texts.join(vectors, on="text_id", how="left")
    return texts


def _threads(examples: DataFrame) -> DataFrame:
    """The threads of each question: those of its candidates, and its own, which is needed for its posts only."""
    both = F.array(
        F.struct("thread_id", F.lit(True).alias("of_candidates")),
        F.struct(F.col("query_post_id").alias("thread_id"), F.lit(False).alias("of_candidates")),
    )
    named = examples.select(*QUESTION, F.inline(both))
    return named.groupBy(*QUESTION, "thread_id").agg(F.max("of_candidates").alias("of_candidates"))


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
    """Upstream scores of the steps from each question to its threads, and from the threads to their comments."""
    if inputs.scores is None:
        return None
    scores = inputs.scores.select("site", "task", F.col("query_id").alias("of_query"), "candidate_id", "score")
    to_comments = scores.join(threads.withColumnRenamed("thread_id", "of_query"), on=["site", "of_query"])
    queries = threads.select(*QUESTION, F.col("query_post_id").alias("of_query")).distinct()
    to_threads = scores.join(queries, on=["site", "of_query"])
    columns = (*QUESTION, "task", "of_query", "candidate_id", "score")
    return to_comments.select(*columns).union(to_threads.select(*columns)).distinct()


def _votes(examples: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Up and down votes for the candidates, one row per day."""
    candidates = examples.select(*QUESTION, F.col("candidate_id").alias("post_id")).distinct()
    cast = inputs.needed("votes").where(F.col("vote_type_id").isin(UP, DOWN))
    known = cast.select("site", "post_id", "vote_type_id", end_of_day("created_at").alias("known_at"))
    of_candidates = known.join(candidates, on=["post_id", "site"])
    by_day = of_candidates.groupBy(*QUESTION, "post_id", "vote_type_id", "known_at")
    return by_day.agg(F.count(F.lit(1)).alias("number"))


def _retrieved(examples: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Retrieval scores of the candidates."""
    candidates = examples.select(*QUESTION, "candidate_id")
    found = inputs.needed("retrieved").drop("fused", "rank").withColumnRenamed("query_id", "query_post_id")
    return found.join(candidates, on=[*QUESTION, "candidate_id"], how="left_semi")


def _links(examples: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Links to the candidates from other posts in the dump."""
    candidates = examples.select(*QUESTION, "candidate_id").distinct()
    links = inputs.needed("post_links").select(
        "site",
        F.col("related_post_id").alias("candidate_id"),
        F.col("created_at").alias("linked_at"),
        (F.col("link_type_id") == DUPLICATE_LINK).alias("is_duplicate"),
    )
    return links.join(candidates, on=["site", "candidate_id"])


def _as_struct(part: str, rows: DataFrame) -> Column:
    return F.struct(*rows.columns).alias(part)


EXAMPLES_AT_A_TIME = 1_000
"""Number of examples in a batch; a question with more examples is a batch of its own."""


def compute_queries(groups: Mapping[str, Fitted[QueryGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    """The values of all examples.

    Args:
        groups: by name. Training examples get out-of-fold values.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting; 0 if no example belongs to the training data.

    Returns:
        One row per example: its key, then a struct of each group's columns, null where a value is not known.
    """
    rows = query_rows({name: group.on_all for name, group in groups.items()}, inputs, folds)
    partitions = int(str(rows.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    together = rows.repartition(partitions, *QUESTION).sortWithinPartitions(*QUESTION, "part")
    schema = pass_type({name: group.on_all for name, group in groups.items()})
    return together.mapInArrow(_computing(groups, schema), schema)


def values_of(groups: Mapping[str, Fitted[QueryGroup]], batch: QueryBatch) -> dict[str, Reals]:
    """The values of a batch's examples.

    Args:
        groups: by name, as for ``compute_queries``.
        batch: a batch whose examples have a column ``fold``: from 0 for training examples, -1 for others.

    Returns:
        An array of shape (examples, columns) per group; NaN where a value is unknown.
    """
    fold = batch.examples.column("fold").to_numpy()
    return {name: _group_values(fitted, batch, fold) for name, fitted in groups.items()}


def _group_values(fitted: Fitted[QueryGroup], batch: QueryBatch, fold: NDArray[np.int64]) -> Reals:
    if not fitted.on_rests:
        return _values(fitted.on_all, batch)
    values = np.full((len(batch), len(fitted.on_all.columns)), np.nan)
    for number in np.unique(fold).tolist():
        chosen = fold == number
        group = fitted.on_all if number == NO_FOLD else fitted.on_rests[number]
        values[chosen] = _values(group, batch if chosen.all() else batch.keep(chosen))
    return values


def _values(group: QueryGroup, batch: QueryBatch) -> Reals:
    return declared_values(group, group.compute(batch), len(batch))


def _computing(
    groups: Mapping[str, Fitted[QueryGroup]], schema: T.StructType
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for rows in whole_groups(batches, *QUESTION, at_a_time=EXAMPLES_AT_A_TIME, size=_examples_of):
            batch = _query_batch(rows)
            values = values_of(groups, batch)
            keys = [batch.examples.column(name).combine_chunks() for name in KEY]
            structs = [values_struct(values[name], arrow_schema.field(name).type) for name in groups]
            yield pa.RecordBatch.from_arrays([*keys, *structs], schema=arrow_schema)

    return compute


def _examples_of(rows: pa.RecordBatch) -> int:
    return pc.sum(pc.equal(rows.column("part"), PARTS.index("examples"))).as_py() or 0


def _query_batch(rows: pa.Table) -> QueryBatch:
    tables = {name: _table(rows, name) for name in PARTS if name in rows.column_names}
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
    """The fields of the struct of this name, with the question, for rows where it is not null."""
    found = rows.filter(pc.is_valid(rows.column(name))).combine_chunks()
    column = found.column(name)
    empty = pa.array([], column.type)
    structs = pa.Table.from_struct_array(column if column.num_chunks else empty)
    absent = [key for key in QUESTION if key not in structs.column_names]
    return reduce(lambda table, key: table.append_column(key, found.column(key)), absent, structs)


def _documents_of(rows: pa.Table, name: str) -> pa.ChunkedArray:
    found = rows.filter(pc.is_valid(rows.column(name)))
    return pc.struct_field(found.column("documents"), "document_id")


def _first_of_each(rows: pa.Table, key: str) -> pa.Table:
    ids = rows.column(key).to_pylist()
    first = {text_id: place for place, text_id in reversed(list(enumerate(ids)))}
    return rows.take(pa.array(sorted(first.values()), pa.int64()))


# Fits feature groups and computes their values, in training and for saved models.

NO_FOLDS = 0
"""Number of folds if no example belongs to the training data."""


def fit_groups(
    groups: Iterable[type[FeatureGroup]], inputs: FeatureInputs, *, folds: int
) -> dict[str, Fitted[FeatureGroup]]:
    """Fit the groups that learn on the training examples; instantiate the others.

    Args:
        groups: the group classes from the registry.
        inputs: labelled examples of all splits, and their tables.
        folds: number of folds for groups that learn from labels.

    Raises:
        ContractError: fewer than two folds.
    """
    if folds < 2:
        raise ContractError(f"cross-fitting with {folds} folds leaves no training data", "use at least 2 folds")
    with training_data(inputs, folds) as training:

        def fit(group: type[FeatureGroup]) -> Fitted[FeatureGroup]:
            return cast(
                Fitted[FeatureGroup], group.fit(training) if issubclass(group, LearningGroup) else Fitted(group())
            )

        chosen = list(groups)
        return {group.name: fitted for group, fitted in zip(chosen, run_concurrently(fit, chosen), strict=True)}


def compute_place(groups: Mapping[str, Fitted[FeatureGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    """The values of all examples in one pass.

    Args:
        groups: by name; all of one place. Training examples get out-of-fold values.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting, or ``NO_FOLDS``.

    Returns:
        One row per example: its key, then one struct per group, with null fields where a value is unknown.
    """
    of_authors = {name: each.on_all for name, each in groups.items() if isinstance(each.on_all, AuthorGroup)}
    if of_authors:
        return compute_authors(of_authors, inputs)
    return compute_queries(cast(Mapping[str, Fitted[QueryGroup]], groups), inputs, folds)


def compute_outside_training(groups: Mapping[str, FeatureGroup], inputs: FeatureInputs) -> DataFrame:
    """The values of examples outside the training data, as ``compute_place`` returns them."""
    return compute_place({name: Fitted(group) for name, group in groups.items()}, inputs, NO_FOLDS)
