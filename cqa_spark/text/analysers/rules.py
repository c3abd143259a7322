"""The analyser of this package: rules for sentences and tokens of English, and Porter's stemmer.

Its arrays are those of Spark NLP's annotators, except where Spark NLP puts a sentence out of the text's order:
``tests/integration/text/test_analysis.py`` compares both.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise

import pyarrow as pa
from pyspark.sql import DataFrame

from cqa_spark.lake.schemas.text import TEXTS
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.text.analysers.analyser import Analyser
from cqa_spark.text.analysers.porter import stem
from cqa_spark.text.analysers.sentences import sentences
from cqa_spark.text.scripts import arabic_stem, has_arabic_letters, spaced_text

STOP_WORDS = frozenset((
    "i", "me", "my", "myself", "we", "our", "ours", "ourselves", "you", "your", "yours", "yourself", "yourselves", "he",
    "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself", "they", "them", "their", "theirs",
    "themselves", "what", "which", "who", "whom", "this", "that", "these", "those", "am", "is", "are", "was", "were",
    "be", "been", "being", "have", "has", "had", "having", "do", "does", "did", "doing", "a", "an", "the", "and", "but",
    "if", "or", "because", "as", "until", "while", "of", "at", "by", "for", "with", "about", "against", "between",
    "into", "through", "during", "before", "after", "above", "below", "to", "from", "up", "down", "in", "out", "on",
    "off", "over", "under", "again", "further", "then", "once", "here", "there", "when", "where", "why", "how", "all",
    "any", "both", "each", "few", "more", "most", "other", "some", "such", "no", "nor", "not", "only", "own", "same",
    "so", "than", "too", "very", "s", "t", "can", "will", "just", "don", "should", "now", "i'll", "you'll", "he'll",
    "she'll", "we'll", "they'll", "i'd", "you'd", "he'd", "she'd", "we'd", "they'd", "i'm", "you're", "he's", "she's",
    "it's", "we're", "they're", "i've", "we've", "you've", "they've", "isn't", "aren't", "wasn't", "weren't", "haven't",
    "hasn't", "hadn't", "don't", "doesn't", "didn't", "won't", "wouldn't", "shan't", "shouldn't", "mustn't", "can't",
    "couldn't", "cannot", "could", "here's", "how's", "let's", "ought", "that's", "there's", "what's", "when's",
    "where's", "who's", "why's", "would",
))  # fmt: skip
"""Those of Spark ML for English (``StopWordsRemover``)."""


class Rules(Analyser):
    """Rules for English sentences and tokens, and Porter's stemmer; needs nothing else."""

    about = "rules for sentences and tokens of English, Porter's stemmer"

    def analyse(self, texts: DataFrame) -> DataFrame:
        """Analyse the texts of each partition in Python."""
        return texts.mapInArrow(analysed, TEXTS.schema)


def analysed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of ``texts`` for batches of ``text_id``, ``raw`` and ``clean``."""
    schema = to_arrow_schema(TEXTS.schema)
    word, stem_of = cache(_word), cache(stem)  # of the words of a partition, most of which are frequent
    for batch in batches:
        rows = []
        for text_id, raw, clean in zip(*(batch[name].to_pylist() for name in ("text_id", "raw", "clean")), strict=True):
            parts = sentences(clean)
            tokens = [[*tokens_of(spaced_text(part))] for part in parts]
            words = [[*filter(None, map(word, part))] for part in tokens]
            content_words = [word for part in words for word in part if word not in STOP_WORDS]
            stems = [*map(stem_of, content_words)]
            rows.append(
                {
                    "text_id": text_id,
                    "raw": raw,
                    "clean": clean,
                    "sentences": parts,
                    "tokens": [token.lower() for part in tokens for token in part],
                    "words": [word for part in words for word in part],
                    "content_words": content_words,
                    "stems": [*map(arabic_stem, stems)] if has_arabic_letters(clean) else stems,
                    "bigrams": [f"{a} {b}" for part in words for a, b in pairwise(part)],
                }
            )
        yield pa.RecordBatch.from_pylist(rows, schema)


_BETWEEN_BLANKS = re.compile("[^\\s\u2187]+", re.ASCII)  # the sign by which Spark NLP marks blanks separates, too
_PUNCTUATION = ".,;:!?*-()\"'"


def tokens_of(sentence: str) -> Iterator[str]:
    r"""The tokens of a sentence: what stands between blanks, and the punctuation at its ends apart.

    >>> [*tokens_of('He said: "don\'t (ever)!"')]
    ['He', 'said', ':', '"', "don't", '(', 'ever', ')!"']
    """
    for piece in _BETWEEN_BLANKS.findall(sentence):
        rest = piece.lstrip(_PUNCTUATION)
        token = rest.rstrip(_PUNCTUATION)
        if not token:
            yield piece
            continue
        yield from filter(None, (piece[: len(piece) - len(rest)], token, rest[len(token) :]))


def _word(token: str) -> str:
    """The token in lower case, without what is no letter, accent or digit at its ends, and without a last ``'s``."""
    if token.isalnum():
        return token.lower()
    start, end = 0, len(token)
    while start < end and _is_edge(token[start]):
        start += 1
    while end > start and _is_edge(token[end - 1]):
        end -= 1
    if token[start:end].endswith(("'s", "'S")):
        end -= 2
    return token[start:end].lower()


def _is_edge(character: str) -> bool:
    return unicodedata.category(character)[0] not in "LMN"
