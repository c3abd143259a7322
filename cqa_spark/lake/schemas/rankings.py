"""Rankings, upstream scores and feature importances."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, EXAMPLES, QUERY_ID, TASK
from cqa_spark.lake.table import SiteTable, column, required

SYSTEM: T.StructField = required("system", "string", "name of the recipe in conf/systems")

RANKINGS: SiteTable = SiteTable(
    "rankings",
    "The ranking of every query's candidates by every system.",
    (
        required("run_id", "string", "run that made the ranking"),
        SYSTEM,
        SITE,
        TASK,
        SPLIT,
        QUERY_ID,
        CANDIDATE_ID,
        required("score", "double", "higher is better; comparable within a query"),
        required(
            "rank",
            "int",
            "from 1: the accepted candidate if the night serves it first, then the highest score; ties are broken by "
            "initial_rank, then candidate_id",
        ),
        required("predicted", "boolean", "whether the system predicts that the candidate is relevant"),
        column("served", "boolean", "whether the night serves this order of the query; null outside nights"),
        *(field for field in EXAMPLES.columns if field.name == "accepted"),
    ),
    key=("run_id", "system", "site", "task", "query_id", "candidate_id"),
)

NIGHT_RANKINGS: SiteTable = SiteTable(
    "night_rankings",
    "The ranking of the answers of replayed nights, one of which was accepted later, by systems that have not learned "
    "from the thread.",
    (
        *(field for field in RANKINGS.columns if field.name != "served"),
        required("thread_id", "string", "the question"),
        *(field for field in EXAMPLES.columns if field.name in ("cut_at", "age_days")),
    ),
    key=RANKINGS.key,
)

UPSTREAM_SCORES: SiteTable = SiteTable(
    "upstream_scores",
    "Scores of upstream systems for other tasks' candidates; out of fold for training threads.",
    (
        SYSTEM,
        SITE,
        TASK,
        QUERY_ID,
        CANDIDATE_ID,
        required("score", "double", "probability of being relevant"),
    ),
    key=("system", "site", "task", "query_id", "candidate_id"),
)

FEATURE_IMPORTANCES: JournalTable = JournalTable(
    "feature_importances",
    "Feature importances of each learned system.",
    (
        SYSTEM,
        required("feature", "string", "feature column, prefixed by its group"),
        required(
            "importance",
            "double",
            "share of the total, from 0 to 1: gain for trees, absolute standardised coefficient for linear models",
        ),
        required(
            "direction",
            "int",
            "1 where more of the feature raises the score, -1 where it lowers it, 0 if the ranker does not report it",
        ),
    ),
    key=("system", "feature"),
)
