"""What a feature group is: a named, versioned set of documented columns with a value for each example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from cqa_spark.errors import ContractError
from cqa_spark.features.author_batch import AuthorBatch, Kind
from cqa_spark.features.author_facts import AuthorFacts
from cqa_spark.features.history.dump_state import DumpState
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder


class Entity(Enum):
    """What a group's columns describe."""

    QUESTION = "question"
    CANDIDATE = "candidate"
    AUTHOR = "author"
    PAIR = "pair"


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
        missing: value of the feature where it is unknown.
        is_time: whether it is a moment, stored in seconds since 1970, that people want to read as a date.
    """

    name: str
    about: str
    source: str
    missing: float = 0.0
    is_time: bool = False


class Place(Enum):
    """Where rows meet for the groups of a pass; the value names it in the table of their values."""

    QUERY = "query"
    AUTHOR = "author"


class FeatureGroup(ABC):
    """What every group declares; all groups of a place are computed in one pass and stored in one table.

    Attributes:
        place: where its rows meet.
        name: with its version, such as ``overlap_v1``.
        family: name shared by the groups that an ablation leaves out together, such as similarity.
        about: one sentence for people.
        entity: what the columns describe.
        columns: the features.
        needs: tables it computes from that not every run has, as ``FeatureInputs`` names them.
        reads_texts: whether it looks at the tables ``documents`` and ``texts``.
        embeddings: names of the embedding models whose vectors it looks at.
        reach: what of the community its values follow from; a night's run computes again what lies within it.
        is_as_of: whether its values follow from what was known at the cut alone; ``cqa features audit`` proves it.
        as_of_dump: what an as-of group nevertheless reads as the dump has it.
        extra: the extra of the project that installs ``libraries``; empty if the group needs none.
        libraries: modules that computing the group imports.
        caution: what a reader of figures got with the group has to know; empty for nothing.
    """

    place: ClassVar[Place]
    name: ClassVar[str]
    family: ClassVar[str]
    about: ClassVar[str]
    entity: ClassVar[Entity]
    columns: ClassVar[tuple[FeatureColumn, ...]]
    needs: ClassVar[tuple[str, ...]] = ()
    reads_texts: ClassVar[bool] = True
    embeddings: ClassVar[tuple[str, ...]] = ()
    reach: ClassVar[Reach] = Reach.SITE
    is_as_of: ClassVar[bool] = False
    as_of_dump: ClassVar[frozenset[DumpState]] = frozenset()
    extra: ClassVar[str] = ""
    libraries: ClassVar[tuple[str, ...]] = ()
    caution: ClassVar[str] = ""


class LearningGroup(FeatureGroup):
    """A group that learns something, which is saved with the systems that use the group."""

    @abstractmethod
    def save(self, folder: NewModelFolder) -> None:
        """Write what was learned, in formats that hold data only."""

    @classmethod
    @abstractmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read what ``save`` wrote; groups that learn facts of authors need an active Spark session.

        Raises:
            ContractError: it cannot be used.
        """


class QueryGroup(FeatureGroup):
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

    def facts(self, inputs: FeatureInputs) -> AuthorFacts | None:
        """What the group knows of people, brought to the examples of which they wrote the candidate; None for nothing.

        Args:
            inputs: the tables of the examples that values are computed for.
        """
        return None

    @abstractmethod
    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """The values of every column, an item per example of the batch; NaN where a value is not known.

        An example's values follow from its own query: from its candidates, their threads and texts.
        """


class FittedQueryGroup(QueryGroup, LearningGroup):
    """A group that first learns something from training data.

    Attributes:
        learns_from_labels: whether what is learned contains labels: then no training example gets a value that labels
            of its own fold had a part in. Either ``fit`` also fits the group on the rest of each fold, or the group
            keeps its counts by fold and leaves out those of an example's own.
    """

    learns_from_labels: ClassVar[bool]

    def __init_subclass__(cls) -> None:
        """Refuse a group whose values would have to differ between examples of one author or question.

        Raises:
            ContractError: the group learns from labels and describes an author or a question.
        """
        super().__init_subclass__()
        entity = getattr(cls, "entity", None)
        if getattr(cls, "learns_from_labels", False) and entity not in (None, Entity.PAIR, Entity.CANDIDATE):
            raise ContractError(
                f"feature group {cls.name} learns from labels but describes the {entity.value}: examples of different "
                "folds have different values",
                "declare entity = Entity.PAIR or Entity.CANDIDATE",
            )

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


class AuthorGroup(FeatureGroup):
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


def learns_from_labels(group: type[FeatureGroup]) -> bool:
    """Whether what a group learns contains labels."""
    return issubclass(group, FittedQueryGroup) and group.learns_from_labels
