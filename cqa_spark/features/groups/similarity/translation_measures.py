"""Measures of machine translation between query and candidate."""

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch

_BLEU = "Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation"
_MTE = "Guzmán, Nakov and Màrquez 2016, MTE-NN at SemEval-2016 Task 3"

_COLUMNS = {
    "bleu": ("BLEU of the candidate with the query as reference, as a fraction", _BLEU),
    **{
        f"precision_{length}": (f"smoothed share of the candidate's {length}-grams that occur in the query", _BLEU)
        for length in range(1, 5)
    },
    "brevity": ("BLEU's brevity penalty; 1 if the candidate is longer than the query", _BLEU),
    "nist": (
        "NIST of the candidate with the query as reference, bits",
        "Doddington 2002, Automatic evaluation of machine translation quality using n-gram co-occurrence statistics",
    ),
    "meteor": (
        "METEOR of the candidate with the query as reference, by words and stems, without synonyms",
        "Lavie and Agarwal 2007, METEOR: an automatic metric for MT evaluation",
    ),
    "edits": (
        "word edits from the candidate to the query / words of the query (TER without shifts)",
        "Snover et al. 2006, A study of translation edit rate with targeted human annotation",
    ),
}


class TranslationMeasuresV1(QueryGroup):
    """BLEU and its components, NIST, METEOR and word edit rate; needs the extra ``papers``."""

    name = "translation_measures_v1"
    family = "similarity"
    about = "measures of machine translation, with the candidate as a translation of the query"
    entity = Entity.PAIR
    extra = "papers"
    libraries = ("nltk", "sacrebleu")
    columns = tuple(FeatureColumn(name, about, f"{_MTE}; {source}") for name, (about, source) in _COLUMNS.items())

    def compute(self, batch: QueryBatch) -> Values:
        """Measure each pair; NaN if a text has no words."""
        from cqa_spark.text.translation_measures import compare_translation

        words = batch.texts.words
        values = {column.name: np.full(len(batch), np.nan) for column in self.columns}
        pairs = zip(batch.query_text.tolist(), batch.candidate_text.tolist(), strict=True)
        for example, (query, candidate) in enumerate(pairs):
            if ABSENT not in (query, candidate) and words[query] and words[candidate]:
                for name, value in compare_translation(words[query], words[candidate]).items():
                    values[name][example] = value
        return values
