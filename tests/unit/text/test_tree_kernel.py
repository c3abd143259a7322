"""The partial tree kernel on literal trees, and against an enumeration of fragments."""

from itertools import chain, combinations, product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_trees import tree

from cqa_spark.text.tree_kernel import compare_all, kernel
from cqa_spark.text.trees import Forest

FIRST = np.array([0])


def of_pair(one: str, other: str, mu: float, decay: float) -> float:
    forests = Forest.of([tree(one)]), Forest.of([tree(other)])
    return float(kernel(forests[0], FIRST, forests[1], FIRST, vertical_decay=mu, horizontal_decay=decay)[0])


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("(A B)", "(A B)", 3),  # A, B, A over B
        ("(A B)", "(A C)", 1),  # A
        ("(A (B C))", "(A C)", 2),  # A, C: no fragment leaves out a node between two others
        ("(A B C)", "(A C B)", 5),  # A, B, C, A over B, A over C: the order counts
        ("(NP (D a) (N cat))", "(NP (D a) (N cat))", 1 + 1 + 2 + 2 + 9),
        ("(VP (V brought) (NP (D a) (N cat)))", "(VP (V brought) (NP (D a) (N cat)))", 15 + 1 + 2 + 30),
        ("(NP (D a) (J red) (N cat))", "(NP (D a) (N cat))", 1 + 1 + 2 + 2 + 9),
    ],
)
def test_without_decay_it_counts_fragments(one: str, other: str, shared: int) -> None:
    assert of_pair(one, other, 1, 1) == shared


def test_decay_by_depth_and_by_gaps() -> None:
    # With mu = 1/2 and lambda = 1/4: a pair of leaves is mu lambda^2 = 1/32, and a fragment of a node over children
    # is mu times the product of its children's.
    leaf = 1 / 32
    assert of_pair("(A B)", "(A B)", 0.5, 0.25) == leaf + (leaf + 0.5 * leaf)
    # B and C side by side in one tree, with D between them in the other: lambda once.
    over = 0.5 * (leaf + leaf + 0.25 * leaf * leaf)
    assert of_pair("(A B C)", "(A B D C)", 0.5, 0.25) == pytest.approx(2 * leaf + leaf + over, rel=1e-15)


def test_the_normalised_kernel() -> None:
    # Fragments by the defaults 0.4 and 0.4: a leaf is 0.064, and (A B) over (A B) 0.064 + 0.4 * 0.064.
    forest = Forest.of([tree("(A B)"), tree("(A C)"), tree("D")])
    itself = 0.064 + 0.064 * 1.4
    expected = [[1, 0.064 / itself, 0], [0.064 / itself, 1, 0], [0, 0, 1]]
    assert compare_all(forest, forest) == pytest.approx(np.array(expected), rel=1e-12)


Node = tuple[Any, ...]
"""A label, and the nodes below it."""

LABELS = st.sampled_from("AB")
LEAVES = st.tuples(LABELS)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(lambda label, children: (label, *children), LABELS, st.lists(inner, max_size=3)),
    max_leaves=6,
)


def brackets(node: Node) -> str:
    return f"({' '.join([node[0], *map(brackets, node[1:])])})" if len(node) > 1 else node[0]


def fragments(node: Node) -> tuple[list[tuple[Node, int]], list[tuple[Node, int]]]:
    """By definition: the fragments that start at a node, and all of a tree; each with the children that it skips."""
    below = [fragments(child) for child in node[1:]]
    here: list[tuple[Node, int]] = [((node[0],), 0)]
    for size in range(1, len(below) + 1):
        for chosen in combinations(range(len(below)), size):
            skipped = chosen[-1] - chosen[0] + 1 - size
            for parts in product(*(below[child][0] for child in chosen)):
                here.append(((node[0], *(part for part, _ in parts)), skipped + sum(more for _, more in parts)))
    return here, [*here, *chain.from_iterable(found for _, found in below)]


def weight(fragment: Node, mu: float, decay: float) -> float:
    return mu * (prod(weight(child, mu, decay) for child in fragment[1:]) if len(fragment) > 1 else decay**2)


@given(one=TREES, other=TREES)
def test_it_is_the_sum_over_all_shared_fragments(one: Node, other: Node) -> None:
    mu, decay = 0.5, 0.25
    expected = sum(
        weight(fragment, mu, decay) * decay ** (skipped + others_skipped)
        for fragment, skipped in fragments(one)[1]
        for others, others_skipped in fragments(other)[1]
        if fragment == others
    )
    assert of_pair(brackets(one), brackets(other), mu, decay) == pytest.approx(expected, rel=1e-12)
