"""Similarity of the syntax trees of query and candidate."""

import numpy as np

from cqa_spark.features.arrays import ABSENT, Indices, Reals
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch

_KERNEL = (
    "Moschitti 2006, Efficient convolution kernels for dependency and constituent syntactic trees; Barrón-Cedeño et "
    "al. 2016, ConvKN at SemEval-2016 Task 3"
)


class TreeSimilarityV1(QueryGroup):
    """The normalised partial tree kernel of the two texts' shallow trees: sentences, chunks, parts of speech, words.

    A tree covers the first 100 tokens of a text. The group needs the extra ``papers``, whose parser is for English.
    """

    name = "tree_similarity_v1"
    family = "syntax"
    about = "similarity of the syntax trees of the candidate and the query"
    entity = Entity.PAIR
    extra = "papers"
    libraries = ("textblob",)
    columns = (
        FeatureColumn("query", "normalised partial tree kernel of the query and the candidate", _KERNEL),
        FeatureColumn("subject", "normalised partial tree kernel of the query's subject and the candidate", _KERNEL),
        FeatureColumn("titles", "normalised partial tree kernel of the query's and the candidate's subject", _KERNEL),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the trees of each pair; NaN if a text is missing."""
        return {
            "query": _compare(batch, batch.query_text, batch.candidate_text),
            "subject": _compare(batch, batch.subject_text, batch.candidate_text),
            "titles": _compare(batch, batch.subject_text, batch.candidate_subject_text),
        }


def _compare(batch: QueryBatch, asked: Indices, said: Indices) -> Reals:
    from cqa_spark.features.text_trees import TextTrees
    from cqa_spark.text.trees.forest import Forest
    from cqa_spark.text.trees.partial_tree_kernel import compare

    trees = batch.texts.derive(TextTrees)
    values = np.full(len(batch), np.nan)
    known = np.flatnonzero((asked != ABSENT) & (said != ABSENT))
    texts, places = np.unique(np.concatenate([asked[known], said[known]]), return_inverse=True)
    forest = Forest.of([trees.tree(text) for text in texts.tolist()])
    values[known] = compare(forest, places[: len(known)], forest, places[len(known) :])
    return values
