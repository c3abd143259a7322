"""Tags, age and askers of a pair of questions."""

import numpy as np

from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.query_batch import QueryBatch

_HOOGEVEEN = "Hoogeveen et al. 2015, CQADupStack, section 3: what a question has beside its text"
_DAY = 86_400.0


class QuestionPairV1(PostGroup):
    """Shared tags, the time between the questions, and whether one person asked both."""

    name = "question_pair_v1"
    family = "question"
    about = "tags, age and askers of the query and an earlier question"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("shared_tags", "number of shared tags", _HOOGEVEEN),
        FeatureColumn("tag_overlap", "Jaccard similarity of the tags", _HOOGEVEEN),
        FeatureColumn("log_days", "ln(1 + days from the candidate to the query)", _HOOGEVEEN),
        FeatureColumn("same_asker", "1 if the same account asked both", _HOOGEVEEN),
    )
    post_columns = ("tags",)

    def compute(self, batch: QueryBatch) -> Values:
        """The values of each pair."""
        tags = [*(frozenset(each or ()) for each in batch.posts["tags"].to_pylist()), frozenset()]
        pairs = [(tags[one], tags[other]) for one, other in zip(batch.query_post, batch.candidate_post, strict=True)]
        shared = np.array([len(one & other) for one, other in pairs], dtype=np.float64)
        either = np.array([len(one | other) for one, other in pairs], dtype=np.float64)
        askers = zip(batch.column("asker_id"), batch.column("author_id"), strict=True)
        days = (batch.times("asked_at") - batch.times("answered_at")) / _DAY
        return {
            "shared_tags": shared,
            "tag_overlap": shared / np.maximum(either, 1),
            "log_days": np.log1p(np.maximum(days, 0)),
            "same_asker": np.array([one is not None and one == other for one, other in askers], dtype=np.float64),
        }
