"""Words as numbers: the rows of a matrix of word vectors."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def word_numbers(words: pa.ChunkedArray, vocabulary: pa.Array, most: int) -> list[Numbers]:
    """The numbers of the words of each text; words without a number are left out.

    Args:
        words: a list of strings for each text.
        vocabulary: the words that have numbers, in their order from 0.
        most: the first words of a text that are kept.
    """
    texts = words.combine_chunks()
    numbers = pc.index_in(pc.list_flatten(texts), value_set=vocabulary).fill_null(-1).to_numpy().astype(np.int64)
    ends = np.cumsum(pc.list_value_length(texts).to_numpy())
    return [found[found >= 0][:most] for found in np.split(numbers, ends[:-1])] if len(texts) else []
