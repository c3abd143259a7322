"""The distinct texts of a batch, and values derived from them once per batch."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa

from cqa_spark.features.arrays import Vectors

Derived = TypeVar("Derived")


class Texts:
    """The distinct texts of a batch; each method returns a list with one item per text.

    Args:
        table: rows of the table ``texts``.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._lists: dict[str, list[Any]] = {}
        self._derived: dict[tuple[Hashable, ...], Any] = {}

    def __len__(self) -> int:
        return int(self._table.num_rows)

    @property
    def raw(self) -> list[str]:
        """The texts as in the dump; for HTML, the prose only."""
        return self.unit("raw")

    @property
    def clean(self) -> list[str]:
        """The texts without markup."""
        return self.unit("clean")

    @property
    def sentences(self) -> list[list[str]]:
        """The sentences of each clean text."""
        return self.unit("sentences")

    @property
    def tokens(self) -> list[list[str]]:
        """Lower-case tokens, punctuation included."""
        return self.unit("tokens")

    @property
    def words(self) -> list[list[str]]:
        """Tokens that contain a letter or digit."""
        return self.unit("words")

    @property
    def content_words(self) -> list[list[str]]:
        """Words without stop words."""
        return self.unit("content_words")

    @property
    def stems(self) -> list[list[str]]:
        """The stem of each content word."""
        return self.unit("stems")

    def unit(self, name: str) -> list[Any]:
        """A column of the table ``texts``."""
        if name not in self._lists:
            self._lists[name] = self.column(name).to_pylist()
        return self._lists[name]

    def column(self, name: str) -> pa.ChunkedArray:
        """A column of the table ``texts`` as an Arrow array, for use with Arrow's compute functions."""
        return self._table.column(name)

    def vectors(self, model: str) -> Vectors:
        """The embeddings of the texts.

        Args:
            model: name of an embedding model declared by a group of the pass.

        Returns:
            Shape (texts + 1, dimension); NaN for texts without a vector, and in the last row, the row at ``ABSENT``.
        """
        return self.derive(_vectors, model)

    def derive(self, function: Callable[..., Derived], *arguments: Hashable) -> Derived:
        """The value of a function of these texts, computed once per batch.

        Args:
            function: takes these texts and the arguments. The function object is the cache key, so pass a module-level
                function rather than a lambda.
            arguments: further arguments of the function, such as a fitted object.
        """
        key = (function, *arguments)
        if key not in self._derived:
            self._derived[key] = function(self, *arguments)
        return cast(Derived, self._derived[key])


def vector_column(model: str) -> str:
    """Name of the column with the vectors of an embedding model."""
    return f"vector_{model}"


def _vectors(texts: Texts, model: str) -> Vectors:
    column = texts.column(vector_column(model)).combine_chunks()
    known = column.is_valid().to_numpy(zero_copy_only=False)
    components = column.flatten().to_numpy(zero_copy_only=False)
    dimension = len(components) // int(known.sum()) if known.any() else 1
    vectors = np.full((len(texts) + 1, dimension), np.nan, dtype=np.float32)
    vectors[:-1][known] = components.reshape(-1, dimension)
    return vectors
