"""Similarity of query and candidate by tf-idf of character n-grams."""

from typing import Self

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.groups.similarity.overlap import SIDES
from cqa_spark.features.learned_group import StateGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData, learned_texts
from cqa_spark.text.characters import CharacterRuns

_COMPARED = {
    "query": ("query", "candidate", "the query and the candidate"),
    "subject": ("subject", "candidate", "the query's subject and the candidate"),
    "title": ("query", "candidate_subject", "the query and the candidate's subject"),
    "titles": ("subject", "candidate_subject", "both subjects"),
}
"""By the name of the comparison: the two texts, keys of ``SIDES``, and their description."""

_SOURCE = "McNamee and Mayfield 2004, Character n-gram tokenization for European language text retrieval"


class CharacterSimilarityV1(StateGroup[CharacterRuns], FittedQueryGroup):
    """Tf-idf cosines of character n-grams, n from 2 to 4; fitted on document frequencies.

    Args:
        state: the document frequencies.
    """

    name = "character_similarity_v1"
    family = "similarity"
    about = "similarity of the candidate and the query by tf-idf of character n-grams"
    entity = Entity.PAIR
    libraries = ("sklearn.feature_extraction", "sklearn.preprocessing")
    columns = tuple(
        FeatureColumn(f"{name}_cosine", f"cosine of the tf-idf vectors of character 2- to 4-grams of {both}", _SOURCE)
        for name, (_, _, both) in _COMPARED.items()
    )
    learns_from_labels = False
    state_type = CharacterRuns

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the distinct texts of the training and unannotated documents."""
        return Fitted(cls(CharacterRuns.of(learned_texts(training.inputs))))

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; NaN if a text is missing."""
        sides = {name: side(batch) for name, side in SIDES.items()}
        compared = np.unique(np.concatenate([np.array([ABSENT]), *sides.values()]))
        clean = [*batch.texts.clean, ""]
        weighed = self.state.weigh([clean[text] for text in compared])
        rows = {name: np.searchsorted(compared, texts) for name, texts in sides.items()}
        return {
            f"{name}_cosine": np.where(
                (sides[first] != ABSENT) & (sides[second] != ABSENT),
                np.asarray(weighed[rows[first]].multiply(weighed[rows[second]]).sum(axis=1)).ravel(),
                np.nan,
            )
            for name, (first, second, _) in _COMPARED.items()
        }
