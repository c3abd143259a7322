"""What a night finds besides orders of answers, how its findings did on the past, and vectors of questions."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import EVERY, SITE
from cqa_spark.lake.table import SiteTable, column, required

_KIND: T.StructField = required("kind", "string", "kind of the finding, such as late_answer")

FINDINGS: SiteTable = SiteTable(
    "findings",
    "What somebody should look at tonight, by kind; of each kind the most important first.",
    (
        SITE,
        _KIND,
        required("post_id", "string", "the post that the finding is about"),
        required("other_id", "string", "the post that it is compared with"),
        required("thread_id", "string", "the question of the post"),
        required("score", "double", "higher is more important; comparable within a kind"),
        column("probability", "double", "probability that it is right, by a model that had not seen it; null if none"),
        required("evidence", "string", "what speaks for it, in words and numbers"),
    ),
    key=("site", "kind", "post_id", "other_id"),
)

FINDING_CASES: SiteTable = SiteTable(
    "finding_cases",
    "What would have been found on the site's own past, and what came of it: the backtest of findings.",
    (
        SITE,
        _KIND,
        required("post_id", "string", "the post that the finding is about"),
        required("cluster", "string", "cases of one cluster are not independent"),
        required("score", "double", "score of the finding; of kinds that are no lists, its measure"),
        required("rival_score", "double", "the same of its simple rival"),
        column("hit", "boolean", "whether it proved right; null for kinds whose measure says how far"),
        column(
            "probability",
            "double",
            "the stated probability that it is right; null for kinds whose backtest states none",
        ),
        column("age_days", "int", "age of the question on a replayed night, in days; null for other cases"),
    ),
    key=("site", "kind", "post_id", "age_days"),
)

_BIN = (
    T.StructType()
    .add("stated", "double")
    .add("observed", "double")
    .add("low", "double")
    .add("high", "double")
    .add("cases", "long")
    .add("clusters", "long")
)

FINDING_WORTH: JournalTable = JournalTable(
    "finding_worth",
    "What each kind of finding was worth on the past, against its simple rival; errors are by cluster.",
    (
        required("site", "string", f"the site; {EVERY} for all"),
        _KIND,
        required("finding", "string", "name of the plug-in"),
        required("measure", "string", "name of the measure, from 0 to 1"),
        required("rival", "string", "the simple rival"),
        required("cases", "bigint", "number of cases"),
        required("clusters", "bigint", "number of clusters of them"),
        column("value", "double", "the measure; null without cases"),
        column("low", "double", "lower bound of its 95 % interval; null for fewer than two clusters"),
        column("high", "double", "upper bound"),
        column("rival_value", "double", "the measure of the rival; null without cases"),
        column("difference", "double", "the value minus that of the rival"),
        column("low_difference", "double", "lower bound of its 95 % interval; null for fewer than two clusters"),
        column("high_difference", "double", "upper bound"),
        column("p_value", "double", "two-sided, of no difference"),
        column("base", "double", "the share of all cases that proved right; null for kinds that are no lists"),
        column(
            "reliability",
            T.ArrayType(_BIN),
            "for each tenth of stated probability with cases: their mean, the share that proved right with its 95 % "
            "interval (null for fewer than two clusters), and their number; null for kinds without probabilities",
        ),
        required("published", "boolean", "whether the night publishes findings of the kind"),
        required("rows", "bigint", "number of findings tonight"),
        required("reason", "string", "why they are published or not, and how they were computed"),
    ),
    key=("site", "kind"),
)

QUESTION_VECTORS: SiteTable = SiteTable(
    "question_vectors",
    "Vectors of questions by a pretrained encoder, computed once per text.",
    (
        SITE,
        required("post_id", "string", "the question"),
        required("text_hash", "string", "hash of the title, the text and the version of the encoder"),
        required("vectors", T.BinaryType(), "half-precision components of the title's unit vector, then the text's"),
    ),
    key=("site", "post_id"),
)
