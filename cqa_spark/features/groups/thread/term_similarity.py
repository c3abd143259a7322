"""Similarity of query and candidate by terms weighted by rarity."""

from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, Values
from cqa_spark.features.groups.thread.term_match import TermMatch
from cqa_spark.features.query_batch import QueryBatch

_QUERY = TermMatch("query", "the query", "the candidate")
_SUBJECT = TermMatch("subject", "the query's subject", "the candidate")


class TermSimilarityV1(CollectionGroup):
    """Tf-idf cosines, idf-weighted containment and BM25; fitted on document frequencies of stems."""

    name = "term_similarity_v1"
    family = "similarity"
    about = "similarity of the candidate and the query by tf-idf of stems"
    entity = Entity.PAIR
    columns = (*_QUERY.columns, *_SUBJECT.columns)

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the weighted stems of each pair; 0 if either text has none."""
        texts = self.weighed(batch)
        return {
            **_QUERY.compare(texts, batch.query_text, batch.candidate_text),
            **_SUBJECT.compare(texts, batch.subject_text, batch.candidate_text),
        }
