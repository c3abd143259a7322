"""How similar query and candidate are by the vectors of their words."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, ClassVar, Self

import pyarrow as pa
from pyspark.sql import DataFrame
from threadpoolctl import threadpool_limits

from cqa_spark.features.batches import Values, compute_in_batches
from cqa_spark.features.group import Entity, FeatureColumn, FittedFeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_texts import LEARNED_FROM, learned_texts
from cqa_spark.features.pair_texts import SIDES, pair_texts
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.text.comparison.meaning import Bag, MeaningSimilarity, Numbers, compare_meaning
from cqa_spark.text.comparison.vocabulary import Vocabulary
from cqa_spark.text.word_vectors import WordVectors

_WORDS = "content_words"

_COMPARED = {
    "query": ("query", "candidate", "the query and the candidate"),
    "subject": ("subject", "candidate", "the query's subject and the candidate"),
    "titles": ("subject", "candidate_subject", "the query's subject and the candidate's"),
}
"""Which texts are compared, by the name of the comparison: two sides of the pair, and what they are."""

_MEANS = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, word vectors"
_ALIGNMENT = "Mihalcea et al. 2006, Corpus-based and knowledge-based measures of text semantic similarity"

_ABOUT = {
    "plain_cosine": ("cosine of the means of their words' vectors", _MEANS, 0.0),
    "idf_cosine": ("cosine of the means of their words' vectors, weighted by idf", _MEANS, 0.0),
    "smooth_cosine": (
        "cosine of the means by smooth inverse frequency, the common component removed",
        "Arora et al. 2017, A simple but tough-to-beat baseline for sentence embeddings",
        0.0,
    ),
    "answered": ("mean cosine of the former's words to the latter's most similar ones, by idf", _ALIGNMENT, 0.0),
    "repeated": ("mean cosine of the latter's words to the former's most similar ones, by idf", _ALIGNMENT, 0.0),
    "movers_distance": (
        "relaxed Word Mover's distance; the square root of 2 for unrelated words",
        "Kusner et al. 2015, From word embeddings to document distances, section 4",
        sqrt(2),
    ),
    "soft_cosine": (
        "cosine of the tf-idf vectors where similar words are no right angles",
        "Charlet and Damnati 2017, SimBow at SemEval-2017 Task 3",
        0.0,
    ),
}
"""Each field of ``MeaningSimilarity``: meaning, source and what stands where either text has no word with a vector."""


class EmbeddingSimilarityV1(FittedFeatureGroup):
    """Cosines of means, alignment, relaxed Word Mover's distance and soft cosine; learns vectors of content words.

    Args:
        vectors: the word vectors; None before the group is fitted.
    """

    name: ClassVar[str] = "embedding_similarity_v1"
    family: ClassVar[str] = "similarity"
    about: ClassVar[str] = "similarity of the candidate and the query by the vectors of their words"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(
        FeatureColumn(f"{name}_{field}", f"{which}: {about}", source, missing)
        for name, (_, _, which) in _COMPARED.items()
        for field in MeaningSimilarity._fields
        for about, source, missing in [_ABOUT[field]]
    )
    learns_from_labels: ClassVar[bool] = False

    def __init__(self, vectors: WordVectors | None = None) -> None:
        self._vectors = vectors

    @property
    def vectors(self) -> WordVectors:
        """The word vectors, and what they were learned from.

        Raises:
            ContractError: the group is not fitted.
        """
        return self.require_fitted(self._vectors)

    def fit(self, inputs: FeatureInputs) -> Self:
        """Learn vectors from the distinct texts of the training and unannotated documents, whatever the examples."""
        return type(self)(WordVectors.learn(learned_texts(inputs), _WORDS, LEARNED_FROM))

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the texts of each pair."""
        described = pair_texts(self.entities(inputs.examples), inputs, _identified, SIDES)
        context = described.sparkSession.sparkContext
        known = context.broadcast((self.vectors.vocabulary(), self.vectors.common))

        def compare(batch: pa.RecordBatch) -> Iterator[Values]:
            return _compare(batch, *known.value)

        return compute_in_batches(described, self.entity.key, [column.name for column in self.columns], compare)

    def save(self, folder: NewModelFolder) -> None:
        """Write the vectors, and what they were learned from."""
        self.vectors.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the vectors."""
        return cls(WordVectors.load(folder))


def _identified(texts: DataFrame) -> DataFrame:
    return texts.selectExpr("text_id", "text_id AS id", f"{_WORDS} AS words")


def _compare(batch: pa.RecordBatch, vocabulary: Vocabulary, common: Numbers) -> Iterator[Values]:
    bags: dict[str, Bag | None] = {}

    def bag_of(text: dict[str, Any] | None) -> Bag | None:
        """The bag of a text, made once for all pairs of the batch that it stands in."""
        if text is None:
            return None
        if text["id"] not in bags:
            bags[text["id"]] = vocabulary.bag(text["words"])
        return bags[text["id"]]

    by_side = {side: [bag_of(text) for text in batch.column(side).to_pylist()] for side in SIDES}
    compared = [zip(by_side[one], by_side[other], strict=True) for one, other, _ in _COMPARED.values()]
    # Matrices are small: more threads would wait for each other, beside those of Spark's other tasks.
    with threadpool_limits(1):
        for pairs in zip(*compared, strict=True):
            yield [value for one, other in pairs for value in _similarity(one, other, common)]


def _similarity(one: Bag | None, other: Bag | None, common: Numbers) -> Values:
    if one is None or other is None:
        return [None] * len(MeaningSimilarity._fields)
    return compare_meaning(one, other, common)
