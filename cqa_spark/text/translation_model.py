"""Probabilities that a word translates another one, by IBM model 1 (Brown et al. 1993, section 4.2).

Brown, Della Pietra, Della Pietra and Mercer 1993, The mathematics of statistical machine translation: parameter
estimation. A question and its answer take the place of a sentence and its translation (Berger et al. 2000, Bridging the
lexical chasm); pairs are learned from in both directions (Xue et al. 2008, Retrieval models for question and answer
archives).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


Reals = NDArray[np.float64]

ROUNDS = 5
"""Iterations of expectation maximisation."""
SMALLEST = 1e-3
"""Lower translation probabilities are dropped, except those of the empty word."""
_VOCABULARY, _CELLS = "vocabulary.json", "probabilities.npy"


class _Vocabulary(BaseModel):
    """What ``vocabulary.json`` holds."""

    words: list[str]


@dataclass(frozen=True, eq=False)
class TranslationModel:
    """The learned probabilities.

    Attributes:
        words: the vocabulary.
        cells: of shape (pairs of words, 3): number of a word, number of its translation, and the probability. The empty
            word, which every text contains once, has the number after the last word's.
    """

    words: Sequence[str]
    cells: Reals

    @classmethod
    def learn(cls, words: Sequence[str], texts: Sequence[Sequence[str]], translations: Sequence[Sequence[str]]) -> Self:
        """Learn from pairs of texts, in both directions.

        Args:
            words: the vocabulary; other words are ignored.
            texts: words of the first text of each pair.
            translations: words of the second.
        """
        from scipy.sparse import vstack

        bags = [bags_of(words, side) for side in (texts, translations)]
        return cls(words, _maximise(vstack(bags, format="csr"), vstack(bags[::-1], format="csr")))

    def log_likelihoods(self, texts: csr_matrix, translations: csr_matrix) -> Reals:
        """The mean log probability of the words of a translation, given its text.

        Args:
            texts: as ``bags_of`` gives them.
            translations: as many.

        Returns:
            Shape (texts,), nats; NaN for a translation in which no word of the vocabulary occurs that was learned.
        """
        with_empty = _with_empty_word(texts)
        of_words = (with_empty @ self._probabilities).multiply(1 / with_empty.sum(axis=1)).tocsr()
        given = of_words.multiply(translations > 0).tocsr()
        logs = given.copy()
        logs.data = np.log(given.data)
        sums, numbers = (values.multiply(translations).sum(axis=1).A1 for values in (logs, given > 0))
        return np.divide(sums, numbers, out=np.full(len(sums), np.nan), where=numbers > 0)

    def save(self, folder: NewModelFolder) -> None:
        """Write the vocabulary as JSON, and the probabilities as a NumPy array."""
        folder.write_json(_VOCABULARY, _Vocabulary(words=list(self.words)))
        folder.write_array(_CELLS, self.cells)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read both.

        Raises:
            ContractError: a number is no probability, or is about a word that the vocabulary lacks.
        """
        model = cls(folder.read_json(_VOCABULARY, _Vocabulary).words, folder.read_array(_CELLS, shape=(None, 3)))
        texts, translations, probabilities = model.cells.T
        is_word = (model.cells[:, :2] % 1 == 0).all(axis=1) & (texts >= 0) & (translations >= 0)
        is_word &= (texts <= len(model.words)) & (translations < len(model.words))
        if not (is_word & (probabilities > 0)).all():
            raise folder.refusal(_CELLS, "it has no probabilities, or some of words outside the vocabulary")
        return model

    @cached_property
    def _probabilities(self) -> csr_matrix:
        from scipy.sparse import csr_matrix

        texts, translations, probabilities = self.cells.T
        places = (texts.astype(np.int64), translations.astype(np.int64))
        return csr_matrix((probabilities, places), shape=(len(self.words) + 1, len(self.words)))


def bags_of(words: Sequence[str], texts: Sequence[Sequence[str]]) -> csr_matrix:
    """The numbers of occurrences of each word of a vocabulary, of shape (texts, words)."""
    from scipy.sparse import csr_matrix

    numbers = {word: number for number, word in enumerate(words)}
    numbered = [[numbers[word] for word in text if word in numbers] for text in texts]
    columns = np.fromiter((number for text in numbered for number in text), np.int64)
    ends = np.cumsum([0, *map(len, numbered)])
    bags = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(texts), len(words)))
    bags.sum_duplicates()
    return bags


def _with_empty_word(bags: csr_matrix) -> csr_matrix:
    from scipy.sparse import hstack

    return hstack([bags, np.ones((bags.shape[0], 1))], format="csr")


def _maximise(texts: csr_matrix, translations: csr_matrix) -> Reals:
    """The cells that expectation maximisation learns from pairs of bags."""
    texts, empty = _with_empty_word(texts), texts.shape[1]
    # Every word of a translation may come from every word of its text: one row for each such pair of occurrences.
    pair = np.repeat(np.arange(texts.shape[0], dtype=np.int32), np.diff(translations.indptr))
    choices = np.diff(texts.indptr)[pair]
    target = np.repeat(np.arange(translations.nnz, dtype=np.int32), choices)
    source = np.arange(len(target), dtype=np.int32) + np.repeat(
        texts.indptr[pair] - np.cumsum(choices) + choices, choices
    )
    weights = texts.data[source] * translations.data[target]
    keys = texts.indices[source].astype(np.int64) * (empty + 1) + translations.indices[target]
    cells, cell = np.unique(keys, return_inverse=True)
    sources, targets = np.divmod(cells, empty + 1)
    probabilities = np.ones(len(cells))
    for _ in range(ROUNDS):
        expected = texts.data[source] * probabilities[cell]
        shares = weights * probabilities[cell] / np.bincount(target, expected, translations.nnz)[target]
        counts = np.bincount(cell, shares, len(cells))
        probabilities = counts / np.bincount(sources, counts, empty + 1)[sources]
    is_likely = (probabilities >= SMALLEST) | (sources == empty)
    return np.column_stack([sources, targets, probabilities])[is_likely]


# Measures of machine translation between a text, as the translation, and another text, as the reference.
