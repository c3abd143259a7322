"""Results of studies: variants of systems, attention weights, audits of as-of features, statistics of data sets."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID, TASK
from cqa_spark.lake.schemas.metrics import AGGREGATE, MEASURE, OF_SYSTEM, RESAMPLING, WHERE
from cqa_spark.lake.schemas.rankings import SYSTEM
from cqa_spark.lake.table import required

_STUDY = (
    *AGGREGATE,
    required("difference", "double", "minus the full system, a fraction; 0 for itself"),
    required("p_value", "double", "two-sided, of the paired test against the system, adjusted by Holm; 1 for itself"),
    *RESAMPLING,
)
"""The measures of one variant of a system, compared with the full system."""

ABLATIONS: JournalTable = JournalTable(
    "ablations",
    "Systems trained without a family of features, and on a family alone.",
    (
        *OF_SYSTEM,
        required("variant", "string", "all, without or only"),
        required("family", "string", "family that is left out or alone; empty for all"),
        required("features", "int", "number of features that are left"),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "variant", "family"),
)

TRIALS: JournalTable = JournalTable(
    "trials",
    "Parameters tried for a system's ranker, trained on the training split, evaluated on the dev split.",
    (
        *OF_SYSTEM,
        required("trial", "string", "given: the recipe's own parameters; or trial and a number"),
        required("parameters", "string", "drawn values, JSON by parameter path"),
        required("chosen", "boolean", "whether later steps use them"),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "trial"),
)

TRANSFERS: JournalTable = JournalTable(
    "transfers",
    "Systems evaluated on one site, trained on all sites, on this one alone, or on the others alone.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        WHERE,
        MEASURE,
        required("trained_on", "string", "all, own or others"),
        *_STUDY,
    ),
    key=("system", "task", "split", "site", "measure", "trained_on"),
)

SEEDS: JournalTable = JournalTable(
    "seeds",
    "Systems with random training (sampled rows, features or weights), trained with several seeds.",
    (
        *OF_SYSTEM,
        required("draw", "int", "number of the seed; 0 is the recipe's own"),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "draw"),
)

LEARNING_CURVES: JournalTable = JournalTable(
    "learning_curves",
    "Systems trained on a share of the training threads; groups that learn from labels are fitted on the same share.",
    (
        *OF_SYSTEM,
        required("share", "double", "share of the training threads, above 0 to 1"),
        required("threads", "int", "number of training threads, repeats counted once"),
        required("examples", "int", "number of labelled training examples"),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "share"),
)

CROSS_VALIDATIONS: JournalTable = JournalTable(
    "cross_validations",
    "Systems by repeated cross-validation over the training threads, each tested against the best.",
    (
        SYSTEM,
        TASK,
        MEASURE,
        required("value", "double", "mean over the repeats, a fraction"),
        required("spread", "double", "standard deviation over the repeats, due to different folds"),
        required("low", "double", "lower end of the bootstrap interval over queries"),
        required("high", "double", "upper end of the bootstrap interval over queries"),
        required("confidence", "double", "coverage of the interval, such as 0.95"),
        required("queries", "int", "number of training queries"),
        required("best", "string", "system with the highest mean, which the others are tested against"),
        required("difference", "double", "system minus best, a fraction; 0 for the best"),
        required("p_value", "double", "two-sided, of the paired test against the best, adjusted by Holm; 1 for itself"),
        required("repeats", "int", "number of cross-validations, each with folds of its own"),
        required("folds", "int", "folds of each, by thread with its repeats"),
        *RESAMPLING,
    ),
    key=("system", "task", "measure"),
)


_STRINGS = T.ArrayType(T.StringType())

ATTENTIONS: JournalTable = JournalTable(
    "attentions",
    "Attention weights of one pair for each system that reads words, before softmax.",
    (
        SYSTEM,
        SITE,
        QUERY_ID,
        CANDIDATE_ID,
        required("query_words", _STRINGS, "words of the query that the network reads, in order"),
        required("candidate_words", _STRINGS, "words of the candidate that it reads, in order"),
        required("weights", T.ArrayType(T.DoubleType()), "a row per word of the query, one after the other"),
    ),
    key=("system",),
)


_ROWS_BY_COLUMN = T.MapType(T.StringType(), T.LongType())

AUDIT_FINDINGS: JournalTable = JournalTable(
    "audit_findings",
    "Effect on the values of feature groups if all events after a time are changed.",
    (
        required("feature_group", "string", "name of the group"),
        required("moment", "timestamp", "time after which all events were changed, UTC"),
        required("rows", "bigint", "rows compared"),
        required("changed", _ROWS_BY_COLUMN, "rows whose value changed, by column"),
        required("as_of_dump", _ROWS_BY_COLUMN, "the same for facts that are known as of the dump"),
    ),
    key=("feature_group", "moment"),
)

AUDIT_EXPOSURES: JournalTable = JournalTable(
    "audit_exposures",
    "Numbers of pairs that reveal something about the time after their cut, whatever the features.",
    (
        required("pairs", "bigint", "pairs with a cut"),
        required("late", "bigint", "pairs whose answer was posted after the cut"),
        required("edited", "bigint", "pairs whose question or answer was edited after the cut"),
        required("deleted", "bigint", "pairs whose asker or author has no account in the dump"),
    ),
    key=("pairs",),
)


DATA_CARD: JournalTable = JournalTable(
    "data_card",
    "Statistics of the data set formed by the run's examples.",
    (
        required("site", "string", "community; * for all of them together"),
        required("split", "string", "train, dev or test; * for all of them, and for omitted threads"),
        required(
            "measure",
            "string",
            "what was counted, such as questions; left_out: … are threads; shares are of the answers, and those "
            "whose name starts with accepted of the accepted ones",
        ),
        required("value", "double", "the count, or the share from 0 to 1"),
    ),
    key=("site", "split", "measure"),
)
