"""How easy the comment is to read, how it is spelt, and how friendly it sounds."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn, feature_values
from cqa_spark.features.groups.text.sentiment import sentiments
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_texts import learned_texts

_ARI = "Smith and Senter 1967, Automated readability index"
_COLEMAN = "Coleman and Liau 1975, A computer readability formula"
_AGICHTEIN = "Agichtein et al. 2008, Finding high-quality content in social media"
_SUPER_TEAM = "Mihaylova et al. 2016, SUper Team at SemEval-2016 Task 3"
_VADER = "Hutto and Gilbert 2014, VADER"
_RARE = 3
_CHAT_SPELLINGS = "'u','ur','r','n','y','d','da','dat','dis','pls','plz','coz','cuz','bcoz','gud','wat','wen'"
_LETTERS = "length(regexp_replace(array_join(words, ''), r'[^\\p{L}\\p{N}]', ''))"
_WORDS = "greatest(1, size(words))"
_SENTENCES = "greatest(1, size(sentences))"


def _share_of_words(condition: str) -> str:
    return f"size(filter(words, word -> {condition})) / {_WORDS}"


_READING = {
    FeatureColumn(
        "ari", "automated readability index, school years; from -10 to 40", _ARI
    ): f"least(40, greatest(-10, 4.71 * {_LETTERS} / {_WORDS} + 0.5 * size(words) / {_SENTENCES} - 21.43))",
    FeatureColumn(
        "coleman_liau", "Coleman-Liau index, school years; from -20 to 40", _COLEMAN
    ): f"least(40, greatest(-20, 5.88 * {_LETTERS} / {_WORDS} - 29.6 * {_SENTENCES} / {_WORDS} - 15.8))",
    FeatureColumn("long_words", "share of the words of seven or more characters", _AGICHTEIN): _share_of_words(
        "length(word) >= 7"
    ),
    FeatureColumn("short_words", "share of the words of one or two characters", "ours"): _share_of_words(
        "length(word) <= 2"
    ),
    FeatureColumn("longest_sentence", "ln(1 + characters of the longest sentence)", "ours"): (
        "ln(1 + coalesce(array_max(transform(sentences, s -> length(s))), 0))"
    ),
}

_SPELLING = {
    FeatureColumn("rare_words", f"share of the words that fewer than {_RARE} other texts hold", _AGICHTEIN): (
        f"size(filter(held_by, n -> n < {_RARE})) / {_WORDS}"
    ),
    FeatureColumn("unknown_words", "share of the words that no other text holds", _AGICHTEIN): (
        f"size(filter(held_by, n -> n = 0)) / {_WORDS}"
    ),
    FeatureColumn("mean_log_held_by", "mean of ln(1 + other texts that hold the word)", "ours"): (
        f"aggregate(held_by, 0D, (sum, n) -> sum + ln(1 + n)) / {_WORDS}"
    ),
    FeatureColumn("stretched_words", "ln(1 + words with a letter three times in a row, as written)", "ours"): (
        r"ln(1 + regexp_count(raw, r'(?i)\b\w*([a-z])\1{2,}\w*\b'))"
    ),
    FeatureColumn(
        "chat_spelling", "share of the words that are chat spellings, such as u and pls", _SUPER_TEAM
    ): _share_of_words(
        "word in ('u','ur','r','n','y','d','da','dat','dis','pls','plz','coz','cuz','bcoz','gud','wat','wen')"
    ),
    FeatureColumn("i_small", "1 where I is written small", _SUPER_TEAM): r"int(clean rlike r'\bi\b')",
    FeatureColumn(
        "small_starts", "share of the sentences that start with a small letter", _AGICHTEIN
    ): f"size(filter(sentences, s -> s rlike '^[a-z]')) / {_SENTENCES}",
    FeatureColumn("shouted_share", "share of the letters of words in capitals", _SUPER_TEAM): (
        r"length(array_join(regexp_extract_all(clean, r'\b([A-Z]{2,})\b'), '')) / greatest(1, length(clean))"
    ),
}

_SENTIMENT = {
    FeatureColumn("sentiment", "from -1, hostile, to 1, friendly", _VADER): "compound",
    FeatureColumn("positive_share", "share of the text that is positive", _VADER): "positive",
    FeatureColumn("negative_share", "share of the text that is negative", _VADER): "negative",
}

_FEATURES = {**_READING, **_SPELLING, **_SENTIMENT}
"""Each column with the Spark SQL expression over a text that computes it."""


class ReadabilityV1(CollectionGroup):
    """Reading ease, spelling and sentiment; learns how many texts hold each word, which tells misspelt ones."""

    name: ClassVar[str] = "readability_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "how easy the comment is to read, how it is spelt, and how friendly it sounds"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    terms: ClassVar[str] = "words"

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each candidate's text; a text that was counted itself does not count for its own words."""
        candidates = self.entities(inputs.examples)
        wanted = inputs.with_text(candidates, "candidate_id").select("text_id").distinct()
        texts = inputs.texts.join(wanted, on="text_id", how="left_semi")
        described = (
            texts.join(self._held_by(texts, inputs), on="text_id", how="left")
            .join(sentiments(_with_emoticons(texts)), on="text_id", how="left")
            .withColumn("held_by", F.coalesce("held_by", F.array()))
        )
        values = feature_values(_FEATURES)
        documents = inputs.documents.select("site", F.col("document_id").alias("candidate_id"), "text_id")
        by_text = described.select("text_id", *values)
        return (
            candidates.join(documents, on=list(self.entity.key), how="inner")
            .join(by_text, on="text_id", how="inner")
            .drop("text_id")
        )

    def _held_by(self, texts: DataFrame, inputs: FeatureInputs) -> DataFrame:
        """By text: how many other texts hold each of its words, in the order of the numbers."""
        counted = learned_texts(inputs).select("text_id", F.lit(1).alias("itself"))
        words = texts.select("text_id", F.explode("words").alias("term"))
        counted_words = words.join(self.collection.frequencies, on="term", how="left")
        others = F.greatest(F.lit(0), F.coalesce("document_frequency", F.lit(0)) - F.coalesce("itself", F.lit(0)))
        return (
            counted_words.join(counted, on="text_id", how="left")
            .groupBy("text_id")
            .agg(F.sort_array(F.collect_list(others)).alias("held_by"))
        )


def _with_emoticons(texts: DataFrame) -> DataFrame:
    """Give the emoticons back that cleaning made tokens of: the sentiment's word list holds them."""
    return texts.withColumn("clean", F.expr("replace(replace(clean, 'smiletoken', ':)'), 'frowntoken', ':(')"))
