"""Metrics of rankings against judgments."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE, SPLIT
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID, TASK
from cqa_spark.lake.schemas.rankings import SYSTEM
from cqa_spark.lake.table import RunTable, column

MEASURE = column("measure", "string", "the measure as it prints, such as MAP@10", nullable=False)
SEED = column("seed", "int", "seed of the resampling", nullable=False)
RESAMPLES = column("resamples", "int", "number of resamples", nullable=False)

_AGGREGATE = (
    column("value", "double", "fraction from 0 to 1", nullable=False),
    column("low", "double", "lower end of the bootstrap interval", nullable=False),
    column("high", "double", "upper end of the bootstrap interval", nullable=False),
    column("confidence", "double", "coverage of the interval, such as 0.95", nullable=False),
    column("queries", "int", "number of queries that were aggregated", nullable=False),
)
"""A measure over all queries, and its uncertainty."""

QUERY_METRICS = RunTable(
    "query_metrics",
    "Each measure of each query, before aggregation.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        SITE,
        QUERY_ID,
        MEASURE,
        column("value", "double", "the measure of this query alone, a fraction", nullable=False),
        column(
            "components",
            T.ArrayType(T.DoubleType()),
            "terms that the measure sums over queries before it aggregates",
            nullable=False,
        ),
    ),
    key=("system", "task", "split", "site", "query_id", "measure"),
)

METRICS = JournalTable(
    "metrics",
    "Each measure of each system over all queries, with its bootstrap interval.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        MEASURE,
        *_AGGREGATE,
        RESAMPLES,
        SEED,
    ),
    key=("system", "task", "split", "measure"),
)

COMPARISONS = JournalTable(
    "comparisons",
    "Paired randomization tests of every system against a baseline.",
    (
        TASK,
        SPLIT,
        MEASURE,
        SYSTEM,
        column("baseline", "string", "system that it is compared with", nullable=False),
        column("difference", "double", "system minus baseline, a fraction", nullable=False),
        column(
            "p_value",
            "double",
            "two-sided, of the paired randomization test over queries, adjusted by Holm",
            nullable=False,
        ),
        column("wins", "int", "queries on which the system is better", nullable=False),
        column("losses", "int", "queries on which the baseline is better", nullable=False),
        column("ties", "int", "queries on which both are equal", nullable=False),
        RESAMPLES,
        SEED,
    ),
    key=("task", "split", "measure", "system", "baseline"),
)

_WHERE = column("site", "string", "community; * for all of them together", nullable=False)

SITE_METRICS = JournalTable(
    "site_metrics",
    "Each measure of each system on each site and over all, with its interval and the paired test against a baseline.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        _WHERE,
        MEASURE,
        *_AGGREGATE,
        column("baseline", "string", "system that it is compared with", nullable=False),
        column("difference", "double", "system minus baseline, a fraction; 0 for itself", nullable=False),
        column(
            "p_value",
            "double",
            "two-sided, of the paired randomization test, adjusted by Holm; 1 for itself",
            nullable=False,
        ),
        RESAMPLES,
        SEED,
    ),
    key=("system", "task", "split", "site", "measure"),
)

SET_METRICS = JournalTable(
    "set_metrics",
    "The first measure of each system on each set of sentence pairs, and its means over the sets.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        column("set_name", "string", "folder and name of the set; mean by pairs; mean of sets", nullable=False),
        MEASURE,
        *_AGGREGATE,
        column("baseline", "string", "system that it is compared with", nullable=False),
        column("difference", "double", "system minus baseline, a fraction; 0 for itself", nullable=False),
        column("p_value", "double", "two-sided, of the paired bootstrap test; 1 for itself", nullable=False),
        RESAMPLES,
        SEED,
    ),
    key=("system", "task", "split", "set_name", "measure"),
)

_STUDY = (
    *_AGGREGATE,
    column("difference", "double", "minus the full system, a fraction; 0 for itself", nullable=False),
    column(
        "p_value",
        "double",
        "two-sided, of the paired test against the system, adjusted by Holm; 1 for itself",
        nullable=False,
    ),
    RESAMPLES,
    SEED,
)
"""The measures of one variant of a system, compared with the full system."""

ABLATIONS = JournalTable(
    "ablations",
    "Systems trained without a family of features, and on a family alone.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        MEASURE,
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
        SYSTEM,
        TASK,
        SPLIT,
        MEASURE,
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
        _WHERE,
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
        SYSTEM,
        TASK,
        SPLIT,
        MEASURE,
        column("draw", "int", "number of the seed; 0 is the recipe's own", nullable=False),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "draw"),
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

LEARNING_CURVES = JournalTable(
    "learning_curves",
    "Systems trained on a share of the training threads; groups that learn from labels are fitted on the same share.",
    (
        SYSTEM,
        TASK,
        SPLIT,
        MEASURE,
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
        RESAMPLES,
        SEED,
    ),
    key=("system", "task", "measure"),
)
