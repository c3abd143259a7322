"""Badges: which badges the answerer has.

A group declares its columns before it sees data, so the columns are numbered slots. Slot 1 is the badge awarded most
often across all sites, because the sites of the network share badge names. Fitting assigns names to slots. The paper's
data had 86 names; there are slots for more.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.author_batch import AuthorBatch, EventKind, Longs
from cqa_spark.features.group import AuthorGroup, Entity, Marked, Values
from cqa_spark.features.inputs import SNAPSHOT_CAUTION, DumpState, dated_pairs
from cqa_spark.features.learned_group import JsonState, NumberedGroup, StateGroup, numbered_columns
from cqa_spark.features.training_data import Fitted, TrainingData

BADGE_SLOTS = 100
_XU = "Xu et al. 2018, Table 2, Badges"


class BadgeNames(JsonState):
    """The badges awarded most often.

    Attributes:
        names: in order, at most ``BADGE_SLOTS``.
    """

    file = "badges.json"

    names: list[str]

    def slots(self, names: pa.ChunkedArray) -> Longs:
        """The slots of badges, from 1; 0 for badges without a slot."""
        indices = pc.index_in(names, value_set=pa.array(self.names, pa.string()))
        slots: Longs = indices.fill_null(-1).to_numpy().astype(np.int64) + 1
        return slots


class _Badges(StateGroup[BadgeNames], NumberedGroup, AuthorGroup):
    """Base class of both variants.

    Args:
        state: the badge names in order of their slots.
    """

    family = "badges"
    state_type = BadgeNames
    marked = Marked.BADGES
    reads = frozenset({EventKind.BADGE})
    needs = ("badges",)

    def mark(self, rows: pa.Table) -> Longs:
        """The slots of badges."""
        return self.state.slots(rows.column("badge"))

    def names(self) -> Sequence[str]:
        """The badges' names."""
        return self.state.names

    def compute(self, batch: AuthorBatch) -> Values:
        """1 for the badges earned before the moment."""
        slots = batch.marks[self.name]
        rows = batch.rows(EventKind.BADGE)
        rows = rows[slots[rows] > 0]
        given = (slots[rows, None] == np.arange(1, BADGE_SLOTS + 1)).astype(np.int64)
        held = batch.totals(self.name, rows, given) > 0
        return self.by_column(held.T)


class BadgesSnapshotV1(_Badges):
    """Badges held at the time of the dump."""

    name = "badges_snapshot_v1"
    about = "badges of the answerer, at the time of the dump"
    entity = Entity.AUTHOR
    numbered = (("badge", "1 if the user has the badge {}"),)
    columns = numbered_columns(numbered, "number {}", BADGE_SLOTS, _XU)
    caution = SNAPSHOT_CAUTION

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Number the badge names by how often the badges were awarded."""
        sites = training.inputs.examples.select("site").distinct()
        return Fitted(cls(_given_most_often(training.inputs.needed("badges").join(F.broadcast(sites), on="site"))))


class BadgesAsOfV1(_Badges):
    """Badges held at the cut; numbered by the badges awarded up to the last cut of the training part."""

    name = "badges_asof_v1"
    about = "badges of the answerer, as known at the cut"
    entity = Entity.PAIR
    numbered = (("badge", "1 if the user had before the cut the badge {}"),)
    columns = numbered_columns(numbered, "number {}", BADGE_SLOTS, _XU)
    is_as_of = True
    as_of_dump = frozenset({DumpState.DELETED_ACCOUNTS})

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Number the badge names by how often the badges were awarded up to the last cut."""
        ends = F.broadcast(dated_pairs(training.inputs).groupBy("site").agg(F.max("cut").alias("end")))
        given = training.inputs.needed("badges").join(ends, on="site").where(F.col("earned_at") <= F.col("end"))
        return Fitted(cls(_given_most_often(given)))


def _given_most_often(badges: DataFrame) -> BadgeNames:
    """The names of the badges awarded most often; ties are broken by name."""
    awards = badges.where(F.col("name").isNotNull()).groupBy("name").agg(F.count(F.lit(1)).alias("awards"))
    first = awards.orderBy(F.col("awards").desc(), "name").limit(BADGE_SLOTS)
    return BadgeNames(names=[row["name"] for row in first.collect()])
