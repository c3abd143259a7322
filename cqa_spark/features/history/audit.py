"""Audits as-of features for look-ahead: changing all later events must not change their values.

The tables have some facts, such as texts and accounts, only in the state of the dump, which includes later changes.
Groups that read them declare this (``FeatureGroup.as_of_dump``). The audit reports which of their columns depend on
these facts, and the number of pairs concerned.
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.feature_table import KEY, by_place
from cqa_spark.features.featurize import compute_place, fit_groups
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.history.dump_state import DumpState, with_other_state
from cqa_spark.features.history.later_events import go_on_otherwise
from cqa_spark.features.inputs import FeatureInputs, dated_pairs, known_pairs
from cqa_spark.spark.persistence import persisted


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
    shares = [(place + 1) / (count + 1) for place in range(count)]
    places = [
        F.expr(f"percentile_disc({share}) WITHIN GROUP (ORDER BY unix_micros(cut))").alias(f"moment_{place}")
        for place, share in enumerate(shares)
    ]
    row = known_pairs(inputs).agg(*[F.timestamp_micros(place.cast("bigint")) for place in places]).first()
    assert row is not None, "an aggregate has one row"
    return sorted({moment.astimezone() for moment in row if moment is not None})


def known_at(inputs: FeatureInputs, moment: datetime) -> FeatureInputs:
    """The tables, restricted to examples that existed at a moment and whose cut had passed."""
    pairs = known_pairs(inputs)
    there = pairs.where(F.greatest("cut", "asked_at", "answered_at") <= F.lit(moment))
    keys = there.select("site", "query_id", "candidate_id")
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
    for of_pass in by_place(groups).values():
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
    return compute_place(fit_groups(groups, inputs, folds=folds), inputs, folds)


def _changes(
    groups: Sequence[type[FeatureGroup]], values: DataFrame, others: DataFrame
) -> tuple[int, dict[str, dict[str, int]]]:
    """The number of rows, and by group the number of rows whose value changed, of the columns that have any."""
    key, names = list(KEY), [group.name for group in groups]
    one = values.select(*key, F.struct(*names).alias("one"))
    other = others.select(*key, F.struct(*names).alias("other"))
    both = one.join(other, on=key, how="full")
    columns = [(group.name, column.name) for group in groups for column in group.columns]
    same = [F.col(f"one.{name}.{column}").eqNullSafe(F.col(f"other.{name}.{column}")) for name, column in columns]
    counts = both.agg(F.count(F.lit(1)), *map(F.count_if, map(operator.inv, same))).first()
    assert counts is not None, "an aggregate has one row"
    changed: dict[str, dict[str, int]] = {name: {} for name in names}
    for (name, column), rows in zip(columns, counts[1:], strict=True):
        if rows:
            changed[name][column] = rows
    return counts[0], changed
