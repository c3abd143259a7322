"""Facts that a dump has only in their final state, and alternatives to that state for the audit."""

from collections.abc import Collection
from dataclasses import replace
from enum import Enum

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs

SNAPSHOT_CAUTION = (
    "computed from the state of the dump, as in the paper: it contains events after the acceptance, "
    "and partly the acceptance itself"
)


class DumpState(Enum):
    """Facts that an as-of group may read in the state of the dump, because tables do not record them at the cut."""

    EDITS = "texts and tags after the last edit"
    DELETED_ACCOUNTS = "who wrote, unless the account was deleted"


def with_other_state(inputs: FeatureInputs, states: Collection[DumpState]) -> FeatureInputs:
    """The tables as if every post had been edited once more, or every account deleted.

    Args:
        inputs: the tables.
        states: the facts to change.
    """
    if DumpState.EDITS in states:
        inputs = _edited(inputs)
    return _without_accounts(inputs) if DumpState.DELETED_ACCOUNTS in states else inputs


def _edited(inputs: FeatureInputs) -> FeatureInputs:
    otherwise = {
        "subject": F.when(F.col("subject").isNotNull(), F.lit("Edited?")),
        "body": F.when(F.col("body").isNotNull(), F.lit("<p>Not what it was.</p>")),
        "tags": F.when(F.col("tags").isNotNull(), F.array(F.lit("edited"))),
    }
    return replace(inputs, posts=inputs.posts.withColumns(otherwise), documents=inputs.documents.where(F.lit(False)))


def _without_accounts(inputs: FeatureInputs) -> FeatureInputs:
    """Remove all accounts; posts and comments keep a placeholder name."""
    nobody = F.lit(None).cast("string")
    people = {"asker_id": nobody, "author_id": nobody}
    return replace(
        inputs,
        examples=inputs.examples.withColumns(people),
        posts=_anonymous(inputs.posts),
        comments=_anonymous(inputs.comments),
        users=inputs.users and inputs.users.where(F.lit(False)),
        badges=inputs.badges and inputs.badges.where(F.lit(False)),
    )


def _anonymous(written: DataFrame) -> DataFrame:
    name = F.coalesce("user_name", F.concat(F.lit("user"), "user_id"))
    return written.withColumn("user_name", name).withColumn("user_id", F.lit(None).cast("string"))
