"""Links to the candidate that were known when the query was asked."""

import numpy as np
import pyarrow.compute as pc

from cqa_spark.features.arrays import seconds
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.query_batch import QueryBatch

_OURS = "ours: canonical questions are linked again and again"


class IncomingLinksV1(PostGroup):
    """Number of earlier posts that link to the candidate, and of questions closed as its duplicates."""

    name = "incoming_links_v1"
    family = "question"
    about = "links to the earlier question that were made before the query was asked"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("log_links", "ln(1 + links to the candidate)", _OURS),
        FeatureColumn("log_duplicates", "ln(1 + questions closed as its duplicates)", _OURS),
    )
    needs = ("post_links",)

    def compute(self, batch: QueryBatch) -> Values:
        """The values of each pair; links without a time are ignored."""
        links = batch.links
        example, link = batch.joined("candidate_id", links, "candidate_id")
        known = seconds(links["linked_at"])[link] < batch.times("asked_at")[example]
        is_duplicate = pc.cast(links["is_duplicate"], "int8").to_numpy().astype(bool)[link]
        counts = (np.bincount(example[known & kind], minlength=len(batch)) for kind in (~is_duplicate, is_duplicate))
        return dict(zip(("log_links", "log_duplicates"), map(np.log1p, counts), strict=True))
