"""Ordered trees with labelled nodes, as flat arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import islice

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

NO_PARENT = -1
"""The parent of a root."""

_RELATED = 1


@dataclass(frozen=True, eq=False)
class Tree:
    """One tree; every node comes before its parent, and siblings are in order.

    Attributes:
        labels: labels of the nodes, as numbers of ``label_number``.
        parents: index of each node's parent; the root is the last node, and its parent is ``NO_PARENT``.
    """

    labels: Integers
    parents: Integers

    @cached_property
    def leaves(self) -> NDArray[np.bool_]:
        """Mask of the nodes without children."""
        is_leaf = np.ones(len(self.parents), dtype=np.bool_)
        is_leaf[self.parents[self.parents != NO_PARENT]] = False
        return is_leaf

    def relate(self, leaves: Integers) -> Tree:
        """Mark the ancestors of some leaves, up to two levels but below the root's children, as related.

        This is the tag REL of Severyn and Moschitti 2012, Structural relationships for large-scale learning of answer
        re-ranking. A related node matches related nodes of the same label only.

        Args:
            leaves: labels of the leaves.
        """
        root = len(self.parents) - 1
        above = self.parents[np.flatnonzero(self.leaves & np.isin(self.labels, leaves))]
        two_above = self.parents[above[above != NO_PARENT]]
        chunks = two_above[(two_above != NO_PARENT) & (two_above != root)]
        chunks = chunks[self.parents[chunks] != root]
        labels = self.labels.copy()
        labels[np.concatenate([above[above != NO_PARENT], chunks])] |= _RELATED
        return Tree(labels, self.parents)


@dataclass(frozen=True, eq=False)
class Forest:
    """Many trees, one after the other.

    Attributes:
        labels: labels of the nodes.
        children: concatenated children of the nodes.
        first_child: start of each node's children in ``children``; one item more than nodes.
        first_node: start of each tree's nodes; one item more than trees.
    """

    labels: Integers
    children: Integers
    first_child: Integers
    first_node: Integers

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Forest:
        """The trees, in order."""
        first_node = np.cumsum([0, *(len(tree.labels) for tree in trees)])
        starts = np.repeat(first_node[:-1], np.diff(first_node))
        nothing = np.empty(0, dtype=np.int64)
        parents = np.concatenate([nothing, *(tree.parents for tree in trees)])
        parents = np.where(parents == NO_PARENT, NO_PARENT, parents + starts)
        order = np.argsort(parents, kind="stable")
        children = order[len(trees) :]
        first_child = np.searchsorted(parents[children], np.arange(len(parents) + 1))
        return cls(np.concatenate([nothing, *(tree.labels for tree in trees)]), children, first_child, first_node)

    def __len__(self) -> int:
        return len(self.first_node) - 1

    @cached_property
    def by_label(self) -> Integers:
        """The nodes of each tree sorted by label, one tree after the other."""
        trees = np.repeat(np.arange(len(self)), np.diff(self.first_node))
        return np.lexsort((self.labels, trees))


def is_tree(tree: Tree) -> bool:
    """Whether arrays from a file form a tree; the kernel uses them as memory offsets without checks."""
    nodes = len(tree.labels)
    if not nodes or tree.labels.shape != tree.parents.shape:
        return False
    inner, root = tree.parents[:-1], tree.parents[-1]
    return bool(root == NO_PARENT and (inner > np.arange(nodes - 1)).all() and (inner < nodes).all())


def label_number(label: str) -> int:
    """The number of a label: equal in every process, and even, so that one bit is free for the tag REL.

    It is a hash of 63 bits: among 100,000 labels, two share a number with a probability below 1 in 10^9.
    """
    return int.from_bytes(blake2b(label.encode(), digest_size=8).digest(), "big", signed=True) & ~_RELATED


# Shallow syntax trees: sentences, chunks, parts of speech and words.
#
# Nicosia et al. 2015, QCRI at SemEval-2015 Task 3; Barrón-Cedeño et al. 2016, ConvKN at SemEval-2016 Task 3. Parts of
# speech (of the Penn Treebank) and chunks come from the rules and the lexicon of Pattern for English, which TextBlob
# includes (De Smedt and Daelemans 2012, Pattern for Python, JMLR 13).

MOST_WORDS = 100
"""Maximum number of tokens in the tree of a text; the time of the kernel is quadratic in it."""

_ROOT, _SENTENCE = "ROOT", "S"
_NO_CHUNK = "O"
_SLASH = "&slash;"
_Token = tuple[str, str, str]
"""Word, part of speech, and chunk tag, such as B-NP."""

_START = re.compile(rf"\s*+(?:\S++\s*+){{0,{4 * MOST_WORDS}}}")
_MOST_CHARACTERS = 100 * MOST_WORDS


def shallow_tree(sentences: Iterable[str], stems: Mapping[str, str]) -> Tree:
    """The tree of a text: root, sentences, chunks, parts of speech, words.

    Args:
        sentences: the sentences of the text.
        stems: stems of lower-case words; words without a stem are used in lower case.
    """
    labels: list[int] = []
    parents: list[int] = []

    def add(label: str, children: Iterable[int]) -> int:
        node = len(labels)
        labels.append(_number(label))
        parents.append(NO_PARENT)
        for child in children:
            parents[child] = node
        return node

    def add_token(word: str, part_of_speech: str) -> int:
        lower = word.lower()
        return add(part_of_speech, [add(leaf_label(stems.get(lower, lower)), ())])

    def add_chunk(chunk: str, tokens: Iterable[_Token]) -> list[int]:
        nodes = [add_token(word, part_of_speech) for word, part_of_speech, _ in tokens]
        return nodes if chunk == _NO_CHUNK else [add(chunk, nodes)]

    def add_sentence(tokens: list[_Token]) -> int:
        return add(_SENTENCE, [node for chunk, inside in _chunks(tokens) for node in add_chunk(chunk, inside)])

    add(_ROOT, [add_sentence(tokens) for tokens in _sentences(sentences)])
    return Tree(np.array(labels, dtype=np.int64), np.array(parents, dtype=np.int64))


def leaf_label(word: str) -> str:
    """The label of a word, distinct from all labels of parts of speech."""
    return f"={word}"


def _sentences(sentences: Iterable[str]) -> Iterator[list[_Token]]:
    from textblob.en import parse  # slow, and only recipes of papers need it

    left = MOST_WORDS
    # For the parser, an empty line ends a sentence. Its time is quadratic, so it gets no more than could matter.
    start = _START.match("\n\n".join(sentences)[:_MOST_CHARACTERS])
    assert start is not None, "the pattern matches nothing, too"
    parsed = parse(start.group(), relations=False, lemmata=False).split()
    for sentence in parsed:
        tokens = [(word.replace(_SLASH, "/"), tag, chunk) for word, tag, chunk, *_ in islice(sentence, left)]
        left -= len(tokens)
        if tokens:
            yield tokens


def _chunks(tokens: Iterable[_Token]) -> Iterator[tuple[str, list[_Token]]]:
    """The chunks of a sentence; each token outside chunks is a chunk of its own."""
    inside: list[_Token] = []
    for token in tokens:
        mark, _, _ = token[2].partition("-")
        if mark != "I" and inside:
            yield _name(inside), inside
            inside = []
        inside.append(token)
    if inside:
        yield _name(inside), inside


def _name(tokens: list[_Token]) -> str:
    _, _, name = tokens[0][2].partition("-")
    return name or _NO_CHUNK


_number = lru_cache(maxsize=100_000)(label_number)
