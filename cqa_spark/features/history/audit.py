"""The proof that a feature knows nothing of the future: another future gives the same values.

What tables say as of the dump alone, texts and accounts, is part of that future. Groups that read it declare so
(``FeatureGroup.as_of_dump``); the audit shows which of their columns follow from it, and how many pairs are concerned.
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
    """What became of a group's values when the future was changed.

    Attributes:
        group: the group's name.
        moment: after which all was changed.
        rows: rows of values that were compared.
        changed: by column, the number of rows whose value changed; columns without any are left out.
        as_of_dump: the same for what the group declares to read as of the dump.
    """

    group: str
    moment: datetime
    rows: int
    changed: Mapping[str, int]
    as_of_dump: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Exposure:
    """How many pairs of a data set know something of the time after their cut, whatever the groups.

    Attributes:
        pairs: pairs with a cut.
        late: those whose answer was posted after the cut: that there is such a candidate was not known.
        edited: those whose question or answer was edited after the cut.
        deleted: those whose asker or author has no account at the time of the dump.
    """

    pairs: int
    late: int
    edited: int
    deleted: int


def exposure(inputs: FeatureInputs) -> Exposure:
    """Count the pairs that know something of the time after their cut."""
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
    """Moments spread over the cuts of the examples, each the cut of one of them.

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
    """The tables with the examples that were there at a moment and whose cut had come."""
    pairs = known_pairs(inputs)
    there = pairs.where(F.greatest("cut", "asked_at", "answered_at") <= F.lit(moment))
    keys = there.select("site", "query_id", "candidate_id")
    return replace(inputs, examples=inputs.examples.join(keys, on=keys.columns, how="left_semi"))


def audit_group(group: type[FeatureGroup], inputs: FeatureInputs, moment: datetime, *, folds: int) -> Finding:
    """Compute a group twice, as things were and as they might have gone on, and compare.

    What a group learns is learned twice too: it must not know the future either.

    Args:
        group: the group.
        inputs: the tables, all of whose examples were there at the moment, as ``known_at`` gives them.
        moment: after which all is changed.
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
