"""Examples: (query, candidate) pairs."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.table import SiteTable, column, required

TASK: T.StructField = required("task", "string", "name of the ranking task")
QUERY_ID: T.StructField = required("query_id", "string", "post that candidates are ranked for")
CANDIDATE_ID: T.StructField = required("candidate_id", "string", "post or comment that is ranked")

QUERY = ("site", "task", "query_id")
"""The columns that name a query."""

IN_TRAINING = "split = 'train'"
OUTSIDE_TRAINING = "split <> 'train'"

MEASURED, UNDECIDED, SERVED = "measured", "undecided", "served"
"""Roles of the examples of a task with replayed nights. ``served``: tonight's, whose rankings are published;
``measured``: those of a past night, an answer of which was accepted later; ``undecided``: of a past night without such
an answer. A role is null for other tasks, whose examples are all served."""

NIGHT_MARK = "@"
"""In the query_id of a replayed night, between the id of the question and the date of the cut."""

QUERY_POST = "CASE WHEN role IS NULL THEN query_id ELSE thread_id END"
"""The id of the post that candidates are ranked for; the query_id of a replayed night is no post."""

IS_SERVED = f"coalesce(role, '{SERVED}') = '{SERVED}'"
IS_MEASURED = f"role = '{MEASURED}'"
IS_REPLAYED = f"contains(query_id, '{NIGHT_MARK}')"
"""Of examples of a task with replayed nights, and of what is known of them by their key alone."""
IS_RANKED = f"coalesce(role, '{SERVED}') <> '{UNDECIDED}'"

CROSS_VALIDATED = "cross-validated"
"""The split of all queries if each is ranked by a model that was not trained on it."""

EXAMPLES: SiteTable = SiteTable(
    "examples",
    "One row per (query, candidate) pair of a task. The query_id of a replayed night is that of the question, followed "
    "by @ and the date of the cut.",
    (
        SITE,
        TASK,
        QUERY_ID,
        CANDIDATE_ID,
        required("thread_id", "string", "thread that holds the candidate"),
        required(
            "fold_key",
            "string",
            "thread that represents the query and all its repeats: rows of one fold_key are never split between folds",
        ),
        column("author_id", "string", "candidate's author; null where unknown"),
        column("asker_id", "string", "query's author; null where unknown"),
        column("asked_at", "timestamp", "when the query was posted; null where unknown"),
        column("answered_at", "timestamp", "when the candidate was posted; null where unknown"),
        required("initial_rank", "int", "rank from 1 that the forum or search engine gave"),
        column("label", "int", "graded relevance, 0 is none; null where not known"),
        column("relevant", "boolean", "whether the task counts the label as a hit; null where not known"),
        column("similarity", "double", "graded similarity, 0 to 5; null where not known and for tasks with classes"),
        SPLIT,
        column("cut_at", "timestamp", "time up to which a night knows events, UTC; null for tasks without nights"),
        column(
            "role",
            "string",
            "served: tonight's, ranked and published; measured: of a replayed night, an answer of which was accepted "
            "later; undecided: of a replayed night without such an answer; null for tasks without nights",
        ),
        column("age_days", "int", "midnights from the question to the cut; null for tasks without nights"),
        column(
            "accepted",
            "boolean",
            "whether the asker accepted the answer, in the dump, to look at and never to learn from; null if none is "
            "accepted, and for tasks without nights",
        ),
        column("choice", "double", "weight with which the answer is the choice to learn, 0 to 1; null without nights"),
    ),
    key=(*QUERY, "candidate_id"),
)


LEFT_OUT_GROUPS: JournalTable = JournalTable(
    "left_out_groups",
    "Feature groups that were not computed for a site, because required tables are missing from its dump.",
    (
        SITE,
        required("feature_group", "string", "name of the group"),
        required("lacking", "string", "the missing tables, separated by commas"),
    ),
    key=("site", "feature_group"),
)
