"""How similar a comment is to the comments around it, to the asker's and to the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.collection_group import CollectionGroup
from cqa_spark.features.group import Entity, FeatureColumn
from cqa_spark.features.groups.thread.thread_comments import thread_comments
from cqa_spark.features.groups.thread.thread_cosines import cosine_to_sum, cosines, relative_ranks, unit_vectors
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.shared_accounts import same_person

_THREAD = ("site", "post_id")

_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_RADEV = "Radev et al. 2004, Centroid-based summarization of multiple documents"

_FEATURES = (
    FeatureColumn("previous_cosine", "cosine to the comment before", _NICOSIA),
    FeatureColumn("next_cosine", "cosine to the next comment", _NICOSIA),
    FeatureColumn("others_cosine", "cosine to the sum of the thread's other comments", _RADEV),
    FeatureColumn("closest_cosine", "highest cosine to another comment of the thread", _BARRON),
    FeatureColumn("closest_before_cosine", "highest cosine to an earlier comment: what it repeats", _BARRON),
    FeatureColumn("asker_cosine", "cosine to the sum of the asker's other comments", _NICOSIA),
    FeatureColumn("question_cosine", "cosine to the thread's question", _NICOSIA),
    FeatureColumn("new_share", "share of its terms that neither question nor earlier comments hold", "ours"),
    FeatureColumn("others_rank", "place by others_cosine, highest first, over comments", "ours", 1.0),
    FeatureColumn("question_rank", "place by question_cosine, highest first, over comments", "ours", 1.0),
)


class NeighboursV1(CollectionGroup):
    """Tf-idf cosines inside the thread, by stems; a comment without stems has cosines of 0."""

    name: ClassVar[str] = "neighbours_v1"
    family: ClassVar[str] = "dialogue"
    about: ClassVar[str] = "similarity of the comment to the rest of its thread, by stems weighed by their rarity"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = _FEATURES

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Compare the comments of each thread, one row a thread, in Arrow batches."""
        values = ", ".join(f"{column.name} double" for column in _FEATURES)
        compared = self._threads(inputs).mapInArrow(_compare_batches, f"site string, candidate_id string, {values}")
        return self.entities(inputs.examples).join(compared, on=list(self.entity.key), how="inner")

    def _threads(self, inputs: FeatureInputs) -> DataFrame:
        """One row a thread: its turns in order, each with its text's terms and their weights."""
        comments = thread_comments(inputs).select(
            *_THREAD,
            F.lit(True).alias("is_comment"),
            "position",
            "candidate_id",
            same_person("author", "asker").alias("by_asker"),
        )
        questions = comments.select(
            *_THREAD,
            F.lit(False).alias("is_comment"),
            F.lit(0).alias("position"),
            F.col("post_id").alias("candidate_id"),
            F.lit(True).alias("by_asker"),
        ).distinct()
        named = comments.unionByName(questions).join(
            inputs.documents.select("site", F.col("document_id").alias("candidate_id"), "text_id"),
            on=["site", "candidate_id"],
            how="inner",
        )
        texts = inputs.texts.join(named, on="text_id", how="left_semi")
        weighed = self.collection.weigh(texts, self.terms).select(
            "text_id", "terms", F.transform(F.map_values("weights"), lambda weight: weight["tf_idf"]).alias("weights")
        )
        turn = F.struct("is_comment", "position", "candidate_id", "by_asker", "terms", "weights")
        return (
            named.join(weighed, on="text_id", how="left")
            .withColumns({"terms": F.coalesce("terms", F.array()), "weights": F.coalesce("weights", F.array())})
            .groupBy(*_THREAD)
            .agg(F.sort_array(F.collect_list(turn)).alias("turns"))
            .select("site", "turns")
        )


def _compare_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = pa.schema([("site", pa.string()), ("candidate_id", pa.string()), *_value_fields()])
    for batch in batches:
        rows = [row for thread in batch.to_pylist() for row in _compare(thread["site"], thread["turns"])]
        yield pa.RecordBatch.from_pylist(rows, schema)


def _value_fields() -> list[tuple[str, pa.DataType]]:
    return [(column.name, pa.float64()) for column in _FEATURES]


def _compare(site: str, turns: list[dict[str, Any]]) -> Iterator[dict[str, object]]:
    """The row of each comment of a thread; the question, where it has a text, is the first turn."""
    asked = sum(not turn["is_comment"] for turn in turns)
    similar = cosines(unit_vectors([turn["terms"] for turn in turns], [turn["weights"] for turn in turns]))
    to_question = similar[asked:, 0] if asked else np.zeros(len(turns))
    comments, said = similar[asked:, asked:], turns[asked:]
    to_others = cosine_to_sum(comments, np.full(len(said), True))
    to_asker = cosine_to_sum(comments, np.array([turn["by_asker"] for turn in said], dtype=bool))
    ranks = relative_ranks(to_others), relative_ranks(to_question)
    heard = {term for turn in turns[:asked] for term in turn["terms"]}
    for place, turn in enumerate(said):
        before, after = comments[place, :place], comments[place, place + 1 :]
        terms = set(turn["terms"])
        yield {
            "site": site,
            "candidate_id": turn["candidate_id"],
            "previous_cosine": before[-1] if before.size else 0.0,
            "next_cosine": after[0] if after.size else 0.0,
            "others_cosine": to_others[place],
            "closest_cosine": max([0.0, *before, *after]),
            "closest_before_cosine": max([0.0, *before]),
            "asker_cosine": to_asker[place],
            "question_cosine": to_question[place],
            "new_share": len(terms - heard) / max(1, len(terms)),
            "others_rank": ranks[0][place],
            "question_rank": ranks[1][place],
        }
        heard |= terms
