"""Similarity of query and candidate by multilingual sentence embeddings."""

from cqa_spark.features.embedding_group import EmbeddingGroup, cosines, exact_vectors
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.query_batch import QueryBatch

MULTILINGUAL = "use_multilingual"

_SOURCE = "Yang et al. 2020, Multilingual Universal Sentence Encoder for semantic retrieval"


class MultilingualSimilarityV1(EmbeddingGroup):
    """Cosines of the vectors of the query and of the candidate, and of the candidate's subject."""

    name = "multilingual_similarity_v1"
    family = "similarity"
    about = "similarity of the query and the candidate by multilingual sentence embeddings"
    entity = Entity.PAIR
    embeddings = (MULTILINGUAL,)
    columns = (
        FeatureColumn("query_cosine", "cosine of the query and the candidate", _SOURCE),
        FeatureColumn("title_cosine", "cosine of the query and the candidate's subject", _SOURCE),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair; NaN if a text has no vector."""
        vectors = exact_vectors(batch, MULTILINGUAL)
        return {
            "query_cosine": cosines(vectors, batch.query_text, batch.candidate_text),
            "title_cosine": cosines(vectors, batch.query_text, batch.candidate_subject_text),
        }
