"""The lexicon of characters: parts of words, so that misspelt and unknown words count too."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.features.group import FeatureColumn
from cqa_spark.features.groups.text.hashed_lexicon import HashedLexicon, lexicon_columns

_SOURCE = "Cavnar and Trenkle 1994, N-gram-based text categorization"
_LENGTHS = range(2, 6)


class CharLexiconV1(HashedLexicon):
    """Logistic regression on the runs of 2 to 5 characters of the comment's tokens, hashed.

    A token stands between two blanks, so that its start and its end are told from its middle.
    """

    name: ClassVar[str] = "char_lexicon_v1"
    family: ClassVar[str] = "quality"
    about: ClassVar[str] = "what a model of the characters of relevant comments says of the comment"
    columns: ClassVar[tuple[FeatureColumn, ...]] = lexicon_columns(_SOURCE)
    buckets: ClassVar[int] = 2**18

    @classmethod
    def terms(cls) -> Column:
        """All runs of characters of all distinct tokens; blanks stand at their ends only."""
        text = F.concat(F.lit(" "), F.array_join(F.array_distinct("tokens"), " "), F.lit(" "))
        # A match that looks ahead takes no characters, so that the runs overlap.
        runs = [F.regexp_extract_all(text, F.lit(rf"(?=(.\S{{{length - 2}}}.))"), F.lit(1)) for length in _LENGTHS]
        return F.concat(*runs)
