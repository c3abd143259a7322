"""How easy the comment is to read, how it is spelt, and how friendly it sounds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p

from cqa_spark.features.batch_texts import Texts
from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.tabulate import candidate_texts, tabulate
from cqa_spark.features.training_data import LEARNED_FROM
from cqa_spark.text.vader import polarity

_ARI = "Smith and Senter 1967, Automated readability index"
_COLEMAN = "Coleman and Liau 1975, A computer readability formula"
_AGICHTEIN = "Agichtein et al. 2008, Finding high-quality content in social media"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_VADER = "Hutto and Gilbert 2014, VADER"
_RARE = 3
_CHAT_SPELLINGS = frozenset(
    ("u", "ur", "r", "n", "y", "d", "da", "dat", "dis", "pls", "plz", "coz", "cuz", "bcoz", "gud", "wat", "wen")
)
_STRETCHED = re.compile(r"\b\w*([a-z])\1{2,}\w*\b", re.IGNORECASE | re.ASCII)
_TRIPLE = re.compile(r"([a-z])\1\1", re.IGNORECASE | re.ASCII)
_SMALL_I = re.compile(r"\bi\b")
_SHOUTED = re.compile(r"\b[A-Z]{2,}\b")


@dataclass(frozen=True)
class _Comment:
    """A comment's text.

    Attributes:
        held_by: for each word, the number of other texts in the collection that contain it.
    """

    raw: str
    clean: str
    sentences: Sequence[str]
    words: Sequence[str]
    held_by: list[int]

    @cached_property
    def letters(self) -> int:
        return sum(map(str.isalnum, "".join(self.words)))

    @cached_property
    def sentiment(self) -> Mapping[str, float]:
        """VADER scores; the word list includes the placeholder tokens for emoticons."""
        return polarity(self.clean.replace("smiletoken", ":)").replace("frowntoken", ":("))

    def per_word(self, count: float) -> float:
        return count / max(1, len(self.words))

    def per_sentence(self, count: float) -> float:
        return count / max(1, len(self.sentences))


class ReadabilityV2(CollectionGroup):
    """Reading ease, spelling and sentiment; fitted on document frequencies, which reveal misspelt words.

    If a text is part of the counted collection, it is excluded from the counts of its own words.
    """

    name = "readability_v2"
    family = "quality"
    about = "how easy the comment is to read, how it is spelt, and how friendly it sounds"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("ari", "automated readability index, school years; from -10 to 40", _ARI),
        FeatureColumn("coleman_liau", "Coleman-Liau index, school years; from -20 to 40", _COLEMAN),
        FeatureColumn("long_words", "share of the words of seven or more characters", _AGICHTEIN),
        FeatureColumn("short_words", "share of the words of one or two characters", "ours"),
        FeatureColumn("longest_sentence", "ln(1 + characters of the longest sentence)", "ours"),
        FeatureColumn("rare_words", f"share of the words that occur in fewer than {_RARE} other texts", _AGICHTEIN),
        FeatureColumn("unknown_words", "share of the words in no other text", _AGICHTEIN),
        FeatureColumn("mean_log_held_by", "mean of ln(1 + other texts with the word)", "ours"),
        FeatureColumn("stretched_words", "ln(1 + words with a letter three times in a row, as written)", "ours"),
        FeatureColumn("chat_spelling", "share of the words that are chat spellings, such as u and pls", _SUPER_TEAM),
        FeatureColumn("i_small", "1 if it contains a lower-case I", _SUPER_TEAM),
        FeatureColumn("small_starts", "share of the sentences that start in lower case", _AGICHTEIN),
        FeatureColumn("shouted_share", "share of the characters in words written in capitals", _SUPER_TEAM),
        FeatureColumn("sentiment", "from -1, hostile, to 1, friendly", _VADER),
        FeatureColumn("positive_share", "share of the text that is positive", _VADER),
        FeatureColumn("negative_share", "share of the text that is negative", _VADER),
    )
    terms = "words"

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate's text."""
        counted = [split in LEARNED_FROM for split in batch.column("split")]
        keys = [
            None if text is None else (text, itself)
            for text, itself in zip(candidate_texts(batch), counted, strict=True)
        ]
        return tabulate(self.columns, keys, lambda key: _values(self._read(batch.texts, *key)))

    def _read(self, texts: Texts, index: int, itself: bool) -> _Comment:
        words, holding = texts.words[index], self.state.frequencies
        held_by = [max(0, holding.get(word, 0) - itself) for word in words]
        return _Comment(texts.raw[index], texts.clean[index], texts.sentences[index], words, held_by)


def _values(comment: _Comment) -> dict[str, float]:
    return {
        "ari": min(
            40,
            max(-10, 4.71 * comment.per_word(comment.letters) + 0.5 * comment.per_sentence(len(comment.words)) - 21.43),
        ),
        "coleman_liau": min(
            40,
            max(
                -20,
                5.88 * comment.per_word(comment.letters)
                - 29.6 * comment.per_word(max(1, len(comment.sentences)))
                - 15.8,
            ),
        ),
        "long_words": comment.per_word(sum(len(word) >= 7 for word in comment.words)),
        "short_words": comment.per_word(sum(len(word) <= 2 for word in comment.words)),
        "longest_sentence": log1p(max(map(len, comment.sentences), default=0)),
        "rare_words": comment.per_word(sum(texts < _RARE for texts in comment.held_by)),
        "unknown_words": comment.per_word(comment.held_by.count(0)),
        "mean_log_held_by": comment.per_word(sum(map(log1p, comment.held_by))),
        "stretched_words": log1p(sum(1 for _ in _STRETCHED.finditer(comment.raw)))
        if _TRIPLE.search(comment.raw)
        else 0.0,
        "chat_spelling": comment.per_word(sum(map(_CHAT_SPELLINGS.__contains__, comment.words))),
        "i_small": _SMALL_I.search(comment.clean) is not None,
        "small_starts": comment.per_sentence(sum("a" <= sentence[:1] <= "z" for sentence in comment.sentences)),
        "shouted_share": len("".join(_SHOUTED.findall(comment.clean))) / max(1, len(comment.clean)),
        "sentiment": comment.sentiment["compound"],
        "positive_share": comment.sentiment["pos"],
        "negative_share": comment.sentiment["neg"],
    }
