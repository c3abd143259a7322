"""Where a comment stands in its thread, and who speaks before and after it."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.groups.thread.thread_comments import thread_comments
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.shared_accounts import same_person

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_SEMANTICZ = "Mihaylov and Nakov 2016, SemanticZ at SemEval-2016 Task 3"
_THREAD = ("site", "post_id")
_FAR = 20.0
_THANKS = ("thanks", "thank", "thanx", "thx", "thnx", "tnx", "thankyou", "appreciate", "appreciated")


def _log_hours_since(moment: str) -> str:
    seconds = f"created_at_s - {moment}"
    return f"if({seconds} < 0, 0D, ln(1 + ({seconds}) / 3600))"


_POSITION = {
    FeatureColumn("position", "place in the thread, from 1", _SEMANTICZ): "position",
    FeatureColumn("reciprocal_position", "1 over the place", _SEMANTICZ): "1 / position",
    FeatureColumn("relative_position", "place over the number of comments", _SEMANTICZ): "position / comments",
    FeatureColumn("comments", "comments of the thread", _BARRON): "comments",
    FeatureColumn("is_last", "1 for the last comment", _BARRON): "int(position = comments)",
}

_ASKER = {
    FeatureColumn("by_asker", "1 where the asker wrote the comment", _NICOSIA): "int(by_asker)",
    FeatureColumn("asker_known", "1 where the asker is one person", "ours"): "int(asker is not null)",
    FeatureColumn("asker_spoke_before", "ln(1 + the asker's comments before)", _NICOSIA): "ln(1 + asker_before)",
    FeatureColumn("asker_speaks_after", "ln(1 + the asker's comments after)", _NICOSIA): "ln(1 + asker_after)",
    FeatureColumn(
        "until_asker", "comments until the asker comes back; 20 where never", _BARRON, _FAR
    ): f"least({_FAR}, coalesce(next_asker_position - position, {_FAR}))",
    FeatureColumn(
        "since_asker", "comments since the asker spoke; 20 where not yet", _BARRON, _FAR
    ): f"least({_FAR}, coalesce(position - last_asker_position, {_FAR}))",
    FeatureColumn("next_by_asker", "1 where the asker wrote the next comment", _BARRON): "int(next_by_asker)",
    FeatureColumn("previous_by_asker", "1 where the asker wrote the comment before", _BARRON): "int(previous_by_asker)",
    FeatureColumn(
        "asker_thanks_next", "1 where the asker wrote the next comment and thanks", _NICOSIA
    ): "int(next_by_asker and next_thanks)",
    FeatureColumn(
        "asker_thanks_later", "1 where the asker thanks in some later comment", _NICOSIA
    ): "int(asker_thanks_after > 0)",
    FeatureColumn(
        "asker_asks_next", "1 where the asker wrote the next comment and it asks", _BARRON
    ): "int(next_by_asker and next_asks)",
    FeatureColumn(
        "asker_asked_before", "1 where the asker wrote the comment before and it asks", _BARRON
    ): "int(previous_by_asker and previous_asks)",
    FeatureColumn(
        "by_asker_asks", "1 where the asker wrote the comment and it asks", _NICOSIA
    ): "int(by_asker and asks)",
    FeatureColumn(
        "by_asker_thanks", "1 where the asker wrote the comment and it thanks", _NICOSIA
    ): "int(by_asker and thanks)",
}

_AUTHOR = {
    FeatureColumn("author_comments", "comments of its author in the thread", _NICOSIA, 1.0): "author_comments",
    FeatureColumn("author_turn", "which of its author's comments it is, from 1", _NICOSIA, 1.0): "author_turn",
    FeatureColumn("author_first", "1 for its author's first comment", _NICOSIA, 1.0): "int(author_turn = 1)",
    FeatureColumn("author_last", "1 for its author's last comment", _BARRON, 1.0): "int(author_turn = author_comments)",
    FeatureColumn("same_author_before", "1 where the comment before is its author's", _BARRON): "int(same_before)",
    FeatureColumn("same_author_after", "1 where the next comment is its author's", _BARRON): "int(same_after)",
    FeatureColumn("author_anonymous", "1 where its author is not known or shared", _SEMANTICZ): "int(author is null)",
    FeatureColumn("authors", "known authors that the thread has", _BARRON): "authors",
    FeatureColumn(
        "in_dialogue", "1 where its author also wrote the last comment but one or the next but one", _BARRON
    ): "int(in_dialogue)",
}

_NEIGHBOURS = {
    FeatureColumn("previous_asks", "1 where the comment before has a question mark", _BARRON): "int(previous_asks)",
    FeatureColumn("next_thanks", "1 where the next comment thanks", _NICOSIA): "int(next_thanks)",
    FeatureColumn("next_asks", "1 where the next comment has a question mark", _BARRON): "int(next_asks)",
    FeatureColumn("previous_log_words", "ln(1 + words of the comment before)", _BARRON): "ln(1 + previous_words)",
    FeatureColumn("next_log_words", "ln(1 + words of the next comment)", _BARRON): "ln(1 + next_words)",
    FeatureColumn(
        "relative_log_words", "ln((1 + words) / (1 + mean words of the thread's comments))", "ours"
    ): "ln((1 + words) / (1 + thread_words / comments))",
    FeatureColumn("length_rank", "place by words, longest first, over comments", "ours"): "length_rank / comments",
}

_TIME = {
    FeatureColumn("log_hours_since_question", "ln(1 + hours since the question)", _SEMANTICZ, -1.0): _log_hours_since(
        "asked_at_s"
    ),
    FeatureColumn(
        "log_hours_since_previous", "ln(1 + hours since the comment, or question, before)", "ours", -1.0
    ): _log_hours_since("coalesce(previous_at_s, asked_at_s)"),
}

_FEATURES = {**_POSITION, **_ASKER, **_AUTHOR, **_NEIGHBOURS, **_TIME}
"""Each column with the Spark SQL expression over a row of ``_conversation`` that computes it."""


class DialogueV1(FeatureGroup):
    """Position and conversation; looks at the whole thread, also at what was said after the comment."""

    name: ClassVar[str] = "dialogue_v1"
    family: ClassVar[str] = "dialogue"
    about: ClassVar[str] = "where the comment stands in the thread, and who speaks before and after it"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each candidate that is a comment."""
        values = feature_values(_FEATURES)
        spoken = _conversation(_turns(inputs)).select("site", "candidate_id", *values)
        return self.entities(inputs.examples).join(spoken, on=list(self.entity.key), how="inner")


def _turns(inputs: FeatureInputs) -> DataFrame:
    """All comments of the examples' threads: who speaks, when, and what the text does."""
    return (
        inputs.with_text(thread_comments(inputs), "candidate_id")
        .select(
            *_THREAD,
            "candidate_id",
            "position",
            F.unix_timestamp("asked_at").alias("asked_at_s"),
            F.unix_timestamp("created_at").alias("created_at_s"),
            "author",
            "asker",
            F.size("words").alias("words"),
            F.array_contains("tokens", "?").alias("asks"),
            F.arrays_overlap("words", F.array(*map(F.lit, _THANKS))).alias("thanks"),
        )
        .withColumn("by_asker", same_person("author", "asker"))
    )


def _conversation(turns: DataFrame) -> DataFrame:
    """Each turn with what its neighbours and the whole thread are."""
    return _with_authors(_with_asker_turns(_with_neighbours(turns)))


def _with_neighbours(turns: DataFrame) -> DataFrame:
    in_order = _in_order()
    whole = Window.partitionBy(*_THREAD)
    longest_first = Window.partitionBy(*_THREAD).orderBy(F.desc("words"), "position", "candidate_id")
    neighbours = {
        f"{side}_{what}": F.coalesce(shift(what).over(in_order), F.lit(unknown))
        for side, shift in (("previous", F.lag), ("next", F.lead))
        for what, unknown in (("asks", False), ("thanks", False), ("by_asker", False), ("words", 0))
    }
    return turns.withColumns(
        {
            **neighbours,
            "previous_at_s": F.lag("created_at_s").over(in_order),
            "comments": F.count(F.lit(1)).over(whole),
            "thread_words": F.sum("words").over(whole),
            "length_rank": F.row_number().over(longest_first),
        }
    )


def _with_asker_turns(turns: DataFrame) -> DataFrame:
    before = _in_order().rowsBetween(Window.unboundedPreceding, -1)
    after = _in_order().rowsBetween(1, Window.unboundedFollowing)
    asker_position = F.when(F.col("by_asker"), F.col("position"))
    asker_thanks = F.when(F.col("by_asker") & F.col("thanks"), F.lit(1))
    return turns.withColumns(
        {
            "asker_before": F.count(asker_position).over(before),
            "asker_after": F.count(asker_position).over(after),
            "last_asker_position": F.max(asker_position).over(before),
            "next_asker_position": F.min(asker_position).over(after),
            "asker_thanks_after": F.count(asker_thanks).over(after),
        }
    )


def _with_authors(turns: DataFrame) -> DataFrame:
    in_order = _in_order()
    of_author = Window.partitionBy(*_THREAD, "author")
    known = F.col("author").isNotNull()
    return turns.withColumns(
        {
            "author_before": F.lag("author").over(in_order),
            "author_after": F.lead("author").over(in_order),
            "author_two_before": F.lag("author", 2).over(in_order),
            "author_two_after": F.lead("author", 2).over(in_order),
            "author_comments": F.when(known, F.count(F.lit(1)).over(of_author)),
            "author_turn": F.when(known, F.row_number().over(of_author.orderBy("position", "candidate_id"))),
            "authors": F.size(F.collect_set("author").over(Window.partitionBy(*_THREAD))),
        }
    ).withColumns(
        {
            "same_before": same_person("author", "author_before"),
            "same_after": same_person("author", "author_after"),
            "in_dialogue": same_person("author", "author_two_before") | same_person("author", "author_two_after"),
        }
    )


def _in_order() -> WindowSpec:
    return Window.partitionBy(*_THREAD).orderBy("position", "candidate_id")
