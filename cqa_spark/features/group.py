"""What a feature group is: a named, versioned set of documented columns about one entity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.features.author_batch import AuthorBatch, Kind
from cqa_spark.features.history.dump_state import DumpState
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.table import Table, column
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

Learned = TypeVar("Learned")


class Entity(Enum):
    """What a group's columns describe; the value is the key of the group's table, beside the site."""

    QUESTION = ("query_id",)
    CANDIDATE = ("candidate_id",)
    AUTHOR = ("author_id",)
    PAIR = ("query_id", "candidate_id")

    @property
    def key(self) -> tuple[str, ...]:
        """Columns of the examples that identify the entity."""
        return ("site", *self.value)


class Reach(Enum):
    """How far a group looks for an example's values, beside what it has learned; from near to far."""

    THREAD = 1
    """The posts and comments of the example's thread."""

    HISTORY = 2
    """And what was known at the cut of the votes for the candidate, and of what its author is, has, did and got."""

    AUTHOR = 3
    """And what is known of it by now."""

    SITE = 4
    """Anything: where something changed, all values are computed again."""


@dataclass(frozen=True)
class FeatureColumn:
    """One documented feature.

    Attributes:
        name: column name within the group, snake case.
        about: meaning and unit.
        source: where the idea comes from (paper and section), or "ours".
        missing: value that stands where the feature is not known.
        is_time: whether it is a moment, stored in seconds since 1970, that people want to read as a date.
    """

    name: str
    about: str
    source: str
    missing: float = 0.0
    is_time: bool = False


def feature_values(features: Mapping[FeatureColumn, str]) -> list[Column]:
    """The values of features that are declared with their SQL, as doubles under the features' names.

    Args:
        features: each feature with its SQL over the row that the values are selected from; that of a moment gives a
            timestamp.
    """
    numbers = {each: f"unix_micros({sql}) / 1e6" if each.is_time else sql for each, sql in features.items()}
    return [F.expr(sql).cast("double").alias(feature.name) for feature, sql in numbers.items()]


class FeatureGroup(ABC):
    """What every group declares.

    Attributes:
        name: with its version, such as ``overlap_v1``.
        family: name shared by the groups that an ablation leaves out together, such as similarity.
        about: one sentence for people.
        entity: what the columns describe.
        columns: the features.
        needs: tables it computes from that not every run has: users, votes, badges, scores.
        reads_texts: whether it looks at the tables ``documents`` and ``texts``.
        reach: what of the community its values follow from; a night's run computes again what lies within it.
        is_as_of: whether its values follow from what was known at the cut alone; ``cqa features audit`` proves it.
        as_of_dump: what an as-of group nevertheless reads as the dump has it.
        caution: what a reader of figures got with the group has to know; empty for nothing.
    """

    name: ClassVar[str]
    family: ClassVar[str]
    about: ClassVar[str]
    entity: ClassVar[Entity]
    columns: ClassVar[tuple[FeatureColumn, ...]]
    needs: ClassVar[tuple[str, ...]] = ()
    reads_texts: ClassVar[bool] = True
    reach: ClassVar[Reach] = Reach.SITE
    is_as_of: ClassVar[bool] = False
    as_of_dump: ClassVar[frozenset[DumpState]] = frozenset()
    caution: ClassVar[str] = ""


class LearningGroup(FeatureGroup):
    """A group that learns something, which is saved with the systems that use the group."""

    @abstractmethod
    def save(self, folder: NewModelFolder) -> None:
        """Write what was learned, in formats that hold data only."""

    @classmethod
    @abstractmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read what ``save`` wrote; groups that learn tables need an active Spark session.

        Raises:
            ContractError: it cannot be used.
        """


class Place(Enum):
    """Where rows meet for the groups of a pass; the value names it in the table of their values."""

    QUERY = "query"
    AUTHOR = "author"


class ExampleGroup(FeatureGroup):
    """A group with a value for each example; all groups of a place are computed in one pass and stored in one table.

    Attributes:
        place: where its rows meet.
    """

    place: ClassVar[Place]


class QueryGroup(ExampleGroup):
    """A group that computes from whole queries in memory; all such groups are computed in one pass over the queries.

    Attributes:
        reads_comments: whether it looks at comments.
        reads_votes: whether it looks at votes for the candidates.
        post_columns: what it reads of posts beside what every batch has.
        comment_columns: what it reads of comments beside what every batch has.
    """

    place: ClassVar[Place] = Place.QUERY
    reads_comments: ClassVar[bool] = True
    reads_votes: ClassVar[bool] = False
    post_columns: ClassVar[tuple[str, ...]] = ()
    comment_columns: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """The values of every column, an item per example of the batch; NaN where a value is not known.

        An example's values follow from its own query: from its candidates, their threads and texts.
        """


class FittedQueryGroup(QueryGroup, LearningGroup):
    """A group that first learns something from training data.

    Attributes:
        learns_from_labels: whether what is learned contains labels: then ``fit`` also fits the group on the rest of
            each fold, and no training example gets a value that labels of its own thread had a part in.
    """

    learns_from_labels: ClassVar[bool]

    @classmethod
    @abstractmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Learn from the training data."""


class Marked(Enum):
    """What an author group may note something about before events are brought to their authors."""

    TAGS = ("site", "tags")
    """Questions, by their site and tags; it is noted of their answers too."""

    BADGES = ("badge",)
    """Badges, by their name."""


class AuthorGroup(ExampleGroup):
    """A group that computes from what authors did and got; all such groups are computed in one pass over the authors.

    Attributes:
        reads: the kinds of events that it looks at, beside the moments.
        marked: what it notes something about; None for nothing.
    """

    place: ClassVar[Place] = Place.AUTHOR
    reads: ClassVar[frozenset[Kind]]
    marked: ClassVar[Marked | None] = None
    reads_texts: ClassVar[bool] = False

    @abstractmethod
    def compute(self, batch: AuthorBatch) -> Mapping[str, ArrayLike]:
        """The values of every column, an item per moment of the batch.

        A moment's values follow from its author's earlier rows alone. Sums over them are taken by ``batch.totals``, or
        what uses it, because an author's rows may lie in several batches; every group sees every batch.
        """

    def mark(self, rows: pa.Table) -> NDArray[np.int64]:
        """What to note about each row: a number that stands beside its events in ``AuthorBatch.marks``.

        Args:
            rows: with the columns that ``marked`` names; null where another kind of row has nothing to mark.
        """
        raise NotImplementedError(f"{self.name} marks nothing")


class FittedAuthorGroup(AuthorGroup, LearningGroup):
    """An author group that first learns something from training data, but no labels."""

    @classmethod
    @abstractmethod
    def fit(cls, training: TrainingData) -> Self:
        """Learn from the training data."""


class TableGroup(FeatureGroup):
    """A group that computes from tables, by a plain function of them."""

    @classmethod
    def table(cls) -> Table:
        """The declared table that holds the group's values: the entity's key, then one double per feature."""
        keys = [SITE, *[column(name, "string", "entity's id", nullable=False) for name in cls.entity.value]]
        values = [
            T.StructField(c.name, T.DoubleType(), True, {"comment": f"{c.about} ({c.source})"}) for c in cls.columns
        ]
        return Table(f"features_{cls.name}", cls.about, (*keys, *values), key=cls.entity.key)

    @classmethod
    def entities(cls, examples: DataFrame) -> DataFrame:
        """The distinct entities that the examples speak of; unknown authors are left out."""
        keys = examples.select(*cls.entity.key).distinct()
        return keys.where(F.col(cls.entity.value[0]).isNotNull())

    @abstractmethod
    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """One row per entity of ``inputs.examples``: its key and every column, as doubles.

        An entity that is left out, or a null, stands for "not known". The examples come without labels.
        """


class FittedTableGroup(TableGroup, LearningGroup):
    """A group that first learns something from training examples, then acts like a plain group.

    ``learns_from_labels`` says that what is learned contains the labels: such a group is cross-fitted, and no
    training example ever sees a value that its own thread's labels had a part in. That needs a value of its own for
    every example, so such a group describes a pair or a candidate.
    """

    learns_from_labels: ClassVar[bool]

    def __init_subclass__(cls) -> None:
        """Refuse a group that would give examples of several folds one common value.

        Raises:
            ContractError: the group learns from labels and describes an author or a question.
        """
        super().__init_subclass__()
        entity = getattr(cls, "entity", None)
        if getattr(cls, "learns_from_labels", False) and entity not in (None, Entity.PAIR, Entity.CANDIDATE):
            raise ContractError(
                f"feature group {cls.name} learns from labels but describes the {entity.name.lower()}: training "
                "examples of different folds would share one value and so see their own labels",
                "declare entity = Entity.PAIR or Entity.CANDIDATE",
            )

    def require_fitted(self, learned: Learned | None) -> Learned:
        """What the group has learned.

        Args:
            learned: None before the group is fitted.

        Raises:
            ContractError: the group is not fitted.
        """
        if learned is None:
            raise ContractError(f"feature group {self.name} is not fitted", "call fit or load first")
        return learned

    @abstractmethod
    def fit(self, inputs: FeatureInputs) -> Self:
        """Learn from ``inputs.examples`` (the training part) and return the group with what it learned."""


def learns_from_labels(group: type[FeatureGroup]) -> bool:
    """Whether what a group learns contains labels."""
    return issubclass(group, FittedQueryGroup | FittedTableGroup) and group.learns_from_labels
