"""The partial tree kernel, which counts the fragments that two trees share, and features that approximate it.

Moschitti 2006, Efficient convolution kernels for dependency and constituent syntactic trees. A fragment is a connected
part of a tree; children may be omitted. Numba compiles the loops at the first call in a process, in about two seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.text.trees import Forest, Integers, Tree, is_tree

Numbers = NDArray[np.float64]

VERTICAL_DECAY = 0.4
"""Mu: the factor for each node of a fragment; the default of KeLP (Filice et al. 2018, JMLR 18(191))."""

HORIZONTAL_DECAY = 0.4
"""Lambda: the factor for each child that a fragment skips between two others; its square is the factor for each leaf.
The default of KeLP."""


def compare_all(left: Forest, right: Forest) -> Numbers:
    """The normalised kernel of every tree of a forest with every tree of another.

    Returns:
        Shape (left trees, right trees), from 0 to 1; 1 for equal trees.
    """
    rows, columns = np.indices((len(left), len(right)))
    return compare(left, rows.ravel(), right, columns.ravel()).reshape(len(left), len(right))


def compare(left: Forest, rows: Integers, right: Forest, columns: Integers) -> Numbers:
    """The normalised kernel of pairs of trees: k(s, t) over the square root of k(s, s) k(t, t).

    Args:
        left: contains the first tree of each pair.
        rows: index of the first tree of each pair.
        right: contains the second tree of each pair.
        columns: index of the second tree of each pair.

    Returns:
        One item per pair, from 0 to 1.
    """
    # The kernel of each tree with itself, by which the kernels of pairs are normalised.
    left_trees, right_trees = np.arange(len(left)), np.arange(len(right))
    left_norms = kernel(left, left_trees, left, left_trees)
    right_norms = kernel(right, right_trees, right, right_trees)
    return np.asarray(kernel(left, rows, right, columns) / np.sqrt(left_norms[rows] * right_norms[columns]))


def kernel(
    left: Forest,
    rows: Integers,
    right: Forest,
    columns: Integers,
    *,
    vertical_decay: float = VERTICAL_DECAY,
    horizontal_decay: float = HORIZONTAL_DECAY,
) -> Numbers:
    """The weighted number of fragments that the trees of each pair share.

    Args:
        left: holds the first tree of each pair.
        rows: index of the first tree of each pair.
        right: holds the second tree of each pair.
        columns: index of the second tree of each pair.
        vertical_decay: see ``VERTICAL_DECAY``.
        horizontal_decay: see ``HORIZONTAL_DECAY``.
    """
    values: Numbers = _kernel(
        *(left.labels, left.children, left.first_child, left.first_node, rows),
        *(right.labels, right.children, right.first_child, right.first_node, columns),
        right.by_label,
        right.labels[right.by_label],
        vertical_decay,
        horizontal_decay,
    )
    return values


@njit(nogil=True)
def _kernel(
    left_labels: Integers,
    left_children: Integers,
    left_first_child: Integers,
    left_first_node: Integers,
    rows: Integers,
    right_labels: Integers,
    right_children: Integers,
    right_first_child: Integers,
    right_first_node: Integers,
    columns: Integers,
    by_label: Integers,
    sorted_labels: Integers,
    mu: float,
    decay: float,
) -> Numbers:
    """Sum the shared fragments over pairs of nodes with equal labels.

    ``shared[m, n]`` is the value of node m of the left tree and node n of the right one, counted from the first node of
    their trees. Children come before their parents, so it is filled in time; entries of nodes with different labels are
    undefined. ``table[i, j]`` sums over common subsequences that end within the first i and j children of two nodes,
    decayed by the children that follow. It covers subsequences of all lengths, so each pair of children takes one step.
    """
    longest = max(_longest(left_first_node), _longest(right_first_node))
    shared = np.empty((longest, longest))
    table = np.zeros((longest + 1, longest + 1))
    values = np.zeros(len(rows))
    for pair in range(len(rows)):
        left_start, left_end = left_first_node[rows[pair]], left_first_node[rows[pair] + 1]
        right_start, right_end = right_first_node[columns[pair]], right_first_node[columns[pair] + 1]
        for node in range(left_start, left_end):
            children = left_children[left_first_child[node] : left_first_child[node + 1]]
            # The right tree's nodes with the same label stand together in by_label.
            position = right_start + np.searchsorted(sorted_labels[right_start:right_end], left_labels[node])
            while position < right_end and sorted_labels[position] == left_labels[node]:
                match = by_label[position]
                match_children = right_children[right_first_child[match] : right_first_child[match + 1]]
                value = decay * decay
                for i in range(len(children)):
                    for j in range(len(match_children)):
                        child, match_child = children[i], match_children[j]
                        below = 0.0
                        if left_labels[child] == right_labels[match_child]:
                            below = shared[child - left_start, match_child - right_start] * (1.0 + table[i, j])
                            value += below
                        before = table[i, j + 1] + table[i + 1, j] - decay * table[i, j]
                        table[i + 1, j + 1] = below + decay * before
                shared[node - left_start, match - right_start] = mu * value
                values[pair] += mu * value
                position += 1
    return values


@njit(nogil=True)
def _longest(first_node: Integers) -> int:
    longest = 0
    for tree in range(len(first_node) - 1):
        longest = max(longest, first_node[tree + 1] - first_node[tree])
    return longest


_FILE = "landmarks.parquet"
_NODES = pa.list_(pa.field("element", pa.int64()))
_SCHEMA = pa.schema([(f"{side}_{part}", _NODES) for side in ("query", "candidate") for part in ("labels", "parents")])
_SMALLEST = 1e-6
"""Share of the largest eigenvalue below which an eigenvector is dropped."""


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Pairs of trees, by which the kernel of other pairs is approximated with explicit features: Nyström's method.

    A linear model of the features is a kernel machine restricted to the span of the landmarks. The kernel of two pairs
    is the mean of the normalised partial tree kernels of their queries and of their candidates (Filice et al. 2016,
    KeLP at SemEval-2016 Task 3).

    Attributes:
        queries: the query's tree of each pair.
        candidates: the candidate's tree of each pair.

    Source:
        Williams and Seeger 2001, Using the Nyström method to speed up kernel machines; for tree kernels Croce and
        Basili 2016, Large-scale kernel-based language learning through the ensemble Nyström methods.
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
        columns = []
        for trees in (self.queries, self.candidates):
            columns.append([tree.labels.tolist() for tree in trees])
            columns.append([tree.parents.tolist() for tree in trees])
        folder.write_arrow(_FILE, pa.table(columns, schema=_SCHEMA))

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the saved state."""
        rows = folder.read_arrow(_FILE, _SCHEMA)
        trees: dict[str, list[Tree]] = {}
        for side in ("query", "candidate"):
            labels, parents = rows[f"{side}_labels"].to_pylist(), rows[f"{side}_parents"].to_pylist()
            trees[side] = [
                Tree(np.array(tree_labels, dtype=np.int64), np.array(tree_parents, dtype=np.int64))
                for tree_labels, tree_parents in zip(labels, parents, strict=True)
            ]
        if not all(map(is_tree, (*trees["query"], *trees["candidate"]))):
            raise folder.refusal(_FILE, "it contains a row that is not a tree")
        return cls(trees["query"], trees["candidate"])

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
    # Equal objects are compared once: many candidates share a query.
    distinct = {id(tree): tree for tree in trees}
    rows = {key: row for row, key in enumerate(distinct)}
    compared = compare_all(Forest.of(list(distinct.values())), Forest.of(landmarks))
    kernels: Numbers = compared[[rows[id(tree)] for tree in trees]]
    return kernels
