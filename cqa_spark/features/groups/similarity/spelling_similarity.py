"""Similarity of query and candidate by the spelling of their words."""

from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.learned_group import CollectionGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.text.string_similarity import soft_cosines, spelling_relation

_SOURCE = "Charlet and Damnati 2017, SimBow at SemEval-2017 Task 3, soft cosine with a relation of edit distances"
_ABOUT = "soft cosine of the tf-idf vectors of {}: words with similar spelling count as partly equal"


class SpellingSimilarityV1(CollectionGroup):
    """Soft cosines in which words are related by edit distance; fitted: document frequencies of content words."""

    name = "spelling_similarity_v1"
    family = "similarity"
    about = "similarity of the candidate and the query by words with similar spelling"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("query_soft_cosine", _ABOUT.format("the query and the candidate"), _SOURCE),
        FeatureColumn("titles_soft_cosine", _ABOUT.format("the query's and the candidate's subject"), _SOURCE),
    )
    terms = "content_words"

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the texts of each pair; 0 if either has no content word."""
        texts = self.weighed(batch)
        relation = spelling_relation(texts.terms)
        return {
            "query_soft_cosine": soft_cosines(texts.tf_idf, relation, batch.query_text, batch.candidate_text),
            "titles_soft_cosine": soft_cosines(
                texts.tf_idf, relation, batch.subject_text, batch.candidate_subject_text
            ),
        }
