"""Audits as-of features for look-ahead: changing all later events must not change their values.

The tables have some facts, such as texts and accounts, only in the state of the dump, which includes later changes.
Groups that read them declare this (``FeatureGroup.as_of_dump``). The audit reports which of their columns depend on
these facts, and the number of pairs concerned.
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import ACCEPTED, DOWN, UP, end_of_day
from cqa_spark.features.feature_table import KEY, by_pass
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.inputs import DumpState, FeatureInputs, dated_pairs, known_pairs, with_other_state
from cqa_spark.features.query_pass import compute_pass, fit_groups
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.table import Table
from cqa_spark.spark.frames import persisted

# Generates a counterfactual continuation of a community, for the audit of as-of features.

_AT_DUMP = {
    "posts": ("score", "view_count", "answer_count", "comment_count", "favorite_count"),
    "users": ("reputation", "views", "up_votes", "down_votes"),
}
"""Columns with values as of the time of the dump."""

_INVENTED = "later"


def go_on_otherwise(inputs: FeatureInputs, moment: datetime) -> FeatureInputs:
    """Change everything that was not known at a moment.

    All later events are removed. Instead, every author of an example asks a question, answers the thread's question and
    another one, comments, gets comments from the asker, earns every badge, and gets votes and acceptances, an hour or a
    day later. Values as of the time of the dump are changed in all rows, including accepted answers.

    Args:
        inputs: the tables; all examples existed at the moment.
        moment: the moment, with a time zone.
    """
    now = F.lit(moment)
    soon = now + F.expr("INTERVAL 1 HOUR")
    pairs = inputs.examples.select("site", "query_id", "candidate_id", "author_id").distinct()
    return replace(
        inputs,
        posts=_posts(inputs.posts, pairs, now, soon),
        comments=_comments(inputs, pairs, now, soon),
        users=inputs.users and _with_other_figures(inputs.users, "users"),
        votes=inputs.votes and _votes(inputs.votes, pairs, now),
        badges=inputs.badges and _badges(inputs.badges, pairs, now, soon),
    )


def _posts(posts: DataFrame, pairs: DataFrame, now: Column, soon: Column) -> DataFrame:
    before = _with_other_figures(posts.where(_not_after("created_at", now)), "posts")
    # The accepted answer is now one that does not exist.
    otherwise = before.withColumns({"accepted_answer_id": F.lit(_INVENTED), "active_at": soon, "edited_at": soon})
    threads = {"answer": F.col("query_id"), "question": F.col("post_id")}
    invented = [
        _rows(POSTS, pairs.where(F.col("author_id").isNotNull()).withColumn("post_id", _id(kind, "candidate_id")), {
            "post_id": F.col("post_id"), "post_type": F.lit(kind), "thread_id": thread, "user_id": F.col("author_id"),
            "created_at": soon, "active_at": soon, "split": F.lit("unannotated"), "source_file": F.lit(_INVENTED),
        })
        for kind, thread in threads.items()
    ]  # fmt: skip
    return otherwise.unionByName(invented[0]).unionByName(invented[1])


def _comments(inputs: FeatureInputs, pairs: DataFrame, now: Column, soon: Column) -> DataFrame:
    before = inputs.comments.where(_not_after("created_at", now))
    askers = inputs.posts.select("site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"))
    speaking = pairs.join(askers, on=["query_id", "site"]).select(
        "*", F.explode(F.array("query_id", "candidate_id")).alias("post_id")
    )
    by_both = speaking.select("*", F.explode(F.array("asker_id", "author_id")).alias("user_id"))
    invented = _rows(COMMENTS, by_both, {
        "comment_id": _id("comment", "candidate_id", "post_id", "user_id"), "post_id": F.col("post_id"),
        "user_id": F.col("user_id"), "created_at": soon, "body": F.lit("Horrible. Bad. Awful."),
        "split": F.lit("unannotated"), "source_file": F.lit(_INVENTED),
    })  # fmt: skip
    return before.unionByName(invented)


def _votes(votes: DataFrame, pairs: DataFrame, now: Column) -> DataFrame:
    """Votes of the moment's own day are known only at the end of the day."""
    before = votes.where(F.coalesce(end_of_day("created_at") <= now, F.lit(True)))
    kinds = F.explode(F.array(*map(F.lit, (ACCEPTED, UP, UP, DOWN)))).alias("vote_type_id")
    voted = pairs.select("site", F.explode(F.array("query_id", "candidate_id")).alias("post_id")).distinct()
    # This also holds if the moment is the midnight at which the day starts.
    invented = _rows(VOTES, voted.select("*", kinds), {
        "vote_id": F.concat_ws("-", F.lit(_INVENTED), "post_id", "vote_type_id"), "post_id": F.col("post_id"),
        "vote_type_id": F.col("vote_type_id"), "created_at": F.date_trunc("day", now),
        "source_file": F.lit(_INVENTED),
    })  # fmt: skip
    return before.unionByName(invented)


def _badges(badges: DataFrame, pairs: DataFrame, now: Column, soon: Column) -> DataFrame:
    before = badges.where(_not_after("earned_at", now))
    names = badges.select("name").distinct()
    authors = pairs.where(F.col("author_id").isNotNull()).select("site", "author_id").distinct()
    invented = _rows(BADGES, authors.crossJoin(F.broadcast(names)), {
        "badge_id": _id("badge", "author_id", "name"), "user_id": F.col("author_id"), "name": F.col("name"),
        "earned_at": soon, "source_file": F.lit(_INVENTED),
    })  # fmt: skip
    return before.unionByName(invented)


def _with_other_figures(frame: DataFrame, table: str) -> DataFrame:
    return frame.withColumns({name: F.coalesce(F.col(name), F.lit(0)) + 1000 for name in _AT_DUMP[table]})


def _not_after(name: str, moment: Column) -> Column:
    """Keep events without a time, because values must not depend on them either."""
    return F.coalesce(F.col(name) <= moment, F.lit(True))


def _id(kind: str, *names: str) -> Column:
    return F.concat_ws("-", F.lit(_INVENTED), F.lit(kind), *names)


def _rows(table: Table, frame: DataFrame, values: dict[str, Column]) -> DataFrame:
    return table.complete(frame.select("site", *[value.alias(name) for name, value in values.items()]))


@dataclass(frozen=True)
class AuditedGroup:
    """Effect of changed later events on a group's values.

    Attributes:
        group: the group's name.
        moment: the time after which all events were changed.
        rows: number of rows compared.
        changed: number of rows whose value changed, by column; columns without changes are omitted.
        as_of_dump: the same counts for changes of the facts that the group declares to read as of the dump.
    """

    group: str
    moment: datetime
    rows: int
    changed: Mapping[str, int]
    as_of_dump: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Exposure:
    """Numbers of pairs that reveal something about the time after their cut, independent of the groups.

    Attributes:
        pairs: pairs with a cut.
        late: pairs whose answer was posted after the cut, so that the candidate itself was unknown.
        edited: pairs whose question or answer was edited after the cut.
        deleted: pairs whose asker or author has no account at the time of the dump.
    """

    pairs: int
    late: int
    edited: int
    deleted: int


def exposure(inputs: FeatureInputs) -> Exposure:
    """Count the pairs that reveal something about the time after their cut."""
    edits = inputs.posts.select("site", "post_id", "edited_at")
    pairs = dated_pairs(inputs)
    for post, name in (("query_id", "question_edited"), ("candidate_id", "answer_edited")):
        of_post = edits.withColumnsRenamed({"post_id": post, "edited_at": name})
        pairs = pairs.join(of_post, on=[post, "site"], how="left")
    row = pairs.agg(
        F.count(F.lit(1)),
        F.count_if(F.col("answered_at") > F.col("cut")),
        F.count_if(F.greatest("question_edited", "answer_edited") > F.col("cut")),
        F.count_if(F.col("asker_id").isNull() | F.col("author_id").isNull()),
    ).first()
    assert row is not None, "an aggregate has one row"
    return Exposure(*row)


def audit_moments(inputs: FeatureInputs, count: int) -> list[datetime]:
    """Quantiles of the cuts of the examples; each is the cut of an example.

    Args:
        inputs: the tables.
        count: number of moments.
    """
    quantiles = []
    for number in range(1, count + 1):
        quantile = F.expr(f"percentile_disc({number / (count + 1)}) WITHIN GROUP (ORDER BY unix_micros(cut))")
        quantiles.append(F.timestamp_micros(quantile.cast("bigint")).alias(f"moment_{number}"))
    row = known_pairs(inputs).agg(*quantiles).first()
    assert row is not None, "an aggregate has one row"
    return sorted({moment.astimezone() for moment in row if moment is not None})


def known_at(inputs: FeatureInputs, moment: datetime) -> FeatureInputs:
    """The tables, restricted to examples that existed at a moment and whose cut had passed."""
    pairs = known_pairs(inputs)
    existing = pairs.where(F.greatest("cut", "asked_at", "answered_at") <= F.lit(moment))
    keys = existing.select("site", "query_id", "candidate_id")
    return replace(inputs, examples=inputs.examples.join(keys, on=keys.columns, how="left_semi"))


def audit_groups(
    groups: Sequence[type[FeatureGroup]], inputs: FeatureInputs, moment: datetime, *, folds: int
) -> list[AuditedGroup]:
    """Compute groups on the real events and on changed later events, and compare the values.

    The groups are also fitted twice, because their fitted state must not depend on later events either. Groups of one
    pass that declare the same facts as of the dump are computed together.

    Args:
        groups: the groups.
        inputs: the tables; all examples existed at the moment, as ``known_at`` ensures.
        moment: the time after which all events are changed.
        folds: folds of the cross-fitting.

    Returns:
        A finding for each group.
    """
    later = go_on_otherwise(inputs, moment)
    findings: list[AuditedGroup] = []
    for of_pass in by_pass(groups).values():
        with persisted(_values(of_pass, inputs, folds)) as (values,):
            for facts in {group.as_of_dump for group in of_pass}:
                alike = [group for group in of_pass if group.as_of_dump == facts]
                others = with_other_state(later, set(DumpState) - facts)
                rows, changed = _changes(alike, values, _values(alike, others, folds))
                declared: Mapping[str, Mapping[str, int]] = {}
                if facts:
                    _, declared = _changes(alike, values, _values(alike, with_other_state(inputs, facts), folds))
                findings += [
                    AuditedGroup(group.name, moment, rows, changed[group.name], declared.get(group.name, {}))
                    for group in alike
                ]
    return findings


def _values(groups: Sequence[type[FeatureGroup]], inputs: FeatureInputs, folds: int) -> DataFrame:
    return compute_pass(fit_groups(groups, inputs, folds=folds), inputs, folds)


def _changes(
    groups: Sequence[type[FeatureGroup]], values: DataFrame, others: DataFrame
) -> tuple[int, dict[str, dict[str, int]]]:
    """The number of rows, and by group the number of rows whose value changed, of the columns that have any."""
    key, names = list(KEY), [group.name for group in groups]
    before = values.select(*key, F.struct(*names).alias("before"))
    after = others.select(*key, F.struct(*names).alias("after"))
    both = before.join(after, on=key, how="full")
    columns = [(group.name, column.name) for group in groups for column in group.columns]
    same = [F.col(f"before.{name}.{column}").eqNullSafe(F.col(f"after.{name}.{column}")) for name, column in columns]
    counts = both.agg(F.count(F.lit(1)), *map(F.count_if, map(operator.inv, same))).first()
    assert counts is not None, "an aggregate has one row"
    changed: dict[str, dict[str, int]] = {name: {} for name in names}
    for (name, column), rows in zip(columns, counts[1:], strict=True):
        if rows:
            changed[name][column] = rows
    return counts[0], changed
