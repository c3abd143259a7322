"""The rows of each author: the events of the account and its posts, and the moments at which examples are evaluated."""

from collections.abc import Iterator, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP
from cqa_spark.features.author_batch import ALWAYS, CONTRIBUTIONS, END, UNDATED, EventKind
from cqa_spark.features.feature_table import KEY
from cqa_spark.features.history.post_events import POST
from cqa_spark.features.inputs import FeatureInputs, known_pairs

AT_POSTS = frozenset({*CONTRIBUTIONS, EventKind.CHOSEN})
"""Kinds of events that are derived from posts, with their comments and votes."""

_VOTES = {UP: EventKind.UP, DOWN: EventKind.DOWN, ACCEPTED: EventKind.ACCEPTED}


def moments(inputs: FeatureInputs, ends: Sequence[bool]) -> DataFrame:
    """The examples as rows of their authors; those of deleted accounts are spread over artificial authors.

    Args:
        inputs: the tables; labels are not used.
        ends: when examples are evaluated: at the cut (True), at the end of the dump (False), or both.
    """
    pairs = known_pairs(inputs)
    author = F.coalesce(_number("author_id"), F.xxhash64("site", "candidate_id", "query_id"))
    at = {False: F.lit(END), True: F.coalesce(F.unix_micros("cut"), F.lit(END))}
    is_there = F.col("author_id").isNotNull()
    known = {False: is_there, True: is_there & F.col("cut").isNotNull()}
    evaluated = [
        F.struct(
            at[as_of].alias("time"),
            F.struct(*KEY, F.lit(as_of).alias("as_of"), known[as_of].alias("known")).alias("example"),
        )
        for as_of in ends
    ]
    return pairs.select(
        author.alias("author"),
        _number("thread_id").alias("thread"),
        _kind(EventKind.MOMENT),
        F.inline(F.array(*evaluated)),
    )


def account_events(inputs: FeatureInputs, reads: frozenset[EventKind]) -> Iterator[DataFrame]:
    """Registrations, reputations and badges, as rows of their authors.

    Args:
        inputs: the tables.
        reads: kinds of events to include.
    """
    counts = {EventKind.REGISTERED: F.unix_micros("created_at"), EventKind.REPUTATION: F.col("reputation")}
    for kind, count in counts.items():
        if kind in reads:
            yield inputs.needed("users").where(count.isNotNull()).select(
                _number("user_id").alias("author"), F.lit(ALWAYS).alias("time"), _kind(kind),
                count.cast("bigint").alias("count"),
            )  # fmt: skip
    if EventKind.BADGE in reads:
        badges = inputs.needed("badges").where(F.col("user_id").isNotNull())
        yield badges.select(
            _number("user_id").alias("author"),
            F.coalesce(F.unix_micros("earned_at"), F.lit(UNDATED)).alias("time"),
            _kind(EventKind.BADGE),
            F.lit(1).cast("bigint").alias("count"),
            F.col("name").alias("badge"),
        )


def post_rows(inputs: FeatureInputs, reads: frozenset[EventKind], *, tags: bool) -> DataFrame:
    """Posts with their comments and votes, as rows of the post; answers are also rows of their questions.

    Args:
        inputs: the tables.
        reads: kinds of events to derive from the rows.
        tags: whether to include the tags of questions.
    """
    rows = _post_rows(inputs, reads, ["site", "tags"] if tags else [])
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), rows)


def _post_rows(inputs: FeatureInputs, reads: frozenset[EventKind], of_question: Sequence[str]) -> Iterator[DataFrame]:
    posts = inputs.posts.where(F.col("post_type").isin("question", "answer"))
    is_question = F.col("post_type") == "question"
    yield posts.select(
        _number("post_id").alias("post"), F.lit(POST).cast("bigint").alias("kind"), _number("user_id").alias("user"),
        _number("thread_id").alias("thread"), F.unix_micros("created_at").alias("time"),
        is_question.alias("is_question"), _number("accepted_answer_id").alias("answer"),
        *[F.when(is_question, F.col(name)).alias(name) for name in of_question],
    )  # fmt: skip
    if reads & {EventKind.ANSWERED, EventKind.CHOSEN}:
        yield posts.where(~is_question).select(
            _number("thread_id").alias("post"), _kind(EventKind.ANSWERED), _number("user_id").alias("user"),
            _number("thread_id").alias("thread"), F.unix_micros("created_at").alias("time"),
            _number("post_id").alias("answer"),
        )  # fmt: skip
    if EventKind.COMMENTED in reads:
        yield inputs.comments.select(
            _number("post_id").alias("post"), _kind(EventKind.COMMENTED), _number("user_id").alias("user"),
            F.unix_micros("created_at").alias("time"),
        )  # fmt: skip
    wanted = [vote for vote, kind in _VOTES.items() if kind in reads]
    if wanted:
        kind = reduce(lambda found, vote: found.when(F.col("vote_type_id") == vote, _VOTES[vote]), wanted, F)
        yield inputs.needed("votes").where(F.col("vote_type_id").isin(wanted)).select(
            _number("post_id").alias("post"), kind.cast("bigint").alias("kind"),
            F.unix_micros("created_at").alias("time"),
        )  # fmt: skip


def _number(name: str) -> Column:
    """The 64-bit hash of an account or post of a site; null for a null id."""
    return F.when(F.col(name).isNotNull(), F.xxhash64("site", name))


def _kind(kind: EventKind) -> Column:
    return F.lit(int(kind)).cast("bigint").alias("kind")
