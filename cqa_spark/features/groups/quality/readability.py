"""How easy the comment is to read, how it is spelt, and how friendly it sounds."""

import re
from math import log1p

from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.learned_group import CollectionGroup
from cqa_spark.features.query_batch import QueryBatch, Texts
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
            for text, itself in zip(batch.known_candidate_texts(), counted, strict=True)
        ]
        return self.tabulate(keys, lambda key: self._values(batch.texts, *key))

    def _values(self, texts: Texts, index: int, itself: bool) -> dict[str, float]:
        raw, clean, sentences, words = (texts.unit(name)[index] for name in ("raw", "clean", "sentences", "words"))
        others = [max(0, self.state.frequencies.get(word, 0) - itself) for word in words]
        number, number_of_sentences = max(1, len(words)), max(1, len(sentences))
        letters = sum(map(str.isalnum, "".join(words))) / number
        grade = 4.71 * letters + 0.5 * (len(words) / number_of_sentences) - 21.43
        coleman_liau = 5.88 * letters - 29.6 * (number_of_sentences / number) - 15.8
        # VADER's word list includes emoticons, for which cleaning has placeholder tokens.
        sentiment = polarity(clean.replace("smiletoken", ":)").replace("frowntoken", ":("))
        return {
            "ari": min(40, max(-10, grade)),
            "coleman_liau": min(40, max(-20, coleman_liau)),
            "long_words": sum(len(word) >= 7 for word in words) / number,
            "short_words": sum(len(word) <= 2 for word in words) / number,
            "longest_sentence": log1p(max(map(len, sentences), default=0)),
            "rare_words": sum(holding < _RARE for holding in others) / number,
            "unknown_words": others.count(0) / number,
            "mean_log_held_by": sum(map(log1p, others)) / number,
            "stretched_words": log1p(len(_STRETCHED.findall(raw))) if _TRIPLE.search(raw) else 0.0,
            "chat_spelling": sum(map(_CHAT_SPELLINGS.__contains__, words)) / number,
            "i_small": _SMALL_I.search(clean) is not None,
            "small_starts": sum("a" <= sentence[:1] <= "z" for sentence in sentences) / number_of_sentences,
            "shouted_share": len("".join(_SHOUTED.findall(clean))) / max(1, len(clean)),
            "sentiment": sentiment["compound"],
            "positive_share": sentiment["pos"],
            "negative_share": sentiment["neg"],
        }
