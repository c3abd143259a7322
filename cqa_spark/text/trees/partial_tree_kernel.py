"""The partial tree kernel: counts the fragments that two trees share.

Moschitti 2006, Efficient convolution kernels for dependency and constituent syntactic trees. A fragment is a connected
part of a tree; children may be omitted. Numba compiles the loops at the first call in a process, in about two seconds.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cqa_spark.text.trees.forest import Forest, Integers

Numbers = NDArray[np.float64]

VERTICAL_DECAY = 0.4
"""Mu: the factor for each node of a fragment; the default of KeLP (Filice et al. 2018, JMLR 18(191))."""

HORIZONTAL_DECAY = 0.4
"""Lambda: the factor for each child that a fragment skips between two others; its square is the factor for each leaf.
The default of KeLP."""


def compare_all(left: Forest, right: Forest) -> Numbers:
    """The normalised kernel of each tree of one forest with each of another.

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
    own, other = _of_itself(left), _of_itself(right)
    similarities: Numbers = kernel(left, rows, right, columns) / np.sqrt(own[rows] * other[columns])
    return similarities


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


def _of_itself(forest: Forest) -> Numbers:
    places = np.arange(len(forest))
    return kernel(forest, places, forest, places)


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

    The matrix ``shared`` is filled children first; entries of nodes with different labels are undefined.
    ``table[i, j]`` sums over common subsequences that end within the first i and j children of two nodes, decayed by
    the children that follow. It covers subsequences of all lengths, so each pair of children takes one step.
    """
    longest = max(_longest(left_first_node), _longest(right_first_node))
    shared = np.empty((longest, longest))
    table = np.zeros((longest + 1, longest + 1))
    values = np.zeros(len(rows))
    for pair in range(len(rows)):
        start, other_start = left_first_node[rows[pair]], right_first_node[columns[pair]]
        end, other_end = left_first_node[rows[pair] + 1], right_first_node[columns[pair] + 1]
        for node in range(start, end):
            children = left_children[left_first_child[node] : left_first_child[node + 1]]
            position = other_start + np.searchsorted(sorted_labels[other_start:other_end], left_labels[node])
            while position < other_end and sorted_labels[position] == left_labels[node]:
                other = by_label[position]
                others = right_children[right_first_child[other] : right_first_child[other + 1]]
                value = decay * decay
                for i in range(len(children)):
                    for j in range(len(others)):
                        below = 0.0
                        if left_labels[children[i]] == right_labels[others[j]]:
                            below = shared[children[i] - start, others[j] - other_start] * (1.0 + table[i, j])
                            value += below
                        before = table[i, j + 1] + table[i + 1, j] - decay * table[i, j]
                        table[i + 1, j + 1] = below + decay * before
                shared[node - start, other - other_start] = mu * value
                values[pair] += mu * value
                position += 1
    return values


@njit(nogil=True)
def _longest(first_node: Integers) -> int:
    longest = 0
    for tree in range(len(first_node) - 1):
        longest = max(longest, first_node[tree + 1] - first_node[tree])
    return longest
