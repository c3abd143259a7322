"""Metrics of variants of a system: ablation, tuning, transfer, seeds, learning curve, cross-validation."""

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SPLIT
from cqa_spark.lake.schemas.examples import TASK
from cqa_spark.lake.schemas.metrics import AGGREGATE, MEASURE, RESAMPLES, SEED, WHERE
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
        SYSTEM,
        TASK,
        SPLIT,
        MEASURE,
        column("draw", "int", "number of the seed; 0 is the recipe's own", nullable=False),
        *_STUDY,
    ),
    key=("system", "task", "split", "measure", "draw"),
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
