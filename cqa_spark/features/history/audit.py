"""Audits as-of features for look-ahead: changing all later events must not change their values.

The tables have some facts, such as texts and accounts, only in the state of the dump, which includes later changes.
Groups that read them declare this (``FeatureGroup.as_of_dump``). The audit reports which of their columns depend on
these facts, and the number of pairs concerned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.feature_table import KEY
from cqa_spark.features.featurize import fit_and_compute
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.history.dump_state import DumpState, with_other_state
from cqa_spark.features.history.later_events import go_on_otherwise
from cqa_spark.features.history.pairs import dated_pairs, known_pairs
from cqa_spark.features.inputs import FeatureInputs


@dataclass(frozen=True)
class Finding:
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


def audit_group(group: type[FeatureGroup], inputs: FeatureInputs, moment: datetime, *, folds: int) -> Finding:
    """Compute a group on the real events and on changed later events, and compare the values.

    The group is also fitted twice, because its fitted state must not depend on later events either.

    Args:
        group: the group.
        inputs: the tables; all examples existed at the moment, as ``known_at`` ensures.
        moment: the time after which all events are changed.
        folds: folds of the cross-fitting.
    """
    _, values = fit_and_compute(group, inputs, folds=folds)
    later = with_other_state(go_on_otherwise(inputs, moment), set(DumpState) - group.as_of_dump)
    rows, changed = _changes(group, values, fit_and_compute(group, later, folds=folds)[1])
    if not group.as_of_dump:
        return Finding(group.name, moment, rows, changed)
    _, others = fit_and_compute(group, with_other_state(inputs, group.as_of_dump), folds=folds)
    return Finding(group.name, moment, rows, changed, as_of_dump=_changes(group, values, others)[1])


def _changes(group: type[FeatureGroup], values: DataFrame, others: DataFrame) -> tuple[int, dict[str, int]]:
    key, names = list(KEY), [column.name for column in group.columns]
    one = values.select(*key, F.struct(*names).alias("one"))
    other = others.select(*key, F.struct(*names).alias("other"))
    both = one.join(other, on=key, how="full")
    same = {name: F.col(f"one.{name}").eqNullSafe(F.col(f"other.{name}")) for name in names}
    counts = both.agg(F.count(F.lit(1)), *[F.count_if(~equal).alias(name) for name, equal in same.items()]).first()
    assert counts is not None, "an aggregate has one row"
    return counts[0], {name: counts[name] for name in names if counts[name]}
