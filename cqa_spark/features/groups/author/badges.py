"""Badges: which badges the answerer has.

A group declares its columns before it sees data, so the columns are numbered slots. Slot 1 is the badge awarded most
often across all sites, because the sites of the network share badge names. Fitting assigns names to slots. The paper's
data had 86 names; there are slots for more.
"""

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.author_batch import AuthorBatch, EventKind, Longs
from cqa_spark.features.group import Entity, FeatureColumn, FittedAuthorGroup, Marked, Values
from cqa_spark.features.history.dump_state import SNAPSHOT_CAUTION, DumpState
from cqa_spark.features.inputs import dated_pairs
from cqa_spark.features.state_group import NumberedGroup
from cqa_spark.features.training_data import TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

BADGE_SLOTS = 100
_XU = "Xu et al. 2018, Table 2, Badges"
_NAMES = "badges.json"


def _about(held: str, badge: str) -> str:
    return f"1 if the user {held} the badge {badge}"


def _features(held: str) -> tuple[FeatureColumn, ...]:
    return tuple(
        FeatureColumn(f"badge_{slot:03}", _about(held, f"number {slot}"), _XU) for slot in range(1, BADGE_SLOTS + 1)
    )


class BadgeNames(BaseModel):
    """The badges awarded most often.

    Attributes:
        names: in order, at most ``BADGE_SLOTS``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: list[str]

    def slots(self, names: pa.ChunkedArray) -> Longs:
        """The slots of badges, from 1; 0 for badges without a slot."""
        places = pc.index_in(names, value_set=pa.array(self.names, pa.string()))
        slots: Longs = places.fill_null(-1).to_numpy().astype(np.int64) + 1
        return slots


class _Badges(FittedAuthorGroup, NumberedGroup):
    """Base class of both variants.

    Args:
        badges: the badge names in order of their slots.

    Attributes:
        held: "has" in the tense of the variant.
    """

    held: ClassVar[str]

    marked = Marked.BADGES
    reads = frozenset({EventKind.BADGE})
    needs = ("badges",)

    def __init__(self, badges: BadgeNames) -> None:
        self.badges = badges

    def mark(self, rows: pa.Table) -> Longs:
        """The slots of badges."""
        return self.badges.slots(rows.column("badge"))

    def meanings(self) -> Mapping[str, str]:
        """The named badges."""
        return {f"badge_{slot:03}": _about(self.held, name) for slot, name in enumerate(self.badges.names, start=1)}

    def save(self, folder: NewModelFolder) -> None:
        """Write the badges' names."""
        folder.write_json(_NAMES, self.badges)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the badges' names."""
        return cls(folder.read_json(_NAMES, BadgeNames))

    def compute(self, batch: AuthorBatch) -> Values:
        """1 for the badges earned before the moment."""
        slots = batch.marks[self.name]
        rows = batch.rows(EventKind.BADGE)
        rows = rows[slots[rows] > 0]
        given = (slots[rows, None] == np.arange(1, BADGE_SLOTS + 1)).astype(np.int64)
        held = batch.totals(self.name, rows, given) > 0
        return {feature.name: column for feature, column in zip(self.columns, held.T, strict=True)}


class BadgesSnapshotV1(_Badges):
    """Badges held at the time of the dump."""

    name = "badges_snapshot_v1"
    family = "badges"
    about = "badges of the answerer, at the time of the dump"
    entity = Entity.AUTHOR
    held = "has"
    columns = _features(held)
    caution = SNAPSHOT_CAUTION

    @classmethod
    def fit(cls, training: TrainingData) -> Self:
        """Number the badge names by how often the badges were awarded."""
        sites = training.inputs.examples.select("site").distinct()
        return cls(_given_most_often(training.inputs.needed("badges").join(F.broadcast(sites), on="site")))


class BadgesAsOfV1(_Badges):
    """Badges held at the cut; numbered by the badges awarded up to the last cut of the training part."""

    name = "badges_asof_v1"
    family = "badges"
    about = "badges of the answerer, as known at the cut"
    entity = Entity.PAIR
    held = "had before the cut"
    columns = _features(held)
    is_as_of = True
    as_of_dump = frozenset({DumpState.DELETED_ACCOUNTS})

    @classmethod
    def fit(cls, training: TrainingData) -> Self:
        """Number the badge names by how often the badges were awarded up to the last cut."""
        ends = F.broadcast(dated_pairs(training.inputs).groupBy("site").agg(F.max("cut").alias("end")))
        given = training.inputs.needed("badges").join(ends, on="site").where(F.col("earned_at") <= F.col("end"))
        return cls(_given_most_often(given))


def _given_most_often(badges: DataFrame) -> BadgeNames:
    """The names of the badges awarded most often; ties are broken by name."""
    awards = badges.where(F.col("name").isNotNull()).groupBy("name").agg(F.count(F.lit(1)).alias("awards"))
    first = awards.orderBy(F.col("awards").desc(), "name").limit(BADGE_SLOTS)
    return BadgeNames(names=[row["name"] for row in first.collect()])
