"""Base classes of feature groups: named, versioned sets of documented columns with one value per example."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from cqa_spark.errors import ContractError
from cqa_spark.features.arrays import Reals
from cqa_spark.features.author_batch import AuthorBatch, EventKind
from cqa_spark.features.author_facts import AuthorFacts
from cqa_spark.features.inputs import DumpState, FeatureInputs
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.process.failures import require_extra

Key = TypeVar("Key", bound=Hashable)

Values = Mapping[str, ArrayLike]
"""The values of each column, one per example of a batch or per moment; NaN where a value is unknown."""


class Entity(Enum):
    """The entity that a group's columns describe."""

    QUESTION = "question"
    CANDIDATE = "candidate"
    AUTHOR = "author"
    PAIR = "pair"


@dataclass(frozen=True)
class FeatureColumn:
    """One documented feature.

    Attributes:
        name: column name within the group, snake case.
        about: meaning and unit.
        source: where the idea comes from (paper and section), or "ours".
        missing: value of the feature where it is unknown.
        is_time: whether it is a time, stored in seconds since 1970 and shown as a date.
    """

    name: str
    about: str
    source: str
    missing: float = 0.0
    is_time: bool = False


class PassKey(Enum):
    """The key by which a pass groups rows; its value is in the column ``pass_key`` of the feature table."""

    QUERY = "query"
    AUTHOR = "author"


class FeatureGroup(ABC):
    """Base class of all groups; groups with one pass key are computed together and stored in the same rows.

    Attributes:
        pass_key: the key by which the pass groups rows.
        name: name and version, such as ``overlap_v1``.
        family: name shared by the groups that an ablation removes together, such as similarity.
        about: description in one phrase.
        entity: the entity that the columns describe.
        columns: the features.
        needs: required tables that not every run has, as ``FeatureInputs`` names them.
        reads_texts: whether it reads the tables ``documents`` and ``texts``.
        reads_shortcut: whether it reads the scores that an upstream system gives the pairs of the task themselves
            (``shortcuts`` of the task), not only those of the steps between.
        embeddings: names of the embedding models whose vectors it reads.
        is_as_of: whether its values depend only on facts known at the cut; ``cqa features audit`` tests it.
        as_of_dump: data that an as-of group reads in the state of the dump, not of the cut.
        extra: the extra of the project that installs ``libraries``; empty if the group needs none.
        libraries: modules that the group imports to compute its values, if their import is slow or an extra.
        caution: a warning for readers of results that use the group; empty for none.
    """

    pass_key: ClassVar[PassKey]
    name: ClassVar[str]
    family: ClassVar[str]
    about: ClassVar[str]
    entity: ClassVar[Entity]
    columns: ClassVar[tuple[FeatureColumn, ...]]
    needs: ClassVar[tuple[str, ...]] = ()
    reads_texts: ClassVar[bool] = True
    reads_shortcut: ClassVar[bool] = False
    embeddings: ClassVar[tuple[str, ...]] = ()
    is_as_of: ClassVar[bool] = False
    as_of_dump: ClassVar[frozenset[DumpState]] = frozenset()
    extra: ClassVar[str] = ""
    libraries: ClassVar[tuple[str, ...]] = ()
    caution: ClassVar[str] = ""

    @classmethod
    def by_column(cls, values: Iterable[ArrayLike]) -> Values:
        """Values by the name of their column; they are in the order of ``columns``."""
        return dict(zip((column.name for column in cls.columns), values, strict=True))

    @classmethod
    def tabulate(cls, keys: Iterable[Key | None], read: Callable[[Key], Mapping[str, float]]) -> dict[str, Reals]:
        """Compute the values of every distinct key once, and look them up for each example.

        Args:
            keys: the key of each example, such as the index of its candidate's text; None for unknown values.
            read: the values of a key, by the name of the column.

        Returns:
            One value per example for each column; NaN where the key is None.
        """
        names = [column.name for column in cls.columns]
        rows: dict[Key | None, list[float]] = {None: [np.nan] * len(names)}
        of_examples = []
        for key in keys:
            if key not in rows:
                values = read(key)  # type: ignore[arg-type]  # None is in rows
                rows[key] = [values[name] for name in names]
            of_examples.append(rows[key])
        return dict(zip(names, np.array(of_examples, dtype=np.float64).reshape(-1, len(names)).T, strict=True))

    @classmethod
    def require_installed(cls) -> None:
        """Check that what the group needs to compute its values is installed.

        Raises:
            EnvironmentProblem: it is not; the message names the command that installs it.
        """
        if cls.extra:
            require_extra(cls.extra, cls.libraries, f"the feature group {cls.name}")


class LearningGroup(FeatureGroup):
    """A group that is fitted on training data; its state is saved with the systems that use the group."""

    @classmethod
    @abstractmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Learn from the training data; groups other than ``FittedQueryGroup`` learn without labels."""

    @abstractmethod
    def save(self, folder: NewModelFolder) -> None:
        """Write the fitted state, in formats that contain data only."""

    @classmethod
    @abstractmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the fitted state; groups that learn facts about authors need an active Spark session.

        Raises:
            ContractError: the saved state cannot be used.
        """


class QueryGroup(FeatureGroup):
    """A group computed from whole queries in memory; one pass over the queries computes all of them.

    Attributes:
        reads_comments: whether it reads comments.
        reads_votes: whether it reads votes for the candidates.
        post_columns: columns of posts that it reads in addition to those of every batch.
        comment_columns: columns of comments that it reads in addition to those of every batch.
    """

    pass_key: ClassVar[PassKey] = PassKey.QUERY
    reads_comments: ClassVar[bool] = True
    reads_votes: ClassVar[bool] = False
    post_columns: ClassVar[tuple[str, ...]] = ()
    comment_columns: ClassVar[tuple[str, ...]] = ()

    def facts(self, inputs: FeatureInputs) -> AuthorFacts | None:
        """The group's facts about authors, which are joined to the examples; None without any.

        Args:
            inputs: the examples to compute, and their tables.
        """
        return None

    @abstractmethod
    def compute(self, batch: QueryBatch) -> Values:
        """The values of every column, one per example of the batch; NaN where a value is unknown.

        An example's values depend on its own query only: its candidates, their threads and texts.
        """


class PostGroup(QueryGroup):
    """A query group computed from posts and their votes, without texts and comments."""

    reads_texts: ClassVar[bool] = False
    reads_comments: ClassVar[bool] = False


class FittedQueryGroup(QueryGroup, LearningGroup):
    """A query group that is fitted on training data.

    Attributes:
        learns_from_labels: whether fitting uses labels. If so, training examples get out-of-fold values: either
            ``fit`` also fits the group on the complement of each fold, or the group keeps its counts by fold and
            excludes those of an example's own fold.
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


class Marked(Enum):
    """The rows that an author group can mark before events are grouped by author."""

    TAGS = ("site", "tags")
    """Questions, by site and tags; their answers get the same mark."""

    BADGES = ("badge",)
    """Badges, by their name."""


class AuthorGroup(FeatureGroup):
    """A group computed from the events of authors; one pass over the authors computes all of them.

    Attributes:
        reads: the kinds of events that it reads, apart from moments.
        marked: the rows that it marks; None for none.
    """

    pass_key: ClassVar[PassKey] = PassKey.AUTHOR
    reads: ClassVar[frozenset[EventKind]]
    marked: ClassVar[Marked | None] = None
    reads_texts: ClassVar[bool] = False

    @abstractmethod
    def compute(self, batch: AuthorBatch) -> Values:
        """The values of every column, one per moment of the batch.

        They depend only on earlier rows of the same author. An author's rows may span batches, so compute sums with
        ``batch.totals`` or the methods that use it.
        """

    def mark(self, rows: pa.Table) -> NDArray[np.int64]:
        """An integer for each row, which ``AuthorBatch.marks`` holds for its events.

        Args:
            rows: the columns that ``marked`` names; null in rows of other kinds.
        """
        raise NotImplementedError(f"{self.name} does not implement mark")


def learns_from_labels(group: type[FeatureGroup]) -> bool:
    """Whether a group is fitted on labels."""
    return issubclass(group, FittedQueryGroup) and group.learns_from_labels
