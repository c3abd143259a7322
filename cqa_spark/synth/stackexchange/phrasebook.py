"""Sentence patterns with gaps, ``patterns.yaml``, and the filling of the gaps of many sentences at once.

A sentence is a row of token numbers: fixed pieces of text, and words for the gaps. To generate gigabytes in minutes,
NumPy draws the numbers, and one table gives their texts. All texts are already escaped for XML.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from importlib.resources import files

import numpy as np
import yaml

from cqa_spark.synth.stackexchange.draws import Floats, Ints
from cqa_spark.synth.stackexchange.rows import attribute_value
from cqa_spark.synth.stackexchange.vocabulary import TAG_WORDS, Gap, SiteVocabulary


class Intent(Enum):
    """The purpose of a sentence."""

    TITLE = auto()
    PROBLEM = auto()
    ADVICE = auto()
    CODE = auto()
    PRAISE = auto()
    CRITICISM = auto()
    ASIDE = auto()
    REQUEST = auto()
    REPLY = auto()
    WIKI = auto()
    ABOUT = auto()


_TEXTS = yaml.safe_load(files("cqa_spark.synth.stackexchange").joinpath("patterns.yaml").read_text("utf-8"))

PATTERNS: Mapping[Intent, Sequence[str]] = {intent: _TEXTS[intent.name.lower()] for intent in Intent}


GAP = re.compile(r"\{(" + "|".join(gap.name.lower() for gap in Gap) + r")\}")


@dataclass(frozen=True)
class Subjects:
    """The subjects of questions, one row per question.

    Attributes:
        tags: tag numbers; columns after the question's last tag are unused.
        tag_counts: number of tags of each question.
        focus: numbers of the words that are specific to the question.
    """

    tags: Ints
    tag_counts: Ints
    focus: Ints


@dataclass(frozen=True)
class Speech:
    """Sentences with filled gaps, in the order of their patterns.

    Attributes:
        words: texts of all tokens.
        starts: start of each sentence in ``words``, and the end of the last one.
    """

    words: list[str]
    starts: list[int]

    def passage(self, first: int, end: int) -> str:
        """Return sentences ``first`` to ``end`` (exclusive), separated by spaces."""
        return "".join(self.words[self.starts[first] : self.starts[end]])[1:]

    def lines(self, first: int, end: int) -> str:
        """Return lines of code ``first`` to ``end`` (exclusive), each followed by a line break."""
        return "".join(self.words[self.starts[first] : self.starts[end]])


class Phrasebook:
    """All sentences of a site.

    Args:
        vocabulary: words of the site.
    """

    def __init__(self, vocabulary: SiteVocabulary) -> None:
        self._vocabulary = vocabulary
        texts = list(vocabulary.words)
        tokens: list[int] = []
        lengths: list[int] = []
        self._of_intent: dict[Intent, tuple[int, int]] = {}
        for intent, patterns in PATTERNS.items():
            self._of_intent[intent] = (len(lengths), len(patterns))
            for pattern in patterns:
                before = len(tokens)
                pieces = GAP.split(pattern + "\n" if intent is Intent.CODE else " " + pattern)
                for fixed, gap in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
                    if fixed:
                        tokens.append(len(texts))
                        texts.append(attribute_value(fixed))
                    if gap:
                        tokens.append(-Gap[gap.upper()])
                lengths.append(len(tokens) - before)
        self._texts = np.array(texts, dtype=object)
        self._tokens = np.array(tokens)
        self._lengths = np.array(lengths)
        self._starts = np.cumsum(self._lengths) - self._lengths

    def choose(self, intent: Intent, rng: np.random.Generator, size: int) -> Ints:
        """Draw patterns of an intent."""
        first, count = self._of_intent[intent]
        return first + rng.integers(count, size=size)

    def say(
        self, patterns: Ints, subjects: Subjects, about: Ints, rng: np.random.Generator, echo: Floats | None = None
    ) -> Speech:
        """Fill the gaps of sentences.

        Args:
            patterns: pattern of each sentence.
            subjects: subjects of the questions.
            about: question of each sentence, as a row of ``subjects``.
            rng: random generator of the block.
            echo: for each sentence, the probability that a topic word is replaced by a word specific to the question.
        """
        lengths = self._lengths[patterns]
        ends = np.cumsum(lengths)
        tokens = self._tokens[np.arange(lengths.sum()) + np.repeat(self._starts[patterns] - ends + lengths, lengths)]
        sentence = np.repeat(np.arange(len(patterns)), lengths)
        if echo is not None:
            topics = np.flatnonzero(tokens == -Gap.TOPIC)
            tokens[topics[rng.random(len(topics)) < echo[sentence[topics]]]] = -Gap.FOCUS
        for gap in Gap:
            places = np.flatnonzero(tokens == -gap)
            tokens[places] = self._fill(gap, subjects, about[sentence[places]], rng)
        return Speech(self._texts[tokens].tolist(), [0, *ends.tolist()])

    def _fill(self, gap: Gap, subjects: Subjects, question: Ints, rng: np.random.Generator) -> Ints:
        size = len(question)
        if gap is Gap.FOCUS:
            return subjects.focus[question, rng.integers(subjects.focus.shape[1], size=size)]
        if gap not in (Gap.TAG, Gap.TOPIC):
            return self._vocabulary.draw(gap, rng, size)
        # The first tag is the most frequent one.
        column = (subjects.tag_counts[question] * rng.random(size) ** 2).astype(np.int64)
        tags = subjects.tags[question, column]
        if gap is Gap.TAG:
            return self._vocabulary.tag_number(tags)
        return self._vocabulary.draw(gap, rng, size) + tags * TAG_WORDS
