"""Approximates a kernel of pairs of trees by explicit features, with Nyström's method.

Williams and Seeger 2001, Using the Nyström method to speed up kernel machines; for tree kernels Croce and Basili 2016,
Large-scale kernel-based language learning through the ensemble Nyström methods. A linear model of the columns is a
kernel machine restricted to the span of the landmarks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.text.trees.forest import Forest, Tree, is_tree
from cqa_spark.text.trees.partial_tree_kernel import compare_all

Numbers = NDArray[np.float64]

_FILE = "landmarks.parquet"
_NODES = pa.list_(pa.field("element", pa.int64()))
_SCHEMA = pa.schema([(f"{side}_{part}", _NODES) for side in ("query", "candidate") for part in ("labels", "parents")])
_SMALLEST = 1e-6
"""Share of the largest eigenvalue below which an eigenvector is dropped."""


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Pairs of trees with which other pairs are compared.

    The kernel of two pairs is the mean of the normalised partial tree kernels of their queries and of their candidates
    (Filice et al. 2016, KeLP at SemEval-2016 Task 3).

    Attributes:
        queries: the query's tree of each pair.
        candidates: the candidate's tree of each pair.
    """

    queries: Sequence[Tree]
    candidates: Sequence[Tree]

    def columns(self, queries: Sequence[Tree], candidates: Sequence[Tree]) -> Numbers:
        """The columns of other pairs; their inner products approximate the kernel.

        Args:
            queries: the query's tree of each pair; identical objects are compared once.
            candidates: the candidate's tree of each pair.

        Returns:
            Shape (pairs, landmarks). The values of a pair do not depend on other pairs in the call.
        """
        compared = self._compare(queries, candidates)
        with threadpool_limits(1):
            return np.array([self._inverse_root @ row for row in compared]).reshape(compared.shape)

    def save(self, folder: NewModelFolder) -> None:
        """Write the trees as Parquet."""
        parts = (
            [getattr(tree, part).tolist() for tree in side]
            for side in (self.queries, self.candidates)
            for part in ("labels", "parents")
        )
        folder.write_arrow(_FILE, pa.table(list(parts), schema=_SCHEMA))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the saved state."""
        rows = folder.read_arrow(_FILE, _SCHEMA)
        labels, parents, other_labels, other_parents = (_arrays(column) for column in rows.columns)
        read = cls(
            [Tree(*arrays) for arrays in zip(labels, parents, strict=True)],
            [Tree(*arrays) for arrays in zip(other_labels, other_parents, strict=True)],
        )
        if not all(map(is_tree, (*read.queries, *read.candidates))):
            raise folder.refusal(_FILE, "it contains a row that is not a tree")
        return read

    def _compare(self, queries: Sequence[Tree], candidates: Sequence[Tree]) -> Numbers:
        return (_kernels(queries, self.queries) + _kernels(candidates, self.candidates)) / 2

    @cached_property
    def _inverse_root(self) -> Numbers:
        """The inverse square root of the landmarks' kernel matrix, which decorrelates the columns."""
        with threadpool_limits(1):
            values, vectors = np.linalg.eigh(self._compare(self.queries, self.candidates))
            is_large = values > _SMALLEST * values.max(initial=0.0)
            root: Numbers = (vectors[:, is_large] / np.sqrt(values[is_large])) @ vectors[:, is_large].T
        return root


def _kernels(trees: Sequence[Tree], landmarks: Sequence[Tree]) -> Numbers:
    distinct = {id(tree): tree for tree in trees}
    rows = {key: row for row, key in enumerate(distinct)}
    compared = compare_all(Forest.of(list(distinct.values())), Forest.of(landmarks))
    kernels: Numbers = compared[[rows[id(tree)] for tree in trees]]
    return kernels


def _arrays(lists: pa.ChunkedArray) -> list[NDArray[np.int64]]:
    return [np.array(values, dtype=np.int64) for values in lists.to_pylist()]
