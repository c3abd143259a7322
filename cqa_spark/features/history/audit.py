"""The proof that a feature knows nothing of the future: another future gives the same values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.feature_table import KEY
from cqa_spark.features.featurize import fit_and_compute
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.history.later_events import go_on_otherwise
from cqa_spark.features.history.pairs import known_pairs
from cqa_spark.features.inputs import FeatureInputs


@dataclass(frozen=True)
class Finding:
    """What became of a group's values when the future was changed.

    Attributes:
        group: the group's name.
        moment: after which all was changed.
        rows: rows of values that were compared.
        changed: by column, the number of rows whose value changed; columns without any are left out.
    """

    group: str
    moment: datetime
    rows: int
    changed: Mapping[str, int]


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
    _, others = fit_and_compute(group, go_on_otherwise(inputs, moment), folds=folds)
    return _compare(group, values, others, moment)


def _compare(group: type[FeatureGroup], values: DataFrame, others: DataFrame, moment: datetime) -> Finding:
    key, names = list(KEY), [column.name for column in group.columns]
    one = values.select(*key, F.struct(*names).alias("one"))
    other = others.select(*key, F.struct(*names).alias("other"))
    both = one.join(other, on=key, how="full")
    same = {name: F.col(f"one.{name}").eqNullSafe(F.col(f"other.{name}")) for name in names}
    counts = both.agg(F.count(F.lit(1)), *[F.count_if(~equal).alias(name) for name, equal in same.items()]).first()
    assert counts is not None, "an aggregate has one row"
    return Finding(group.name, moment, counts[0], {name: counts[name] for name in names if counts[name]})
