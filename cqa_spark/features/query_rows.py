"""Brings together the rows of each question: its examples, and the posts, comments, texts and votes of its threads."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import DOWN, UP, end_of_day
from cqa_spark.features.aliases import person
from cqa_spark.features.author_facts import with_facts
from cqa_spark.features.batch_texts import vector_column
from cqa_spark.features.folds import NO_FOLD, fold_of
from cqa_spark.features.group import QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK
from cqa_spark.lake.schemas.examples import QUERY_POST
from cqa_spark.lake.schemas.text import comment_document

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
