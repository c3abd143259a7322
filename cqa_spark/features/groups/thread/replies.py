"""Who answers whom by name, and how the asker reacts to a comment."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.groups.thread.thread_comments import thread_comments
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.shared_accounts import same_person

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_THREAD = ("site", "post_id")
_SHORTEST_NAME = 4
_REACTIONS = 2
"""How many of the asker's next comments may be a reaction."""

_THANKS = r"\b(thanks?|thanx|thx|thnx|tnx|thankyou|appreciated?)\b"
_PRAISE = r"\b(great|good|helpful|nice|perfect|useful|exactly|will (try|do|check|call|go))\b"

_FEATURES = {
    FeatureColumn("names_another", "1 where it names another author of the thread", _NICOSIA): "int(size(named) > 0)",
    FeatureColumn(
        "starts_with_name", "1 where it starts with @ or with the name of another author of the thread", _NICOSIA
    ): r"int(text rlike '^\\W*@' or exists(named, one -> startswith(regexp_replace(text, '^\\W+', ''), one.name)))",
    FeatureColumn(
        "names_asker", "1 where it names the asker", _NICOSIA
    ): "int(exists(named, one -> one.author = asker))",
    FeatureColumn(
        "named_later", "ln(1 + later comments of others that name its author)", _BARRON
    ): "ln(1 + size(filter(calls, call -> call.author = author and call.position > position)))",
    FeatureColumn(
        "named_by_asker", "1 where the asker names its author in a later comment", _BARRON
    ): "int(exists(calls, call -> call.author = author and call.position > position and call.by_asker))",
    FeatureColumn(
        "asker_thanks", f"1 where the asker thanks within the next {_REACTIONS} comments of the asker", _NICOSIA
    ): "int(exists(reactions, one -> one.thanks))",
    FeatureColumn(
        "asker_praises", f"1 where the asker praises or complies within the next {_REACTIONS}", "ours"
    ): "int(exists(reactions, one -> one.praises))",
    FeatureColumn(
        "asker_asks", f"1 where the asker asks within the next {_REACTIONS} comments of the asker", _NICOSIA
    ): "int(exists(reactions, one -> one.asks))",
    FeatureColumn(
        "asker_thanks_at_once", "1 where the asker's next comment follows within two comments and thanks", "ours"
    ): "int(exists(slice(reactions, 1, 1), one -> one.thanks and one.position <= position + 2))",
    FeatureColumn(
        "asker_thanks_by_name", f"1 where the asker thanks within the next {_REACTIONS} and names its author", "ours"
    ): "int(exists(reactions, one -> one.thanks and "
    "exists(calls, call -> call.author = author and call.position = one.position)))",
}
"""Each column with the Spark SQL expression over a row of ``_with_calls`` that computes it."""


class RepliesV1(FeatureGroup):
    """Names that comments call, and what the asker says next; the asker's own comments get no reactions."""

    name: ClassVar[str] = "replies_v1"
    family: ClassVar[str] = "dialogue"
    about: ClassVar[str] = "who answers whom by name, and how the asker reacts to the comment"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each candidate that is a comment."""
        values = feature_values(_FEATURES)
        spoken = _with_calls(_with_names(_turns(inputs))).select("site", "candidate_id", *values)
        return self.entities(inputs.examples).join(spoken, on=list(self.entity.key), how="inner")


def _turns(inputs: FeatureInputs) -> DataFrame:
    text = F.lower("clean")
    return (
        inputs.with_text(thread_comments(inputs), "candidate_id")
        .select(
            *_THREAD,
            "candidate_id",
            "position",
            "author",
            "asker",
            F.lower(F.trim("author_name")).alias("name"),
            text.alias("text"),
            F.array_contains("tokens", "?").alias("asks"),
            text.rlike(_THANKS).alias("thanks"),
            text.rlike(_PRAISE).alias("praises"),
        )
        .withColumn("by_asker", same_person("author", "asker"))
    )


def _with_names(turns: DataFrame) -> DataFrame:
    """Each turn with the other authors that its text names; short names are words too often."""
    long_enough = turns.where(F.col("author").isNotNull() & (F.length("name") >= _SHORTEST_NAME))
    names = long_enough.groupBy(*_THREAD).agg(F.array_sort(F.collect_set(F.struct("author", "name"))).alias("names"))
    calls_it = r"text rlike concat('(?<![\\p{L}\\p{N}])\\Q', one.name, '\\E(?![\\p{L}\\p{N}])')"
    is_named = f"not (one.author <=> author) and contains(text, one.name) and {calls_it}"
    named = F.expr(f"filter(coalesce(names, array()), one -> {is_named})")
    return turns.join(names, on=list(_THREAD), how="left").withColumn("named", named).drop("names")


def _with_calls(turns: DataFrame) -> DataFrame:
    """Each turn with the names that the thread's comments call, and the asker's next comments."""
    by_asker = F.when(F.col("by_asker"), F.struct("position", "thanks", "praises", "asks"))
    call = F.expr("transform(named, one -> struct(one.author AS author, position, by_asker))")
    of_thread = turns.groupBy(*_THREAD).agg(
        F.array_sort(F.flatten(F.collect_list(call))).alias("calls"),
        F.array_sort(F.collect_list(by_asker)).alias("asker_turns"),
    )
    later = f"slice(filter(asker_turns, one -> one.position > position), 1, {_REACTIONS})"
    reactions = F.expr(f"if(by_asker, slice(asker_turns, 1, 0), {later})").alias("reactions")
    return turns.join(of_thread, on=list(_THREAD), how="left").select("*", reactions)
