"""Shallow syntax trees: sentences, chunks, parts of speech and words.

Nicosia et al. 2015, QCRI at SemEval-2015 Task 3; Barrón-Cedeño et al. 2016, ConvKN at SemEval-2016 Task 3. Parts of
speech (of the Penn Treebank) and chunks come from the rules and the lexicon of Pattern for English, which TextBlob
includes (De Smedt and Daelemans 2012, Pattern for Python, JMLR 13).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

import numpy as np
from textblob.en import parse

from cqa_spark.text.trees.forest import NO_PARENT, Tree, label_number

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
