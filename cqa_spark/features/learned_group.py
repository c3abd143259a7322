"""Base classes of groups whose fitted state is one object, which saves itself, or gives numbered columns names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

import pyarrow as pa
from pydantic import BaseModel, ConfigDict
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals, codes
from cqa_spark.features.author_facts import AuthorFacts
from cqa_spark.features.group import FeatureColumn, FittedQueryGroup, LearningGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import Fitted, TrainingData, learned_texts
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.text.terms import Collection, WeighedTexts

if TYPE_CHECKING:
    import pandas as pd


class FittedState(Protocol):
    """What fitting learned, in formats that contain data only."""

    def save(self, folder: NewModelFolder) -> None:
        """Write it."""

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read it.

        Raises:
            ContractError: the saved state cannot be used.
        """


class JsonState(BaseModel):
    """A fitted state in one JSON file.

    Attributes:
        file: its name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: ClassVar[str]

    def save(self, folder: NewModelFolder) -> None:
        """Write the file."""
        folder.write_json(self.file, self)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the file."""
        return folder.read_json(cls.file, cls)


State = TypeVar("State", bound=FittedState)


class StateGroup(LearningGroup, Generic[State]):
    """A group with one object as its fitted state.

    Args:
        state: the object.

    Attributes:
        state_type: its class.
    """

    state_type: ClassVar[type[FittedState]]

    def __init__(self, state: State) -> None:
        self.state = state

    def save(self, folder: NewModelFolder) -> None:
        """Write the state."""
        self.state.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the state."""
        return cls(cls.state_type.load(folder))  # type: ignore[arg-type]  # of the subclass


class NumberedGroup(LearningGroup):
    """A group with numbered columns, such as the site's first tag; fitting gives the numbers names.

    Attributes:
        numbered: prefixes of columns, each with their meaning, in which ``{}`` stands for what has the number.
    """

    numbered: ClassVar[tuple[tuple[str, str], ...]]

    @abstractmethod
    def names(self) -> Sequence[str]:
        """What has the numbers from 1, in order, such as "the tag wine"; empty if a number has several names."""

    def meanings(self) -> Mapping[str, str]:
        """The meanings of the columns whose number has one name, by column."""
        slots = len(self.columns) // len(self.numbered)
        return {
            self.columns[start * slots + slot].name: about.format(name)
            for start, (_, about) in enumerate(self.numbered)
            for slot, name in enumerate(self.names())
        }


def numbered_columns(
    numbered: Iterable[tuple[str, str]], unnamed: str, slots: int, source: str
) -> tuple[FeatureColumn, ...]:
    """The columns of a numbered group: for each prefix, one for each number.

    Args:
        numbered: as for ``NumberedGroup``.
        unnamed: what has a number, before fitting gives it a name; ``{}`` stands for the number.
        slots: the highest number.
        source: of all columns.
    """
    return tuple(
        FeatureColumn(f"{prefix}_{slot:0{len(str(slots))}}", about.format(unnamed.format(slot)), source)
        for prefix, about in numbered
        for slot in range(1, slots + 1)
    )


# Base class of fitted groups whose state is one table of facts about authors.

LEARNED = "learned"
"""The name of the table in a model folder."""


class LearnedFactsGroup(FittedQueryGroup):
    """Base class of groups that learn facts about authors; the facts grow with the community and are saved as Parquet.

    Args:
        learned: as ``AuthorFacts.of_people``.
    """

    reads_texts = False

    def __init__(self, learned: DataFrame) -> None:
        self.learned = learned

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the table; workers receive the facts with the examples."""
        return {name: value for name, value in vars(self).items() if name != "learned"}

    def facts(self, inputs: FeatureInputs) -> AuthorFacts | None:
        """The fitted facts."""
        return AuthorFacts(self.learned)

    def save(self, folder: NewModelFolder) -> None:
        """Write the table."""
        folder.write_table(LEARNED, self.learned)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the table."""
        return cls(folder.read_table(LEARNED))


def in_section(batch: QueryBatch, example: Indices, sections: pa.ChunkedArray) -> Mask:
    """Whether facts about authors are from the forum section of the candidate's thread.

    Args:
        batch: the examples.
        example: index of the example of each fact.
        sections: the section of each fact.
    """
    found, here = codes(sections, pa.chunked_array([pa.array(batch.category, pa.string())]))
    same: Mask = (found == here[example]) & (found != ABSENT)
    return same


# Regressions by least squares: one on all folds, and one on the complement of each fold.


@dataclass(frozen=True)
class NormalEquations:
    """The normal equations of a least-squares problem; additive over rows.

    Attributes:
        squares: sums of products of two terms, shape (terms, terms).
        products: sums of products of a term and the value, shape (terms,).
        rows: number of rows.
    """

    squares: Reals | float = 0.0
    products: Reals | float = 0.0
    rows: int = 0

    @classmethod
    def of(cls, terms: Reals, values: Reals) -> Self:
        """The equations of rows.

        Args:
            terms: shape (rows, terms).
            values: shape (rows,).
        """
        return cls(terms.T @ terms, terms.T @ values, len(values))

    def __add__(self, other: Self) -> NormalEquations:
        return NormalEquations(self.squares + other.squares, self.products + other.products, self.rows + other.rows)


def solve_by_fold(of_folds: Sequence[NormalEquations], solve: Callable[[NormalEquations], Reals]) -> Fitted[Reals]:
    """Solve the sum of the equations of all folds, and the sum without each fold."""

    def without(excluded: int) -> Reals:
        return solve(sum((fold for number, fold in enumerate(of_folds) if number != excluded), NormalEquations()))

    return Fitted.excluding(without, len(of_folds))


# Counts of relevant and irrelevant candidates that contain each term, for estimating polarities.

CANDIDATES = "candidates"
"""The unit that counts all candidates, under the empty term."""

RAREST = 3
"""Minimum number of candidates with a term."""

MOST_TERMS = 500_000
"""Only the most frequent terms are counted, which bounds the driver's memory: the counts of a term are one row for each
fold and section, and its polarity is in a model for each fold."""

_UNITS = ("tokens", "words", "bigrams", "stems")
_OF_SECTIONS = (CANDIDATES, "words")

Group = TypeVar("Group")


def judged_terms(training: TrainingData) -> pd.DataFrame:
    """Count the judged training candidates that contain each term, in one Spark job.

    Returns:
        ``unit`` (``CANDIDATES``, tokens, words, bigrams or stems), ``term``, ``section`` (of the forum, for candidates
        and words; None where unknown, and for the other units), ``fold``, ``good`` and ``bad`` (candidates that are
        relevant and that are not).
        Only terms in at least ``RAREST`` candidates are counted, and only the ``MOST_TERMS`` most frequent of them.
    """
    judged = training.judged.select("site", "candidate_id", "section", "fold", "relevant", "text_id").distinct()
    texts = judged.join(training.inputs.texts.select("text_id", *_UNITS), on="text_id")
    each_unit = [F.transform(F.array_distinct(unit), partial(_named, unit)) for unit in _UNITS]
    named = F.explode(F.concat(F.array(_named(CANDIDATES, F.lit(""))), *each_unit))
    terms = texts.select("section", "fold", "relevant", named.alias("named"))
    section = F.when(F.col("named.unit").isin(*_OF_SECTIONS), F.col("section")).alias("section")
    good, bad = F.count_if("relevant").alias("good"), F.count_if(~F.col("relevant")).alias("bad")
    counted = terms.groupBy("named.unit", "named.term", section, "fold").agg(good, bad)
    parts = F.collect_list(F.struct("section", "fold", "good", "bad")).alias("parts")
    together = counted.groupBy("unit", "term").agg(F.sum(F.col("good") + F.col("bad")).alias("holding"), parts)
    kept = together.where((F.col("holding") >= RAREST) | (F.col("unit") == CANDIDATES))
    frequent = kept.orderBy(F.desc("holding"), "unit", "term").limit(MOST_TERMS)
    return frequent.selectExpr("unit", "term", "inline(parts)").toPandas()


def fit_on_counts(training: TrainingData, learn: Callable[[pd.DataFrame], Group]) -> Fitted[Group]:
    """Fit on the counts of all folds, and on the complement of each fold.

    Args:
        training: the training part.
        learn: fits on rows of ``judged_terms``.
    """
    counts = training.derive(judged_terms)
    return Fitted.excluding(lambda fold: learn(counts[counts["fold"] != fold]), training.folds)


def _named(unit: str, term: Column) -> Column:
    return F.struct(F.lit(unit).alias("unit"), term.alias("term"))


# Base class of groups fitted on document frequencies of terms.


class CollectionGroup(StateGroup[Collection], FittedQueryGroup):
    """Base class of groups that weight terms by their rarity in the training and unannotated texts.

    Args:
        state: the counts.
    """

    learns_from_labels = False
    state_type = Collection
    terms = "stems"
    """The array column of the table ``texts`` whose items are the terms."""

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Share the counts with the other groups of the same terms."""
        return Fitted(cls(training.derive(collection_of, cls.terms)))

    def weighed(self, batch: QueryBatch) -> WeighedTexts:
        """The weighted terms of the batch's texts."""
        return batch.texts.derive(_weigh, self.state, self.terms)


def collection_of(training: TrainingData, unit: str) -> Collection:
    """Count the terms of the training and unannotated texts; pass it to ``TrainingData.derive``.

    Args:
        training: the training part.
        unit: an array column of the table ``texts``; its items are the terms.
    """
    return Collection.of(learned_texts(training.inputs), unit)


def _weigh(texts: Texts, collection: Collection, unit: str) -> WeighedTexts:
    return collection.weigh(texts.unit(unit))
