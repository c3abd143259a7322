"""The syntax trees of the texts of a batch, built once per text."""

from functools import cache

import numpy as np

from cqa_spark.features.arrays import Indices
from cqa_spark.features.batch_texts import Texts
from cqa_spark.text.trees.forest import Tree, label_number
from cqa_spark.text.trees.shallow_parse import leaf_label, shallow_tree


class TextTrees:
    """The trees of texts, built lazily, because few texts of a batch are part of a pair.

    Args:
        texts: the texts of a batch.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self.tree = cache(self._tree)
        self.content = cache(self._content)
        self._related = cache(self._relate)

    def related(self, text: int, other: int) -> Tree:
        """The tree of a text, with the tag REL at words that it shares with another text.

        Args:
            text: index of the text.
            other: index of the other text. The tree object is reused for all texts that share the same words.
        """
        shared = np.intersect1d(self.content(text), self.content(other))
        return self._related(text, tuple(shared.tolist()))

    def _relate(self, text: int, shared: tuple[int, ...]) -> Tree:
        return self.tree(text).relate(np.array(shared, dtype=np.int64)) if shared else self.tree(text)

    def _tree(self, text: int) -> Tree:
        stems = dict(zip(self._texts.content_words[text], self._texts.stems[text], strict=True))
        return shallow_tree(self._texts.sentences[text], stems)

    def _content(self, text: int) -> Indices:
        """The labels of the leaves that are not stop words."""
        return np.array([label_number(leaf_label(stem)) for stem in set(self._texts.stems[text])], dtype=np.int64)
