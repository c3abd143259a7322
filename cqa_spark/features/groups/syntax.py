"""Syntactic similarity of a pair to training pairs, as in the support vector machines of KeLP and ConvKN."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import ABSENT, Indices, Reals
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, QueryGroup, Values
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.text.trees import Tree, label_number, leaf_label, shallow_tree

if TYPE_CHECKING:
    from cqa_spark.text.tree_kernel import Landmarks


_LANDMARKS = 100
"""The time grows with the number of landmarks; beyond about a hundred they improve little."""

_STRINGS = pa.list_(pa.string())
_TEXTS = pa.schema([(name, _STRINGS) for name in ("sentences", "content_words", "stems")])

_KELP = (
    "Filice et al. 2016, KeLP at SemEval-2016 Task 3; Moschitti 2006, Efficient convolution kernels for dependency and "
    "constituent syntactic trees; Williams and Seeger 2001, Using the Nyström method to speed up kernel machines"
)


class TreeKernelV1(FittedQueryGroup):
    """Nyström features: a linear model on these columns is a kernel machine on the shallow trees of both texts.

    The kernel of two pairs is the mean of the normalised partial tree kernels of their queries and of their candidates.
    Nodes above words that both texts of a pair share have the tag REL. A tree covers the first 100 tokens of a text.
    The group needs the extra ``papers``, whose parser is for English.

    Args:
        landmarks: the training pairs to compare with.
    """

    name = "tree_kernel_v1"
    family = "syntax"
    about = "similarity of the syntax trees of query and candidate to those of training pairs"
    entity = Entity.PAIR
    extra = "papers"
    libraries = ("textblob",)
    columns = tuple(
        FeatureColumn(
            f"pair_{number}",
            f"similarity to the trees of training pair {number}, decorrelated from the other columns",
            _KELP,
        )
        for number in range(1, _LANDMARKS + 1)
    )
    learns_from_labels = False

    def __init__(self, landmarks: Landmarks) -> None:
        self.landmarks = landmarks

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Sample training pairs as landmarks, independent of their labels."""
        from cqa_spark.text.tree_kernel import Landmarks

        pairs = _sample(training.inputs).collect()
        sides = [side.asDict() for pair in pairs for side in (pair["query"], pair["candidate"])]
        trees = TextTrees(Texts(pa.Table.from_pylist(sides, schema=_TEXTS)))
        queries = range(0, len(sides), 2)  # each query is followed by its candidate
        return Fitted(
            cls(
                Landmarks(
                    [trees.related(query, query + 1) for query in queries],
                    [trees.related(query + 1, query) for query in queries],
                )
            )
        )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair with the landmarks; NaN if a text is missing."""
        trees = batch.texts.derive(TextTrees)
        complete = np.flatnonzero((batch.query_text != ABSENT) & (batch.candidate_text != ABSENT))
        pairs = list(zip(batch.query_text[complete].tolist(), batch.candidate_text[complete].tolist(), strict=True))
        values = np.full((len(batch), _LANDMARKS), np.nan)
        values[complete] = 0.0
        queries = [trees.related(query, candidate) for query, candidate in pairs]
        candidates = [trees.related(candidate, query) for query, candidate in pairs]
        values[complete, : len(self.landmarks.queries)] = self.landmarks.columns(queries, candidates)
        return self.by_column(values.T)

    def save(self, folder: NewModelFolder) -> None:
        """Write the landmarks."""
        self.landmarks.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the landmarks."""
        from cqa_spark.text.tree_kernel import Landmarks

        return cls(Landmarks.load(folder))


def _sample(inputs: FeatureInputs) -> DataFrame:
    """The texts of the examples with the lowest hashes: a sample that does not depend on the partitioning."""
    sample_order = F.sha2(F.concat_ws("/", "site", "query_id", "candidate_id"), 256).alias("sample_order")
    examples = inputs.examples.select("site", "query_id", "candidate_id", sample_order)
    return (
        examples.join(_documents(inputs, "query"), on=["site", "query_id"])
        .join(_documents(inputs, "candidate"), on=["site", "candidate_id"])
        .orderBy("sample_order")
        .limit(_LANDMARKS)
        .join(_texts(inputs, "query"), on="query_text")
        .join(_texts(inputs, "candidate"), on="candidate_text")
        .orderBy("sample_order")
        .select("query", "candidate")
    )


def _documents(inputs: FeatureInputs, side: str) -> DataFrame:
    document, text = F.col("document_id").alias(f"{side}_id"), F.col("text_id").alias(f"{side}_text")
    return inputs.documents.select("site", document, text)


def _texts(inputs: FeatureInputs, side: str) -> DataFrame:
    return inputs.texts.select(F.col("text_id").alias(f"{side}_text"), F.struct(*_TEXTS.names).alias(side))


# Similarity of the syntax trees of query and candidate.

_KERNEL = (
    "Moschitti 2006, Efficient convolution kernels for dependency and constituent syntactic trees; Barrón-Cedeño et "
    "al. 2016, ConvKN at SemEval-2016 Task 3"
)


class TreeSimilarityV1(QueryGroup):
    """The normalised partial tree kernel of the two texts' shallow trees: sentences, chunks, parts of speech, words.

    A tree covers the first 100 tokens of a text. The group needs the extra ``papers``, whose parser is for English.
    """

    name = "tree_similarity_v1"
    family = "syntax"
    about = "similarity of the syntax trees of the candidate and the query"
    entity = Entity.PAIR
    extra = "papers"
    libraries = ("textblob",)
    columns = (
        FeatureColumn("query", "normalised partial tree kernel of the query and the candidate", _KERNEL),
        FeatureColumn("subject", "normalised partial tree kernel of the query's subject and the candidate", _KERNEL),
        FeatureColumn("titles", "normalised partial tree kernel of the query's and the candidate's subject", _KERNEL),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the trees of each pair; NaN if a text is missing."""
        return {
            "query": _compare(batch, batch.query_text, batch.candidate_text),
            "subject": _compare(batch, batch.subject_text, batch.candidate_text),
            "titles": _compare(batch, batch.subject_text, batch.candidate_subject_text),
        }


def _compare(batch: QueryBatch, queries: Indices, candidates: Indices) -> Reals:
    from cqa_spark.text.tree_kernel import compare
    from cqa_spark.text.trees import Forest

    trees = batch.texts.derive(TextTrees)
    values = np.full(len(batch), np.nan)
    complete = np.flatnonzero((queries != ABSENT) & (candidates != ABSENT))
    # The distinct texts, whose trees form a forest, and the tree of each query, then of each candidate.
    texts, of_pairs = np.unique(np.concatenate([queries[complete], candidates[complete]]), return_inverse=True)
    forest = Forest.of([trees.tree(text) for text in texts.tolist()])
    values[complete] = compare(forest, of_pairs[: len(complete)], forest, of_pairs[len(complete) :])
    return values


# The syntax trees of the texts of a batch, built once per text.


class TextTrees:
    """The trees of texts, built lazily, because few texts of a batch are part of a pair.

    Args:
        texts: the texts of a batch.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self.tree = cache(self._tree)
        self.content = cache(self._content)
        self._related = cache(self._relate)

    def related(self, text: int, other: int) -> Tree:
        """The tree of a text, with the tag REL at words that it shares with another text.

        Args:
            text: index of the text.
            other: index of the other text. The tree object is reused for all texts that share the same words.
        """
        shared = np.intersect1d(self.content(text), self.content(other))
        return self._related(text, tuple(shared.tolist()))

    def _relate(self, text: int, shared: tuple[int, ...]) -> Tree:
        return self.tree(text).relate(np.array(shared, dtype=np.int64)) if shared else self.tree(text)

    def _tree(self, text: int) -> Tree:
        stems = dict(zip(self._texts.content_words[text], self._texts.stems[text], strict=True))
        return shallow_tree(self._texts.sentences[text], stems)

    def _content(self, text: int) -> Indices:
        """The labels of the leaves that are not stop words."""
        return np.array([label_number(leaf_label(stem)) for stem in set(self._texts.stems[text])], dtype=np.int64)
