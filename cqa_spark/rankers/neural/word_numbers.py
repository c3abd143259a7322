"""Words as numbers: the rows of a matrix of word vectors."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def word_numbers(words: pa.ChunkedArray, vocabulary: pa.Array, most: int) -> list[Numbers]:
    """The numbers of the words of each text; words outside the vocabulary are omitted.

    Args:
        words: a list of strings for each text.
        vocabulary: the words, numbered from 0.
        most: maximum number of words of a text.
    """
    texts = words.combine_chunks()
    numbers = pc.index_in(pc.list_flatten(texts), value_set=vocabulary).fill_null(-1).to_numpy().astype(np.int64)
    ends = np.cumsum(pc.list_value_length(texts).to_numpy())
    return [found[found >= 0][:most] for found in np.split(numbers, ends[:-1])] if len(texts) else []
