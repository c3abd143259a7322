"""Similarity of query and candidate by sentence embeddings."""

from cqa_spark.features.embedding_group import EmbeddingGroup, above_mean, cosines, exact_vectors, places
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.query_batch import QueryBatch

_SOURCE = "Reimers and Gurevych 2019, Sentence-BERT; Xiao et al. 2023, C-Pack (the model)"
_RANK = "rank of the similarity within the thread, as Barrón-Cedeño et al. 2015, Thread-level information for comments"


class SentenceSimilarityV1(EmbeddingGroup):
    """Cosine of the vectors of query and candidate, and of the query's subject and candidate."""

    name = "sentence_similarity_v1"
    family = "similarity"
    about = "similarity of the query and the candidate by sentence embeddings"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("query_cosine", "cosine of the query and the candidate", _SOURCE, 0.6),
        FeatureColumn("query_above_mean", "query_cosine minus its mean over the query's candidates", _RANK),
        FeatureColumn("query_place", "rank by query_cosine among the query's candidates, from 1", _RANK, 5.0),
        FeatureColumn("subject_cosine", "cosine of the query's subject and the candidate", _SOURCE, 0.6),
        FeatureColumn("subject_above_mean", "subject_cosine minus its mean over the query's candidates", _RANK),
        FeatureColumn("subject_place", "rank by subject_cosine among the query's candidates, from 1", _RANK, 5.0),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair, and each pair with the others of its query."""
        vectors = exact_vectors(batch)
        values = {}
        for name, asked in (("query", batch.query_text), ("subject", batch.subject_text)):
            found = cosines(vectors, asked, batch.candidate_text)
            values[f"{name}_cosine"] = found
            values[f"{name}_above_mean"] = above_mean(found, batch.query)
            values[f"{name}_place"] = places(found, batch.query)
        return values
