"""Word vectors trained on a collection's own texts.

They factorise the matrix of positive pointwise mutual information of near words, which word2vec factorises implicitly
(Levy, Goldberg and Dagan 2015, Improving distributional similarity with lessons learned from word embeddings). Spark
sums integer counts, and the factorisation has a seed and one thread, so the vectors do not depend on the partitioning.
Spark's own Word2Vec does, even on one sorted partition, because it numbers words of equal frequency in the order of a
shuffle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import sqrt
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.spark.frames import learn_in_one_task

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

DIMENSIONS = 100
WINDOW = 5
RAREST = 5
"""Minimum number of occurrences of a word."""
MOST_WORDS = 20_000
"""Maximum number of words with vectors, which bounds the driver's memory."""
MOST_TEXTS = 100_000
"""Maximum number of texts for counting near words; those with the lowest keys, which are hashes."""

_SEED = 1
_CONTEXT_POWER = 0.75
"""Context distribution smoothing, which reduces the weight of rare neighbours (Levy et al. 2015, section 3.2)."""
_VALUE_POWER = 0.5
"""Exponent of the singular values (Levy et al. 2015, section 3.3)."""

_WORDS, _RECORD = "words.parquet", "trained_on.json"
_COLUMNS = pa.schema(
    [
        ("word", pa.string()),
        ("occurrences", pa.int64()),
        ("document_frequency", pa.int64()),
        ("vector", pa.list_(pa.float64())),
    ]
)
SMOOTHING = 1e-3
"""Relative frequency at which a word has half the weight (Arora et al. 2017, section 3)."""
SAMPLE = 10_000
"""Maximum number of texts for fitting the common component, which bounds the driver's memory."""

COOCCURRENCES = pa.schema([("first", pa.int64()), ("second", pa.int64()), ("times", pa.int64())])
_NO_WORDS = np.empty(0, dtype=np.int64)


class TrainedOn(BaseModel):
    """The training texts of word vectors.

    Attributes:
        splits: splits of the texts.
        unit: the array column of the words.
        documents: number of texts.
        occurrences: number of words.
        sampled: number of texts whose near words were counted.
        common: the common component; see ``common_component``.
    """

    splits: list[str]
    unit: str
    documents: int
    occurrences: int
    sampled: int
    common: list[float]


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Vectors of the frequent words of a collection; at most ``MOST_WORDS`` rows, in the driver's memory.

    Attributes:
        words: one row per word, the most frequent first: ``word``, ``occurrences``, ``document_frequency``, ``vector``
            (of unit length).
        trained_on: description of the training texts.
    """

    words: pd.DataFrame
    trained_on: TrainedOn

    @classmethod
    def learn(cls, texts: DataFrame, unit: str, splits: Sequence[str], *, dimensions: int = DIMENSIONS) -> Self:
        """Learn vectors, in one task, which holds 24 bytes for each pair of words that are near each other.

        Args:
            texts: the table ``texts``, one row per distinct text.
            unit: an array column of it, such as ``content_words``; its items are the words.
            splits: splits of the texts, for the record.
            dimensions: of the vectors; fewer if there are fewer words.
        """
        words = frequent_words(texts, unit, rarest=RAREST, most=MOST_WORDS).toPandas()
        sample = texts.orderBy("text_id").limit(MOST_TEXTS)
        numbers = {word: number for number, word in enumerate(words["word"])}
        near = cooccurrences(sample, unit, numbers, window=WINDOW)
        learn = partial(_vectors, words=len(words), dimensions=dimensions)
        learned = learn_in_one_task(near, ["first", "second"], learn, "vector array<double>")
        words = words.assign(vector=[row["vector"] for row in learned]).astype({"vector": object})  # also without words
        (size,) = texts.agg(F.count("*").alias("documents"), F.sum(F.size(unit)).alias("occurrences")).collect()
        documents, occurrences = size["documents"], size["occurrences"] or 0  # the sum over no text is null
        common = common_component(Vocabulary.of(words, documents, occurrences), texts, unit)
        record = TrainedOn(
            splits=list(splits),
            unit=unit,
            documents=documents,
            occurrences=occurrences,
            sampled=min(documents, MOST_TEXTS),
            common=common.tolist(),
        )
        return cls(words, record)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary for comparing texts."""
        return Vocabulary.of(self.words, self.trained_on.documents, self.trained_on.occurrences)

    @cached_property
    def common(self) -> NDArray[np.float64]:
        """The common component of the texts."""
        return np.array(self.trained_on.common, dtype=np.float64)

    def save(self, folder: NewModelFolder) -> None:
        """Write the words as Parquet, and the description of the training texts as JSON."""
        folder.write_arrow(_WORDS, pa.Table.from_pandas(self.words, _COLUMNS).replace_schema_metadata())
        folder.write_json(_RECORD, self.trained_on)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the saved state."""
        return cls(folder.read_arrow(_WORDS, _COLUMNS).to_pandas(), folder.read_json(_RECORD, TrainedOn))


def _vectors(batches: Iterable[pa.RecordBatch], words: int, dimensions: int) -> Iterator[pa.RecordBatch]:
    """The vector of every word, by number, from rows of ``cooccurrences``, sorted."""
    near = pa.Table.from_batches(batches, COOCCURRENCES).to_pandas()
    vectors = list(factorise(mutual_information(near, words), dimensions))
    yield pa.RecordBatch.from_pydict({"vector": pa.array(vectors, pa.list_(pa.float64()))})


def frequent_words(texts: DataFrame, unit: str, *, rarest: int, most: int) -> DataFrame:
    """The frequent words of a collection.

    Args:
        texts: the table ``texts``, one row per distinct text.
        unit: an array column of it, such as ``content_words``; its items are the words.
        rarest: minimum number of occurrences of a word.
        most: maximum number of words; the most frequent are kept.

    Returns:
        ``word``, ``occurrences``, ``document_frequency``; the most frequent first, ties by spelling.
    """
    words = texts.select("text_id", F.explode(unit).alias("word"))
    in_texts = words.groupBy("text_id", "word").agg(F.count("*").alias("times"))
    totals = in_texts.groupBy("word").agg(F.sum("times").alias("occurrences"), F.count("*").alias("document_frequency"))
    return totals.where(F.col("occurrences") >= rarest).orderBy(F.desc("occurrences"), "word").limit(most)


def cooccurrences(texts: DataFrame, unit: str, numbers: dict[str, int], *, window: int) -> DataFrame:
    """Count how often two words occur near each other.

    Args:
        texts: the table ``texts``.
        unit: the array column of the words.
        numbers: the words to count, numbered from 0; other words are removed first.
        window: maximum distance of near words.

    Returns:
        ``first``, ``second`` (numbers of words, ``first`` <= ``second``), ``times``.
    """

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            # A text that is moved by 1, 2, … words against itself has near words next to each other.
            left, right = [_NO_WORDS], [_NO_WORDS]
            for words in batch.column(unit).to_pylist():
                text = np.array([numbers[word] for word in words if word in numbers], dtype=np.int64)
                for distance in range(1, window + 1):
                    left.append(text[:-distance])
                    right.append(text[distance:])
            near = np.stack([np.concatenate(left), np.concatenate(right)], axis=1)
            near.sort(axis=1)  # the smaller number first
            pairs, times = np.unique(near, axis=0, return_counts=True)
            yield pa.RecordBatch.from_arrays([*map(pa.array, pairs.T), pa.array(times)], schema=COOCCURRENCES)

    counts = texts.select(unit).mapInArrow(count, "first bigint, second bigint, times bigint")
    return counts.groupBy("first", "second").agg(F.sum("times").alias("times"))


def mutual_information(near: pd.DataFrame, words: int) -> sparse.csr_matrix:
    """Positive pointwise mutual information of words and their neighbours, with smoothed contexts.

    Args:
        near: ``first``, ``second``, ``times``, as ``cooccurrences`` counts them.
        words: number of words.
    """
    from scipy import sparse

    first, second, times = (near[name].to_numpy() for name in ("first", "second", "times"))
    shape = (words, words)
    # Each pair counts for both of its words; a pair of a word with itself counts twice.
    counts = sparse.coo_matrix((times, (first, second)), shape) + sparse.coo_matrix((times, (second, first)), shape)
    cells = counts.tocoo()
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    contexts = totals**_CONTEXT_POWER
    ratio = cells.data * contexts.sum() / (totals[cells.row] * contexts[cells.col])
    positive = ratio > 1
    return sparse.csr_matrix((np.log(ratio[positive]), (cells.row[positive], cells.col[positive])), shape)


def factorise(information: sparse.csr_matrix, dimensions: int = DIMENSIONS) -> NDArray[np.float64]:
    """Reduce the rows of a symmetric matrix to few dimensions and unit length; empty rows are 0."""
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    dimensions = min(dimensions, information.shape[0])
    if information.nnz == 0:
        return np.zeros((information.shape[0], dimensions))
    # One thread, because the order of sums, and thus the last digits, would depend on the number of cores.
    with threadpool_limits(1):
        left, values, _ = randomized_svd(information, dimensions, n_iter=4, random_state=_SEED)
        vectors = left * values**_VALUE_POWER
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


@dataclass(frozen=True)
class Vocabulary:
    """The words with vectors, numbered from 0.

    Attributes:
        words: words in order of their numbers.
        vectors: one row per word, of unit length.
        idf: smooth inverse document frequency of each word, as in ``Collection.weigh``.
        smooth: smooth inverse frequency of each word.
    """

    words: tuple[str, ...]
    vectors: Numbers
    idf: Numbers
    smooth: Numbers

    @classmethod
    def of(cls, words: pd.DataFrame, documents: int, occurrences: int) -> Self:
        """Weigh the words of a collection.

        Args:
            words: ``word``, ``vector``, ``document_frequency``, ``occurrences`` (in all texts).
            documents: number of texts in the collection.
            occurrences: number of words in the collection, including repeats.
        """
        document_frequency = words["document_frequency"].to_numpy(dtype=np.float64)
        relative_frequency = words["occurrences"].to_numpy(dtype=np.float64) / max(1, occurrences)
        return cls(
            words=tuple(words["word"]),
            vectors=np.array(words["vector"].tolist(), dtype=np.float64),
            idf=np.log((1 + documents) / (1 + document_frequency)) + 1,
            smooth=SMOOTHING / (SMOOTHING + relative_frequency),
        )

    def bag(self, words: Sequence[str]) -> Bag | None:
        """The words of a text with vectors; None if there are none."""
        times = Counter(self._numbers[word] for word in words if word in self._numbers)
        if not times:
            return None
        numbers = np.array(sorted(times))
        counts = np.array([times[number] for number in numbers], dtype=np.float64)
        return Bag(self.vectors[numbers], counts, self.idf[numbers], self.smooth[numbers])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def common_component(vocabulary: Vocabulary, texts: DataFrame, unit: str) -> Numbers:
    """The first principal component of the texts' means, which all texts share (Arora et al. 2017, algorithm 1).

    Args:
        vocabulary: the words with vectors.
        texts: the table ``texts``; the ``SAMPLE`` texts with the lowest keys, which are hashes, are used.
        unit: the array column of the words.

    Returns:
        A unit vector; 0 if no text has a word with a vector.
    """
    sample = texts.select("text_id", unit).orderBy("text_id").limit(SAMPLE).toPandas()
    bags = [bag for bag in map(vocabulary.bag, sample[unit]) if bag is not None]
    if not bags:
        return np.zeros(vocabulary.vectors.shape[-1])
    means = np.array([bag.means[2] / bag.times.sum() for bag in bags])
    return np.linalg.eigh(means.T @ means)[1][:, -1]


@dataclass(frozen=True)
class Bag:
    """The distinct words of a text with vectors.

    Attributes:
        vectors: one row per word, of unit length.
        times: frequency of each word in the text.
        idf: inverse document frequency of each word.
        smooth: smooth inverse frequency of each word.
    """

    vectors: Numbers
    times: Numbers
    idf: Numbers
    smooth: Numbers

    @property
    def weights(self) -> Numbers:
        """Frequency times idf of each word."""
        return self.times * self.idf

    @cached_property
    def means(self) -> Numbers:
        """The means of the vectors, up to scale: plain, by idf, and by smooth inverse frequency; one per row."""
        return np.stack([self.times, self.weights, self.times * self.smooth]) @ self.vectors

    @cached_property
    def soft_norm(self) -> float:
        """Norm of the text's vector for the soft cosine, in which similar words are not orthogonal."""
        return sqrt(self.weights @ softened(self.vectors @ self.vectors.T) @ self.weights)


def compare_meaning(text: Bag, others: Sequence[Bag], common: Numbers) -> dict[str, Numbers]:
    """The similarities of a text to others by word vectors, by name; one item per other text.

    ``answered`` aligns each word of the text with the nearest word of the other text, ``repeated`` the other way; both
    are means by idf. ``movers_distance`` is 0 for the same words.

    Args:
        text: words of the text, at least one.
        others: at least one text, each with at least one word.
        common: the first principal component of the means of all texts, of unit length.
    """
    sizes = np.array([len(other.times) for other in others])
    starts = np.cumsum(sizes) - sizes  # of each other text, among the words of all of them
    times = np.concatenate([other.times for other in others])
    weights = np.concatenate([other.weights for other in others])
    # A row for each word of all other texts, one text after the other; a column for each word of the text.
    cosines = np.concatenate([other.vectors for other in others]) @ text.vectors.T
    nearest = np.maximum.reduceat(cosines, starts)  # shape (other texts, words of the text)
    nearest_back = cosines.max(axis=1)  # shape (words of all other texts,)
    distance = _distances(nearest) @ text.times / text.times.sum()
    distance_back = _means(_distances(nearest_back), times, starts)
    plain, by_idf, smooth = np.stack([other.means for other in others], axis=1)
    soft_products = np.add.reduceat((softened(cosines) @ text.weights) * weights, starts)
    soft_norms = text.soft_norm * np.array([other.soft_norm for other in others])
    return {
        "plain_cosine": _cosines(text.means[0], plain),
        "idf_cosine": _cosines(text.means[1], by_idf),
        "smooth_cosine": _cosines(without(text.means[2], common), without(smooth, common)),
        "answered": nearest @ text.weights / text.weights.sum(),
        "repeated": _means(nearest_back, weights, starts),
        "movers_distance": np.maximum(distance, distance_back),
        "soft_cosine": _ratio(soft_products, soft_norms),
    }


def without(means: Numbers, common: Numbers) -> Numbers:
    """Means without their projection on a component of unit length (Arora et al. 2017, algorithm 1)."""
    return means - np.multiply.outer(means @ common, common)


def _cosines(vector: Numbers, others: Numbers) -> Numbers:
    return _ratio(others @ vector, sqrt(vector @ vector) * np.linalg.norm(others, axis=1))


def _means(values: Numbers, weights: Numbers, starts: Indices) -> Numbers:
    """The weighted mean of the values of each text's words."""
    return np.add.reduceat(values * weights, starts) / np.add.reduceat(weights, starts)


def _distances(cosines: Numbers) -> Numbers:
    """Euclidean distances of unit vectors."""
    return np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosines))


def softened(cosines: Numbers) -> Numbers:
    """Similarities of words for the soft cosine (Charlet and Damnati 2017, section 2.1)."""
    return np.square(np.maximum(0.0, cosines))


def _ratio(products: Numbers, lengths: Numbers) -> Numbers:
    """Products over lengths; 0 for vectors without length."""
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
