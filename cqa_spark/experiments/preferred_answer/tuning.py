"""features + labels of the training part, judged on the validation part → parameters for every ranker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.parts import EvaluationSettings, ResamplingSettings
from cqa_spark.errors import InputError
from cqa_spark.experiments.evaluation_split import HeldOut
from cqa_spark.experiments.preferred_answer.lineup import MEASURES
from cqa_spark.experiments.trials import GIVEN, Trial, planned_trials
from cqa_spark.experiments.variants import FULL, Variant, measure_variants, named, rank_variant
from cqa_spark.features.small_table import materialize
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.metrics import TRIALS
from cqa_spark.reports.preferred_answer.labels import is_baseline
from cqa_spark.runtime.tracking import LoggedTrial
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.system import System
from cqa_spark.tasks.preferred_answer import PreferredAnswer

ON_VALIDATION = HeldOut("split = 'dev'")
_DESCRIBED = "name string, trial string, parameters string, chosen boolean"


def tune_step(run: Run, systems: Sequence[System], *, budget: int, settings: ResamplingSettings) -> list[System]:
    """Try drawn parameters for every ranker that learns; the test part is not looked at.

    Each trial learns from the training part and ranks the validation part. The best one on the main measure is taken,
    however small its lead: what it is worth is told by the test part.

    Args:
        run: a run whose features are computed.
        systems: the systems as their recipes have them; baselines are left as they are.
        budget: drawn settings to try for each, beside the recipe's own.
        settings: how sure the figures are; the seed is also that of the draws.

    Returns:
        The systems with the parameters that were chosen.

    Raises:
        InputError: no question is in the validation part.
    """
    planned = {
        system.name: {trial.name: trial for trial in planned_trials(system, budget=budget, seed=settings.seed)}
        for system in systems
        if not is_baseline(system.name)
    }
    searched = [system for system in systems if system.name in planned]
    evaluation = EvaluationSettings(**settings.model_dump(), measures=MEASURES[:1])
    examples = task_examples(run, PreferredAnswer.name).where("split <> 'test'")
    if ON_VALIDATION.measured(examples).isEmpty():
        raise InputError(
            "no question is in the validation part, so that nothing can be tuned on it",
            "take more questions, or give --budget 0",
        )
    with run.step("tune") as step, feature_frames(run, searched, examples) as frame_of:
        step.rows_in = len(searched)
        judged = [
            _judged(system, list(planned[system.name].values()), frame_of(system), evaluation) for system in searched
        ]
        step.rows_out = run.write(TRIALS, TRIALS.conform(reduce(DataFrame.unionByName, judged))).rows
    chosen = {row["system"]: planned[row["system"]][row["trial"]] for row in run.read(TRIALS).where("chosen").collect()}
    return [
        system.model_copy(update={"ranker": chosen[system.name].ranker}) if system.name in chosen else system
        for system in systems
    ]


def logged_trials(run: Run, system: str) -> list[LoggedTrial]:
    """The trials of a system as MLflow is told of them, in the order of their names."""
    rows = run.read(TRIALS).where(F.col("system") == system).orderBy("trial").collect()
    return [
        LoggedTrial(row["trial"], json.loads(row["parameters"]), {name: row[name] for name in ("value", "low", "high")})
        for row in rows
    ]


def _judged(system: System, trials: Sequence[Trial], frame: DataFrame, evaluation: EvaluationSettings) -> DataFrame:
    ranked = [
        rank_variant(
            system.model_copy(update={"ranker": trial.ranker}), Variant(_variant(trial), ON_VALIDATION.parts(frame))
        )
        for trial in trials
    ]
    measured = materialize(measure_variants(ranked, ON_VALIDATION.measured(frame), evaluation))
    # Rounded, so that an equal one does not lead by the last digit; the first of equal ones is the recipe's own.
    best = measured.orderBy(F.round("value", 9).desc(), F.col("system") != FULL, "system").first()
    assert best is not None, "the validation part has questions"
    described = [
        (name, trial.name, json.dumps(dict(trial.values), sort_keys=True), name == best["system"])
        for trial in trials
        for name in [_variant(trial)]
    ]
    return named(system.name, measured, frame.sparkSession.createDataFrame(described, _DESCRIBED))


def _variant(trial: Trial) -> str:
    return FULL if trial.name == GIVEN else trial.name
