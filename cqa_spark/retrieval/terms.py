"""From texts to the terms of an index, one Arrow array at a time."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import Stemmer
from numpy.typing import NDArray

from cqa_spark.text.unspaced_scripts import spaced_texts

SEPARATORS = r"[^\p{L}\p{M}\p{N}_]+"


@dataclass(frozen=True)
class TermCounts:
    """The term frequencies of texts, ordered by text and term.

    Attributes:
        vocabulary: the distinct terms, in lexicographic order.
        text: index of the text.
        term: index of the term in ``vocabulary``.
        count: occurrences, at least 1.
        lengths: number of terms of each text, including repetitions.
    """

    vocabulary: pa.Array
    text: NDArray[np.int64]
    term: NDArray[np.int64]
    count: NDArray[np.int64]
    lengths: NDArray[np.int64]


def count_terms(texts: pa.Array) -> TermCounts:
    """Count the terms of texts: lower-case words, stemmed by the English stemmer.

    Words are sequences of letters, accents, digits and underscores, and pairs of characters in scripts without spaces.
    Stop words are kept, because they distinguish *how to* from *what is* in titles. Words of other languages lose at
    most an ending that looks like an English one.

    Args:
        texts: strings; null counts as empty.

    Source:
        Porter 2001, Snowball: the stemmer ``english``.
    """
    words = pc.split_pattern_regex(pc.utf8_lower(spaced_texts(pc.fill_null(texts, ""))), SEPARATORS)
    text = pc.list_parent_indices(words).to_numpy(zero_copy_only=False)
    encoded = pc.list_flatten(words).dictionary_encode()
    word = encoded.indices.to_numpy(zero_copy_only=False)
    # Texts that start or end with a separator have an empty word there.
    stems = np.array(["", *_stems(encoded.dictionary.to_pylist())], dtype=object)
    vocabulary, term_of = np.unique(stems, return_inverse=True)
    term = term_of[1:][word].astype(np.int64) - 1
    text, term = text[term >= 0].astype(np.int64), term[term >= 0]
    pairs, count = np.unique(text * len(vocabulary) + term, return_counts=True)
    return TermCounts(
        pa.array(vocabulary[1:].tolist(), pa.string()),
        pairs // len(vocabulary),
        pairs % len(vocabulary),
        count.astype(np.int64),
        np.bincount(text, minlength=len(texts)).astype(np.int64),
    )


def _stems(words: list[str]) -> list[str]:
    return list(Stemmer.Stemmer("english").stemWords(words))
