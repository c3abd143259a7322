"""Term frequencies, document frequencies, and the tf-idf and BM25 weights of texts.

Sums run over a text's terms in alphabetical order, so the weights of a text do not depend on other texts in the call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Numbers = NDArray[np.float64]

K1 = 1.2
"""BM25 parameter k1: saturation of term frequency (Robertson and Zaragoza 2009, section 3.3)."""

B = 0.75
"""BM25 parameter b: length normalisation, from 0 to 1 (Robertson and Zaragoza 2009, section 3.3)."""

MOST_TERMS = 2_000_000
"""Only the most frequent terms are kept, which bounds memory; others have a document frequency of 0."""

_FREQUENCIES, _SIZE = "frequencies.parquet", "size.json"
_COLUMNS = pa.schema([("term", pa.string()), ("document_frequency", pa.int64())])


class _Size(BaseModel):
    """The content of ``size.json``."""

    documents: int
    occurrences: int


@dataclass(frozen=True)
class WeighedTexts:
    """The weighted terms of texts.

    Rows of the matrices are texts, columns are terms in alphabetical order; all have the same sparsity. The last row is
    empty, so that index -1 denotes an absent text.

    Attributes:
        terms: the terms of the columns.
        idf: smooth inverse document frequencies, as in scikit-learn.
        tf_idf: 1 + ln(frequency), times idf (Salton and Buckley 1988).
        bm25: BM25 weights, with the probabilistic idf, kept positive.
    """

    terms: Sequence[str]
    idf: csr_matrix
    tf_idf: csr_matrix
    bm25: csr_matrix


@dataclass(frozen=True, eq=False)
class Collection:
    """The counts of a collection of texts.

    Attributes:
        frequencies: document frequency by term; at most ``MOST_TERMS``.
        documents: number of texts.
        occurrences: number of terms in all texts, including repeats.
    """

    frequencies: Mapping[str, int]
    documents: int
    occurrences: int

    @classmethod
    def of(cls, texts: DataFrame, unit: str) -> Self:
        """Count a collection in one Spark job.

        Args:
            texts: the table ``texts``, one row per distinct text.
            unit: an array column of it, such as ``stems``; its items are the terms.
        """
        # The term null counts the texts, so its counts are the size of the collection.
        no_term = F.array(F.lit(None).cast("string"))
        terms = texts.select(
            F.size(unit).alias("length"), F.explode(F.concat(no_term, F.array_distinct(unit))).alias("term")
        )
        totals = terms.groupBy("term").agg(F.count("*").alias("texts"), F.sum("length").alias("lengths"))
        # Null is the smallest term and has the highest document frequency, so it is the first row, if there are texts.
        counts = totals.orderBy(F.desc("texts"), "term").limit(1 + MOST_TERMS).toPandas()
        if counts.empty:
            return cls({}, 0, 0)
        size, rows = counts.iloc[0], counts.iloc[1:]
        frequencies = dict(zip(rows["term"].tolist(), rows["texts"].tolist(), strict=True))
        return cls(frequencies, int(size["texts"]), int(size["lengths"]))

    def weigh(self, texts: Sequence[Sequence[str]]) -> WeighedTexts:
        """Weigh the terms of texts.

        Args:
            texts: the terms of each text, in any order; unknown terms have a document frequency of 0.
        """
        from scipy.sparse import csr_matrix

        vocabulary = sorted({term for terms in texts for term in terms}) or [""]
        numbers = {term: number for number, term in enumerate(vocabulary)}
        columns = [numbers[term] for terms in texts for term in terms]
        ends = np.cumsum([0, *map(len, texts), 0])  # the last 0 makes the empty row
        counts = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(texts) + 1, len(vocabulary)))
        counts.sum_duplicates()
        # By term.
        document_frequency = np.array([self.frequencies.get(term, 0) for term in vocabulary], dtype=np.float64)
        idf = np.log((1 + self.documents) / (1 + document_frequency)) + 1
        bm25_idf = np.log(1 + (self.documents - document_frequency + 0.5) / (document_frequency + 0.5))
        # By cell, that is, by text and term: the term's frequency in the text, and the text's length.
        term, frequency = counts.indices, counts.data
        length = np.repeat(np.diff(ends), np.diff(counts.indptr))
        relative_length = length * self.documents / max(1, self.occurrences)
        saturation = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * relative_length))
        return WeighedTexts(
            terms=vocabulary,
            idf=_like(counts, idf[term]),
            tf_idf=_like(counts, (1 + np.log(frequency)) * idf[term]),
            bm25=_like(counts, bm25_idf[term] * saturation),
        )

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts as Parquet and JSON."""
        terms, counts = list(self.frequencies), list(self.frequencies.values())
        folder.write_arrow(_FREQUENCIES, pa.table([terms, counts], schema=_COLUMNS))
        folder.write_json(_SIZE, _Size(documents=self.documents, occurrences=self.occurrences))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the saved state."""
        rows, size = folder.read_arrow(_FREQUENCIES, _COLUMNS), folder.read_json(_SIZE, _Size)
        terms, counts = (rows[name].to_pylist() for name in _COLUMNS.names)
        return cls(dict(zip(terms, counts, strict=True)), size.documents, size.occurrences)


def _like(matrix: csr_matrix, data: Numbers) -> csr_matrix:
    """A matrix with the same sparsity and other values."""
    return type(matrix)((data, matrix.indices, matrix.indptr), shape=matrix.shape)
