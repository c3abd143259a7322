"""Statistics of a preferred-answer data set: those of Table 1 of Xu et al. (2018), and properties of its answers."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.studies import DATA_CARD
from cqa_spark.tasks.preferred_answer.judged_answers import KEPT, PROPERTIES
from cqa_spark.text.post_words import post_words

LEFT_OUT = "left_out: "
TABLE_1 = ("questions", "answers", "comments", "words", "vocabulary")

_LEVEL = ("site", "split")


def data_card(examples: DataFrame, candidates: DataFrame, posts: DataFrame, comments: DataFrame) -> DataFrame:
    """Compute the statistics of a data set, per site and split and in total.

    Words are lower-case runs of letters, digits and underscores in questions (with titles) and answers, including code,
    without markup. The paper tokenised with Stanford CoreNLP, which also counts punctuation marks as words.

    Args:
        examples: the data set, as ``examples_of`` returns it.
        candidates: the candidates from which it was selected.
        posts: the table ``posts``.
        comments: the table ``comments``.

    Returns:
        The columns of ``DATA_CARD``; few rows.
    """
    answers = examples.select("site", "query_id", "candidate_id", "split").join(
        candidates.select("site", "candidate_id", "accepted", "initial_rank", *PROPERTIES), on=["site", "candidate_id"]
    )
    both = F.explode(F.array("query_id", "candidate_id")).alias("post_id")
    members = examples.select("site", "split", both).distinct()
    below = comments.select("site", "post_id").join(members, on=["site", "post_id"])
    words = members.join(posts.select("site", "post_id", post_words().alias("words")), on=["site", "post_id"])
    distinct = words.select(*_LEVEL, F.explode(F.array_distinct("words")).alias("word")).distinct()
    figures = [
        _measured(answers, questions=F.count_distinct("site", "query_id"), answers=F.count(F.lit(1)), **_shares()),
        _measured(below, comments=F.count(F.lit(1))),
        _measured(words, words=F.sum(F.size("words"))),
        _measured(distinct, vocabulary=F.count_distinct("word")),
        _left_out(candidates),
    ]
    return reduce(DataFrame.unionByName, figures).select(*[column.name for column in DATA_CARD.columns])


def _shares() -> dict[str, Column]:
    """Shares computed from integers, so that they do not depend on the order of rows."""
    accepted = F.col("accepted")
    shares = {f"share_{name}": F.count_if(F.col(name)) / F.count(F.lit(1)) for name in PROPERTIES}
    chosen = {f"accepted_share_{name}": F.count_if(accepted & F.col(name)) for name in ("self_answer", "ownerless")}
    chosen["accepted_share_first"] = F.count_if(accepted & (F.col("initial_rank") == 1))
    return shares | {name: count / F.count_if(accepted) for name, count in chosen.items()}


def _measured(rows: DataFrame, **measures: Column) -> DataFrame:
    """Compute the measures at every level, one row per measure."""
    level = [F.coalesce(name, F.lit(EVERY)).alias(name) for name in _LEVEL]
    found = rows.cube(*_LEVEL).agg(*[column.cast("double").alias(name) for name, column in measures.items()])
    long = found.select(*level, *measures).unpivot(list(_LEVEL), list(measures), "measure", "value")
    return long.where(F.col("value").isNotNull())


def _left_out(candidates: DataFrame) -> DataFrame:
    threads = candidates.where(F.col("outcome") != KEPT).select("site", "query_id", "outcome").distinct()
    by_site = threads.cube("site", "outcome").agg(F.count(F.lit(1)).cast("double").alias("value"))
    return by_site.where(F.col("outcome").isNotNull()).select(
        F.coalesce("site", F.lit(EVERY)).alias("site"), F.lit(EVERY).alias("split"),
        F.concat(F.lit(LEFT_OUT), F.col("outcome")).alias("measure"), "value",
    )  # fmt: skip
