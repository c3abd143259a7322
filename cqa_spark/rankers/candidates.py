"""Candidates in memory, with their features: the input of models; and the columns of a DataFrame that hold them.

Feature columns are finite doubles named ``GROUP__COLUMN``. Rankers that read texts also need the words of queries and
candidates, as columns of ``WORD_COLUMNS``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ContractError
from cqa_spark.lake.schemas.examples import QUERY, QUERY_POST


@dataclass(frozen=True)
class Candidates:
    """Some candidates with their features.

    Attributes:
        examples: columns of the table ``examples``, one row per candidate, and the words if the model reads texts. If
            the model compares candidates, queries are complete and sorted by candidate id.
        features: names of the features.
        values: shape (candidates, features); finite.
    """

    examples: pa.Table
    features: Sequence[str]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return int(self.examples.num_rows)

    def of(self, features: Sequence[str]) -> NDArray[np.float64]:
        """The values of some features, in order; sums are reproducible because each row is contiguous."""
        if tuple(features) == tuple(self.features):
            return self.values
        columns = {name: column for column, name in enumerate(self.features)}
        return np.take(self.values, [columns[name] for name in features], axis=1)

    def add(self, features: Sequence[str], values: NDArray[np.float64]) -> Candidates:
        """The candidates with additional features."""
        return replace(self, features=(*self.features, *features), values=np.hstack([self.values, values]))

    def where(self, mask: NDArray[np.bool_]) -> Candidates:
        """Some of the candidates, in order; ``mask`` has the shape (candidates,)."""
        return replace(self, examples=self.examples.filter(pa.array(mask)), values=self.values[mask])

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The index of the first candidate of each query."""
        columns = [self.examples.column(name).to_numpy() for name in QUERY]
        changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
        return np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.int64)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of candidates of each query."""
        return np.diff(self.starts, append=len(self))


SEPARATOR = "__"
"""Stands between the group and the column in the name of a feature."""


def feature_columns(frame: DataFrame) -> tuple[str, ...]:
    """The columns named ``GROUP__COLUMN``, in the frame's order."""
    return tuple(name for name in frame.columns if SEPARATOR in name)


def require_features(types: Mapping[str, str], trained_on: Sequence[str], ranker: str) -> None:
    """Check that columns contain exactly the features of a model, in any order.

    Args:
        types: Spark's name of the type of each column.
        trained_on: the features of the model.
        ranker: its name.

    Raises:
        ContractError: a feature is missing, extra, or not a double; all of them are listed.
    """
    types = {name: kind for name, kind in types.items() if SEPARATOR in name}
    problems = [f"missing {name}" for name in trained_on if name not in types]
    problems += [f"extra {name}" for name in types if name not in trained_on]
    problems += [f"{name} is {kind}, not double" for name, kind in types.items() if kind != "double"]
    if problems:
        raise ContractError(
            f"the {ranker} model was trained on {len(trained_on)} features and is given {len(types)}: "
            f"{'; '.join(problems)}",
            "compute the system's feature groups in the versions used for training, or train it again",
        )


def as_array(features: Sequence[str], kind: str = "double") -> Column:
    """The features of a row as one array, which Spark shuffles and converts faster than separate columns.

    The expression is SQL, which Python passes to Java in one call: with a Column per feature, the calls would take
    longer than a small query. Values are converted before the array is built, because Spark converts an array by an
    object for each value.

    Args:
        features: their columns, in the order of the array.
        kind: ``double`` or ``float``.
    """
    values = ", ".join(f"cast(`{name}` AS {kind})" for name in features)
    return F.expr(f"cast(array({values}) AS array<{kind}>)")  # the array of no features has another type


def bad_features(features: Sequence[str]) -> Column:
    """Names of the features of a row that are null, NaN or infinite.

    A single expression over an array, because one expression per feature generates more code than Spark can compile.
    """
    names = F.split(F.lit(",".join(features)), ",") if features else F.array()
    checked = F.arrays_zip(names.alias("name"), as_array(features).alias("value"))

    def is_bad(feature: Column) -> Column:
        value = feature["value"]
        return value.isNull() | F.isnan(value) | (F.abs(value) == float("inf"))

    return F.transform(F.filter(checked, is_bad), lambda feature: feature["name"])


QUERY_WORDS, CANDIDATE_WORDS = WORD_COLUMNS = ("query_words", "candidate_words")
"""Arrays of strings in text order; empty without a text."""


def with_words(examples: DataFrame, documents: DataFrame, texts: DataFrame) -> DataFrame:
    """Add ``WORD_COLUMNS``: the content words of the query (subject and body) and of the candidate.

    Args:
        examples: rows of the table ``examples``.
        documents: the table ``documents``.
        texts: the table ``texts``.
    """
    with_posts = examples.withColumn("query_post_id", F.expr(QUERY_POST))

    def words_of(key: str, name: str) -> DataFrame:
        # An inner join lets Spark broadcast the examples if they are few.
        ids = with_posts.select("site", F.col(key).alias("document_id")).distinct()
        text_ids = ids.join(documents.select("site", "document_id", "text_id"), on=["site", "document_id"])
        words = text_ids.join(texts.select("text_id", "content_words"), on="text_id")
        return words.select("site", F.col("document_id").alias(key), F.col("content_words").alias(name))

    with_query = with_posts.join(words_of("query_post_id", QUERY_WORDS), on=["site", "query_post_id"], how="left")
    joined = with_query.join(words_of("candidate_id", CANDIDATE_WORDS), on=["site", "candidate_id"], how="left")
    words = [F.coalesce(name, F.array().cast("array<string>")).alias(name) for name in WORD_COLUMNS]
    return joined.select(*examples.columns, *words)


def require_words(frame: DataFrame, ranker: str) -> None:
    """Check that a DataFrame has the word columns.

    Raises:
        ContractError: a column is missing.
    """
    absent = [name for name in WORD_COLUMNS if name not in frame.columns]
    if absent:
        raise ContractError(
            f"the ranker {ranker} reads texts, and the examples have no {', '.join(absent)}",
            "add them with cqa_spark.rankers.candidates.with_words",
        )


Numbers = NDArray[np.int64]


def word_numbers(words: pa.ChunkedArray, vocabulary: pa.Array, most: int) -> list[Numbers]:
    """The numbers of the words of each text; words outside the vocabulary are omitted.

    Args:
        words: a list of strings for each text.
        vocabulary: the words, numbered from 0.
        most: maximum number of words of a text.
    """
    texts = words.combine_chunks()
    if not len(texts):
        return []
    # The words of all texts, one text after the other; -1 for words outside the vocabulary.
    numbers = pc.index_in(pc.list_flatten(texts), value_set=vocabulary).fill_null(-1).to_numpy().astype(np.int64)
    ends = np.cumsum(pc.list_value_length(texts).to_numpy())
    return [text[text >= 0][:most] for text in np.split(numbers, ends[:-1])]
