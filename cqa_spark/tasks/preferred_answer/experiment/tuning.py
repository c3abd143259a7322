"""Parameters for every ranker: trained on the training split, evaluated on the dev split."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from cqa_spark.config.sections import EvaluationSettings, ResamplingSettings
from cqa_spark.errors import InputError
from cqa_spark.experiments.evaluation_split import HeldOut
from cqa_spark.experiments.trials import GIVEN, Trial, planned_trials
from cqa_spark.experiments.variants import FULL, Variant, described, measure_variants, rank_variant
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES, LEFT_OUT_GROUPS
from cqa_spark.lake.schemas.studies import TRIALS
from cqa_spark.reports.sections.xu_2018.labels import is_baseline
from cqa_spark.runtime.step import Product, Step
from cqa_spark.runtime.tracking import LoggedTrial
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.systems.feature_frames import feature_frames, frame_tables
from cqa_spark.systems.system import System
from cqa_spark.systems.usable_systems import usable_systems
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

ON_VALIDATION = HeldOut("split = 'dev'")


@dataclass(frozen=True)
class Tune(Step):
    """Try randomly drawn parameters for every trainable ranker; the test split is not used.

    Each trial is trained on the training split and ranks the dev split. The best one by the main measure is selected,
    even by a small margin; the test split measures its quality. ``Train`` uses the selected parameters.

    Attributes:
        systems: recipes; baselines keep their parameters.
        budget: drawn settings to try for each, in addition to the recipe's own.
        settings: resamples, confidence, and the seed, which is also that of the draws.
    """

    systems: Sequence[System]
    budget: int
    settings: ResamplingSettings

    name = "tune"

    def reads(self) -> tuple[Product, ...]:
        """Examples and features."""
        return EXAMPLES, *frame_tables(self.systems)

    def reads_if_present(self) -> tuple[Product, ...]:
        """The omitted groups."""
        return (LEFT_OUT_GROUPS,)

    def writes(self) -> tuple[Product, ...]:
        """The trials."""
        return (TRIALS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Evaluate all trials of all systems.

        Raises:
            InputError: the dev split is empty.
        """
        searched = [system for system in usable_systems(run, self.systems) if not is_baseline(system.name)]
        evaluation = EvaluationSettings(**self.settings.model_dump(), measures=PreferredAnswer.measures[:1])
        examples = task_examples(run, PreferredAnswer.name).where("split <> 'test'")
        if ON_VALIDATION.measured(examples).isEmpty():
            raise InputError(
                "the dev split is empty, so parameters cannot be tuned on it",
                "take more questions, or give --budget 0",
            )
        counts.rows_in = len(searched)
        with feature_frames(run, searched, examples) as frame_of:
            found = [
                entry for system in searched for entry in _judged(system, self.budget, frame_of(system), evaluation)
            ]
        counts.rows_out = run.write_entries(TRIALS, found)


def logged_trials(run: Run, system: str) -> list[LoggedTrial]:
    """The trials of a system as MLflow shows them, in the order of their names."""
    entries = sorted((e for e in run.entries(TRIALS) if e["system"] == system), key=lambda entry: entry["trial"])
    return [
        LoggedTrial(e["trial"], json.loads(e["parameters"]), {name: e[name] for name in ("value", "low", "high")})
        for e in entries
    ]


def _judged(system: System, budget: int, frame: DataFrame, evaluation: EvaluationSettings) -> list[Entry]:
    trials = list(planned_trials(system, budget=budget, seed=evaluation.seed))
    ranked = [
        rank_variant(
            system.model_copy(update={"ranker": trial.ranker}), Variant(_variant(trial), ON_VALIDATION.parts(frame))
        )
        for trial in trials
    ]
    measured = measure_variants(ranked, ON_VALIDATION.measured(frame), evaluation)
    # Rounded, so that rounding errors do not break ties; the first of tied trials is the recipe's own.
    best = min(measured, key=lambda entry: (-round(entry["value"], 9), entry["system"] != FULL, entry["system"]))
    variants = {
        _variant(trial): {
            "trial": trial.name,
            "parameters": json.dumps(dict(trial.values), sort_keys=True),
            "chosen": _variant(trial) == best["system"],
        }
        for trial in trials
    }
    return described(system.name, measured, variants)


def _variant(trial: Trial) -> str:
    return FULL if trial.name == GIVEN else trial.name
