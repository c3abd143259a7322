"""Results of studies: variants of systems, attention weights, audits of as-of features, statistics of data sets."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID, TASK
from cqa_spark.lake.schemas.metrics import AGGREGATE, MEASURE, OF_SYSTEM, RESAMPLING, WHERE
from cqa_spark.lake.schemas.rankings import SYSTEM
from cqa_spark.lake.table import column

_STUDY = (
    *AGGREGATE,
    column("difference", "double", "minus the full system, a fraction; 0 for itself", nullable=False),
    column(
        "p_value",
        "double",
        "two-sided, of the paired test against the system, adjusted by Holm; 1 for itself",
        nullable=False,
    ),
    *RESAMPLING,
)
"""The measures of one variant of a system, compared with the full system."""

ABLATIONS = JournalTable(
    "ablations",
    "Systems trained without a family of features, and on a family alone.",
    (
        *OF_SYSTEM,
        column("variant", "string", "all, without or only", nullable=False),
        column("family", "string", "family that is left out or alone; empty for all", nullable=False),
        column("features", "int", "number of features that are left", nullable=False),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "variant", "family"),
)

TRIALS = JournalTable(
    "trials",
    "Parameters tried for a system's ranker, trained on the training split, evaluated on the dev split.",
    (
        *OF_SYSTEM,
        column("trial", "string", "given: the recipe's own parameters; or trial and a number", nullable=False),
        column("parameters", "string", "drawn values, JSON by parameter path", nullable=False),
        column("chosen", "boolean", "whether later steps use them", nullable=False),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "trial"),
)

TRANSFERS = JournalTable(
    "transfers",
    "Systems evaluated on one site, trained on all sites, on this one alone, or on the others alone.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        WHERE,
        MEASURE,
        column("trained_on", "string", "all, own or others", nullable=False),
        *_STUDY,
    ),
    key=("system", "task", "split", "site", "measure", "trained_on"),
)

SEEDS = JournalTable(
    "seeds",
    "Systems with random training (sampled rows, features or weights), trained with several seeds.",
    (
        *OF_SYSTEM,
        column("draw", "int", "number of the seed; 0 is the recipe's own", nullable=False),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "draw"),
)

LEARNING_CURVES = JournalTable(
    "learning_curves",
    "Systems trained on a share of the training threads; groups that learn from labels are fitted on the same share.",
    (
        *OF_SYSTEM,
        column("share", "double", "share of the training threads, above 0 to 1", nullable=False),
        column("threads", "int", "number of training threads, repeats counted once", nullable=False),
        column("examples", "int", "number of labelled training examples", nullable=False),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "share"),
)

CROSS_VALIDATIONS = JournalTable(
    "cross_validations",
    "Systems by repeated cross-validation over the training threads, each tested against the best.",
    (
        SYSTEM,
        TASK,
        MEASURE,
        column("value", "double", "mean over the repeats, a fraction", nullable=False),
        column("spread", "double", "standard deviation over the repeats, due to different folds", nullable=False),
        column("low", "double", "lower end of the bootstrap interval over queries", nullable=False),
        column("high", "double", "upper end of the bootstrap interval over queries", nullable=False),
        column("confidence", "double", "coverage of the interval, such as 0.95", nullable=False),
        column("queries", "int", "number of training queries", nullable=False),
        column("best", "string", "system with the highest mean, which the others are tested against", nullable=False),
        column("difference", "double", "system minus best, a fraction; 0 for the best", nullable=False),
        column(
            "p_value",
            "double",
            "two-sided, of the paired test against the best, adjusted by Holm; 1 for itself",
            nullable=False,
        ),
        column("repeats", "int", "number of cross-validations, each with folds of its own", nullable=False),
        column("folds", "int", "folds of each, by thread with its repeats", nullable=False),
        *RESAMPLING,
    ),
    key=("system", "task", "measure"),
)


_STRINGS = T.ArrayType(T.StringType())

ATTENTIONS = JournalTable(
    "attentions",
    "Attention weights of one pair for each system that reads words, before softmax.",
    (
        SYSTEM,
        SITE,
        QUERY_ID,
        CANDIDATE_ID,
        column("query_words", _STRINGS, "words of the query that the network reads, in order", nullable=False),
        column("candidate_words", _STRINGS, "words of the candidate that it reads, in order", nullable=False),
        column(
            "weights", T.ArrayType(T.DoubleType()), "a row per word of the query, one after the other", nullable=False
        ),
    ),
    key=("system",),
)


_ROWS_BY_COLUMN = T.MapType(T.StringType(), T.LongType())

AUDIT_FINDINGS = JournalTable(
    "audit_findings",
    "Effect on the values of feature groups if all events after a time are changed.",
    (
        column("feature_group", "string", "name of the group", nullable=False),
        column("moment", "timestamp", "time after which all events were changed, UTC", nullable=False),
        column("rows", "bigint", "rows compared", nullable=False),
        column("changed", _ROWS_BY_COLUMN, "rows whose value changed, by column", nullable=False),
        column("as_of_dump", _ROWS_BY_COLUMN, "the same for facts that are known as of the dump", nullable=False),
    ),
    key=("feature_group", "moment"),
)

AUDIT_EXPOSURES = JournalTable(
    "audit_exposures",
    "Numbers of pairs that reveal something about the time after their cut, whatever the features.",
    (
        column("pairs", "bigint", "pairs with a cut", nullable=False),
        column("late", "bigint", "pairs whose answer was posted after the cut", nullable=False),
        column("edited", "bigint", "pairs whose question or answer was edited after the cut", nullable=False),
        column("deleted", "bigint", "pairs whose asker or author has no account in the dump", nullable=False),
    ),
    key=("pairs",),
)


DATA_CARD = JournalTable(
    "data_card",
    "Statistics of the data set formed by the run's examples.",
    (
        column("site", "string", "community; * for all of them together", nullable=False),
        column("split", "string", "train, dev or test; * for all of them, and for omitted threads", nullable=False),
        column(
            "measure",
            "string",
            "what was counted, such as questions; left_out: … are threads; shares are of the answers, and those "
            "whose name starts with accepted of the accepted ones",
            nullable=False,
        ),
        column("value", "double", "the count, or the share from 0 to 1", nullable=False),
    ),
    key=("site", "split", "measure"),
)
