"""The lexicon: a bag-of-words model of what a good comment says, whatever the question."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.features.group import FeatureColumn
from cqa_spark.features.groups.text.hashed_lexicon import HashedLexicon, lexicon_columns

_SOURCE = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3, word n-grams"


class LexiconV1(HashedLexicon):
    """Logistic regression on the comment's tokens, pairs of tokens and stems, hashed."""

    name: ClassVar[str] = "lexicon_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "what a bag-of-words model of relevant comments says of the comment"
    columns: ClassVar[tuple[FeatureColumn, ...]] = lexicon_columns(_SOURCE)
    buckets: ClassVar[int] = 2**17

    @classmethod
    def terms(cls) -> Column:
        """Tokens, pairs of tokens between the text's two ends, and stems, told apart by their spelling."""
        bounded = F.concat(F.array(F.lit("^")), "tokens", F.array(F.lit("$")))
        pairs = F.zip_with(
            F.slice(bounded, 1, F.size(bounded) - 1),
            F.slice(bounded, 2, F.size(bounded) - 1),
            lambda one, next_one: F.concat_ws(" ", one, next_one),
        )
        stems = F.transform("stems", lambda stem: F.concat(F.lit("stem:"), stem))
        return F.concat("tokens", pairs, stems)
