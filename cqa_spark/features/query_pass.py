"""Fits feature groups and computes their values, those of query groups in one pass over the questions.

Spark groups and sorts the examples, posts, comments and analysed texts by question. Python workers read several
questions at a time (``QueryBatch``) and compute every group.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import DOWN, UP, end_of_day
from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import Reals
from cqa_spark.features.author_facts import person, with_facts
from cqa_spark.features.author_pass import compute_authors
from cqa_spark.features.feature_table import KEY, declared_values, pass_type, values_struct
from cqa_spark.features.group import AuthorGroup, FeatureGroup, LearningGroup, QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import TABLES, QueryBatch, vector_column
from cqa_spark.features.training_data import NO_FOLD, Fitted, fold_of, training_data
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK
from cqa_spark.lake.schemas.examples import QUERY_POST
from cqa_spark.lake.schemas.text import comment_document
from cqa_spark.spark.frames import run_concurrently, whole_groups
from cqa_spark.spark.internals import to_arrow_schema

QUESTION = ("site", "query_post_id")
"""The key of the pass: a batch has whole questions."""

PARTS = tuple(TABLES)
"""The tables of a ``QueryBatch``; in the shuffle, a row of each is a struct in the column of this name."""

EXAMPLES_AT_A_TIME = 1_000
"""Number of examples in a batch; a question with more examples is a batch of its own."""

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
            if issubclass(group, LearningGroup):
                return cast(Fitted[FeatureGroup], group.fit(training))
            return Fitted(group())

        classes = list(groups)
        return {group.name: fitted for group, fitted in zip(classes, run_concurrently(fit, classes), strict=True)}


def compute_pass(groups: Mapping[str, Fitted[FeatureGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    """The values of all examples in one pass.

    Args:
        groups: by name; all with one pass key. Training examples get out-of-fold values.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting, or ``NO_FOLDS``.

    Returns:
        One row per example: its key, then one struct per group, with null fields where a value is unknown.
    """
    author_groups = {name: fitted.on_all for name, fitted in groups.items() if isinstance(fitted.on_all, AuthorGroup)}
    if author_groups:
        return compute_authors(author_groups, inputs)
    return compute_queries(cast(Mapping[str, Fitted[QueryGroup]], groups), inputs, folds)


def compute_outside_training(groups: Mapping[str, FeatureGroup], inputs: FeatureInputs) -> DataFrame:
    """The values of examples outside the training data, as ``compute_pass`` returns them."""
    return compute_pass({name: Fitted(group) for name, group in groups.items()}, inputs, NO_FOLDS)


def compute_queries(groups: Mapping[str, Fitted[QueryGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    """The values of all examples.

    Args:
        groups: by name. Training examples get out-of-fold values.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting, or ``NO_FOLDS``.

    Returns:
        One row per example: its key, then a struct of each group's columns, null where a value is not known.
    """
    unfitted = {name: group.on_all for name, group in groups.items()}
    rows = query_rows(unfitted, inputs, folds)
    schema = pass_type(unfitted)

    def compute(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for rows in whole_groups(batches, *QUESTION, at_a_time=EXAMPLES_AT_A_TIME, size=_number_of_examples):
            batch = _query_batch(rows)
            values = values_of(groups, batch)
            keys = [batch.examples.column(name).combine_chunks() for name in KEY]
            structs = [values_struct(values[name], arrow_schema.field(name).type) for name in groups]
            yield pa.RecordBatch.from_arrays([*keys, *structs], schema=arrow_schema)

    partitions = int(str(rows.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    by_question = rows.repartition(partitions, *QUESTION).sortWithinPartitions(*QUESTION, "part")
    return by_question.mapInArrow(compute, schema)


def _number_of_examples(rows: pa.RecordBatch) -> int:
    return pc.sum(pc.equal(rows.column("part"), PARTS.index("examples"))).as_py() or 0


def _query_batch(rows: pa.Table) -> QueryBatch:
    """The tables of some questions, from their rows of the shuffle."""
    tables = {}
    for part in PARTS:
        if part not in rows.column_names:
            tables[part] = pa.table({})
            continue
        # A row of a post or comment is a row of three tables: its own, ``documents`` and ``analysed_texts``.
        of_part = rows.filter(pc.is_valid(rows.column(part))).combine_chunks()
        structs = of_part.column(part)
        table = pa.Table.from_struct_array(structs if structs.num_chunks else pa.array([], structs.type))
        for key in QUESTION:
            if key not in table.column_names:
                table = table.append_column(key, of_part.column(key))
        if part == "comments":
            table = table.append_column("document_id", pc.struct_field(of_part.column("documents"), "document_id"))
        tables[part] = table
    # Questions, and threads of one question, share texts; the first row of each text is enough.
    first_rows: dict[str, int] = {}
    for row, text_id in enumerate(tables["analysed_texts"]["text_id"].to_pylist()):
        first_rows.setdefault(text_id, row)
    tables["analysed_texts"] = tables["analysed_texts"].take(pa.array(first_rows.values(), pa.int64()))
    tables["examples"] = tables["examples"].sort_by([(name, "ascending") for name in KEY])
    return QueryBatch(**tables)


def values_of(groups: Mapping[str, Fitted[QueryGroup]], batch: QueryBatch) -> dict[str, Reals]:
    """The values of a batch's examples.

    Args:
        groups: by name, as for ``compute_queries``.
        batch: a batch whose examples have a column ``fold``: from 0 for training examples, -1 for others.

    Returns:
        An array of shape (examples, columns) per group; NaN where a value is unknown.
    """
    fold = batch.examples.column("fold").to_numpy()
    values = {}
    for name, fitted in groups.items():
        if not fitted.on_rests:
            values[name] = _group_values(fitted.on_all, batch)
            continue
        values[name] = np.full((len(batch), len(fitted.on_all.columns)), np.nan)
        for number in np.unique(fold).tolist():
            in_fold = fold == number
            group = fitted.on_all if number == NO_FOLD else fitted.on_rests[number]
            values[name][in_fold] = _group_values(group, batch if in_fold.all() else batch.keep(in_fold))
    return values


def _group_values(group: QueryGroup, batch: QueryBatch) -> Reals:
    return declared_values(group, group.compute(batch), len(batch))


# Brings together the rows of each question: its examples, and the posts, comments, texts and votes of its threads.


def query_rows(by_name: Mapping[str, QueryGroup], inputs: FeatureInputs, folds: int) -> DataFrame:
    """All rows of all questions.

    Args:
        by_name: the groups, by name; tables that none of them reads are skipped.
        inputs: the tables; labels are not used.
        folds: number of folds used in fitting, or ``NO_FOLDS``.

    Returns:
        Columns ``site``, ``query_post_id``, the number of the part, and the row as the struct of its part. Rows of
        posts and comments include their text; the subject of a post is a separate row.
    """
    fold = F.lit(NO_FOLD)
    if folds:
        fold = F.when(F.col("split") == "train", fold_of(folds)).otherwise(NO_FOLD)
    examples = inputs.examples.drop("label", "relevant", "similarity").withColumns(
        {
            "fold": fold.cast("bigint"),
            "cut": F.expr(inputs.cut.sql),
            "account": person("site", "author_id"),
            "query_post_id": F.expr(QUERY_POST),
        }
    )
    groups = list(by_name.values())
    facts = {name: group.facts(inputs) for name, group in by_name.items()}
    known_facts = {name: of_group for name, of_group in facts.items() if of_group is not None}
    # The threads of each question: those of its candidates, and its own, which is needed for its posts only.
    both = F.array(
        F.struct("thread_id", F.lit(True).alias("of_candidates")),
        F.struct(F.col("query_post_id").alias("thread_id"), F.lit(False).alias("of_candidates")),
    )
    named = examples.select(*QUESTION, F.inline(both))
    threads = named.groupBy(*QUESTION, "thread_id").agg(F.max("of_candidates").alias("of_candidates"))
    needs = {table for group in groups for table in group.needs}

    parts = {"examples": with_facts(examples, known_facts, inputs)}
    if inputs.scores is not None:
        parts["scores"] = _scores(inputs.scores, threads)
    if any(group.reads_votes for group in groups):
        parts["votes"] = _votes(examples, inputs.needed("votes"))
    if "retrieved" in needs:
        parts["retrieved"] = _retrieved(examples, inputs.needed("retrieved"))
    if "post_links" in needs:
        parts["links"] = _links(examples, inputs.needed("post_links"))
    rows = _posts_and_comments(groups, inputs, threads)
    for part, of_part in parts.items():
        structs = of_part.select(*QUESTION, F.lit(PARTS.index(part)).alias("part"), _as_struct(part, of_part))
        rows = rows.unionByName(structs, allowMissingColumns=True)
    return rows


def _posts_and_comments(groups: Sequence[QueryGroup], inputs: FeatureInputs, threads: DataFrame) -> DataFrame:
    """The rows of the threads' posts and comments, each with its text; the subject of a post is a row of its own."""
    # A condition that is false, so that Spark skips the joins of tables that no group reads.
    reads_texts = F.lit(any(group.reads_texts for group in groups))
    reads_comments = F.lit(any(group.reads_comments for group in groups))
    documents = inputs.documents.select("site", "document_id", "text_id", "subject_text_id").where(reads_texts)
    posts_and_comments = (
        _posts(groups, inputs)
        .unionByName(_comments(groups, inputs).where(reads_comments), allowMissingColumns=True)
        .join(threads, on=["site", "thread_id"])
        .where("of_candidates OR comments IS NULL")
        .join(documents, on=["site", "document_id"], how="left")
    )
    # Number 0 is the text of the post or comment itself, in whose row it is; number 1 is the subject of a post.
    by_text = posts_and_comments.select("*", F.posexplode(F.array("text_id", "subject_text_id")).alias("number", "id"))
    is_itself = F.col("number") == 0
    part = F.when(F.col("comments").isNull(), PARTS.index("posts")).otherwise(PARTS.index("comments"))
    rows = by_text.where(is_itself | F.col("id").isNotNull()).select(
        *QUESTION,
        F.when(is_itself, part).otherwise(PARTS.index("analysed_texts")).alias("part"),
        *[F.when(is_itself, F.col(name)).alias(name) for name in ("posts", "comments")],
        F.when(is_itself, F.struct("document_id", "text_id", "subject_text_id")).alias("documents"),
        F.col("id").alias("text_id"),
    )
    # The texts, with one column per embedding model that a group uses.
    texts = inputs.texts
    for model in sorted({model for group in groups for model in group.embeddings}):
        of_model = inputs.needed("embeddings").where(F.col("model") == model)
        vectors = of_model.select("text_id", F.col("vector").alias(vector_column(model)))
        texts = texts.join(vectors, on="text_id", how="left")
    texts = texts.where(reads_texts).select("text_id", _as_struct("analysed_texts", texts))
    return rows.join(texts, on="text_id", how="left").drop("text_id")


def _posts(groups: Iterable[QueryGroup], inputs: FeatureInputs) -> DataFrame:
    author = person("site", "user_id", "user_name").alias("author")
    more = sorted({name for group in groups for name in group.post_columns})
    post = F.struct("post_id", "thread_id", author, "created_at", "category", *more).alias("posts")
    return inputs.posts.select("site", "thread_id", F.col("post_id").alias("document_id"), post)


def _comments(groups: Iterable[QueryGroup], inputs: FeatureInputs) -> DataFrame:
    author = person("site", "user_id", "user_name").alias("author")
    author_name = F.col("user_name").alias("author_name")
    more = sorted({name for group in groups for name in group.comment_columns})
    comment = F.struct("comment_id", "post_id", "position", author, author_name, "created_at", *more)
    posts = inputs.posts.select("site", "post_id", F.col("thread_id").alias("of_post"))
    comments = inputs.comments.join(posts, on=["post_id", "site"], how="left")
    thread = F.coalesce("thread_id", "of_post", "post_id").alias("thread_id")
    return comments.select("site", thread, comment_document().alias("document_id"), comment.alias("comments"))


def _scores(scores: DataFrame, threads: DataFrame) -> DataFrame:
    """Upstream scores of the steps from each question to its threads, and from the threads to their comments."""
    scores = scores.select("site", "task", F.col("query_id").alias("of_query"), "candidate_id", "score")
    to_comments = scores.join(threads.withColumnRenamed("thread_id", "of_query"), on=["site", "of_query"])
    queries = threads.select(*QUESTION, F.col("query_post_id").alias("of_query")).distinct()
    to_threads = scores.join(queries, on=["site", "of_query"])
    columns = (*QUESTION, "task", "of_query", "candidate_id", "score")
    return to_comments.select(*columns).union(to_threads.select(*columns)).distinct()


def _votes(examples: DataFrame, votes: DataFrame) -> DataFrame:
    """Up and down votes for the candidates, one row per day."""
    candidates = examples.select(*QUESTION, F.col("candidate_id").alias("post_id")).distinct()
    dated = votes.where(F.col("vote_type_id").isin(UP, DOWN)).select(
        "site", "post_id", "vote_type_id", end_of_day("created_at").alias("known_at")
    )
    of_candidates = dated.join(candidates, on=["post_id", "site"])
    by_day = of_candidates.groupBy(*QUESTION, "post_id", "vote_type_id", "known_at")
    return by_day.agg(F.count(F.lit(1)).alias("number"))


def _retrieved(examples: DataFrame, retrieved: DataFrame) -> DataFrame:
    """Retrieval scores of the candidates."""
    candidates = examples.select(*QUESTION, "candidate_id")
    of_questions = retrieved.drop("fused", "rank").withColumnRenamed("query_id", "query_post_id")
    return of_questions.join(candidates, on=[*QUESTION, "candidate_id"], how="left_semi")


def _links(examples: DataFrame, post_links: DataFrame) -> DataFrame:
    """Links to the candidates from other posts in the dump."""
    candidates = examples.select(*QUESTION, "candidate_id").distinct()
    links = post_links.select(
        "site",
        F.col("related_post_id").alias("candidate_id"),
        F.col("created_at").alias("linked_at"),
        (F.col("link_type_id") == DUPLICATE_LINK).alias("is_duplicate"),
    )
    return links.join(candidates, on=["site", "candidate_id"])


def _as_struct(part: str, rows: DataFrame) -> Column:
    return F.struct(*rows.columns).alias(part)
