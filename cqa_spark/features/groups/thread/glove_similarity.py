"""Similarity of query and candidate by averaged word vectors."""

from cqa_spark.features.embedding_group import EmbeddingGroup, cosines, exact_vectors
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.query_batch import QueryBatch


class GloveSimilarityV1(EmbeddingGroup):
    """The cosine of the mean word vectors of the query and of the candidate."""

    name = "glove_similarity_v1"
    family = "similarity"
    about = "similarity of the query and the candidate by averages of GloVe's word vectors"
    entity = Entity.PAIR
    embeddings = ("glove",)
    extra = "papers"
    columns = (
        FeatureColumn(
            "query_cosine",
            "cosine of the query and the candidate",
            "Cer et al. 2017, SemEval-2017 Task 1, section 8; Pennington et al. 2014, GloVe",
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare each pair; NaN if a text has no vector."""
        return {"query_cosine": cosines(exact_vectors(batch, "glove"), batch.query_text, batch.candidate_text)}
