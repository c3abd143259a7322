"""Trees in brackets, as the Penn Treebank writes them."""

import numpy as np

from cqa_spark.text.trees import NO_PARENT, Tree, label_number


def tree(brackets: str) -> Tree:
    """The tree of ``(NP (D a) (N cat))``."""
    labels: list[str] = []
    parents: list[int] = []
    above: list[tuple[str, list[int]]] = []

    def close(label: str, children: list[int]) -> None:
        for child in children:
            parents[child] = len(labels)
        if above:
            above[-1][1].append(len(labels))
        labels.append(label)
        parents.append(NO_PARENT)

    words = brackets.replace("(", " ( ").replace(")", " ) ").split()
    for before, word in zip(["", *words], words, strict=False):
        if word == ")":
            close(*above.pop())
        elif before == "(":
            above.append((word, []))
        elif word != "(":
            close(word, [])
    return Tree(np.array([label_number(label) for label in labels]), np.array(parents))
