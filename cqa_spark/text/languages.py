"""The languages of texts, as far as their analysis and encoders distinguish them."""

from collections import defaultdict
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.text.arabic import LETTERS

ARABIC, ENGLISH, OTHER = "ar", "en", "other"

LEAST_WORDS = 6
"""Shorter texts are left out: many of them have no stop word in any language."""

SAMPLE = 20_000
"""About so many documents are looked at."""

_PARTS = 1_000_000


def language() -> Column:
    """The language of a row of ``texts``: Arabic if it has Arabic letters, English if it has English stop words."""
    return (
        F.when(F.col("clean").rlike(LETTERS), ARABIC)
        .when(F.size("content_words") < F.size("words"), ENGLISH)
        .otherwise(OTHER)
    )


def language_shares(documents: DataFrame, texts: DataFrame, rows: int) -> dict[str, dict[str, float]]:
    """The share of each language in the texts of at least ``LEAST_WORDS`` words, by split.

    Args:
        documents: the table ``documents``.
        texts: the table ``texts``.
        rows: rows of ``documents``; of more than ``SAMPLE``, a sample by text is drawn.
    """
    is_drawn = F.pmod(F.xxhash64("text_id"), F.lit(_PARTS)) < _PARTS * SAMPLE / max(rows, SAMPLE)
    classified = (
        texts.where(F.size("words") >= LEAST_WORDS).where(is_drawn).select("text_id", language().alias("language"))
    )
    drawn = documents.where(is_drawn).select("split", "text_id").join(classified, on="text_id", how="inner")
    counts: Mapping[str, dict[str, int]] = defaultdict(dict)
    for row in drawn.groupBy("split", "language").count().collect():
        counts[row["split"]][row["language"]] = row["count"]
    return {
        split: {name: count / sum(languages.values()) for name, count in languages.items()}
        for split, languages in counts.items()
    }
