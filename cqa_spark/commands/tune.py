"""``cqa tune``: features and labels of the training split → better parameters for a system's ranker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import yaml
from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.experiments import SearchSettings
from cqa_spark.settings.sections import (
    EvaluationSettings,
    FeatureSettings,
    StageSettings,
    TrackedSettings,
)
from cqa_spark.settings.values import NotHashed, OutputFile, SystemName

if TYPE_CHECKING:
    from cqa_spark.experiments.cross_validation import CrossValidated
    from cqa_spark.experiments.tuning import Trial


class TuneSettings(StageSettings, TrackedSettings):
    """Tune the parameters of a system's ranker by cross-validation on the training split; dev is not used."""

    examples = (
        "cqa tune --system best_a --budget 20 --lake build/lake --run-id mine",
        "cqa tune --system best_a --budget 40 --repeats 5 --lake build/lake --run-id mine --tuned tuned.yaml",
        "cqa tune --system lexical_b --budget 3 --nested --lake build/lake --run-id mine",
    )

    is_always_tracked = True

    system: Annotated[SystemName, Field(description="system to tune; the run must contain its features")]
    search: SearchSettings = SearchSettings()
    tuned: Annotated[OutputFile | None, NotHashed()] = Field(
        default=None, description="output file for the best parameters, as YAML for a recipe; default: only print them"
    )
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()

    def writes(self) -> list[str]:
        """The parameters and the MLflow experiment; not the run."""
        return [*([self.tuned] if self.tuned else []), *self.tracking.writes()]


def tune(settings: TuneSettings) -> None:
    """Compare random parameters with the given ones, and test whether the best trial is significantly better.

    Random search (Bergstra and Bengio 2012, JMLR 13): every trial is drawn independently, so a larger budget
    tries the same parameters first.
    """
    from cqa_spark.experiments.cross_validation import nested_folds
    from cqa_spark.experiments.tuning import chosen, cross_validate_choice, nested_verdict, planned_trials, verdict
    from cqa_spark.flows import evaluation_of
    from cqa_spark.lake.run import Run
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.object_store.locations import write_file
    from cqa_spark.runtime.mlflow import track_trials, tracked
    from cqa_spark.runtime.workspace import read_lake
    from cqa_spark.spark.frames import persistence_scope
    from cqa_spark.systems.recipes import read_systems

    system = read_systems([settings.system])[0]
    settings = settings.model_copy(update={"evaluation": evaluation_of(settings.evaluation, system.task)})
    measure = settings.evaluation.measures[0]
    trials = list(planned_trials(system, budget=settings.search.budget, seed=settings.search.seed))
    tuned = snapshot_of(read_lake(settings), settings.run_id)
    run = Run(tuned.lake, tuned.record, on_step=lambda step: None, before=tuned.manifest)
    search = settings.search
    with (
        tracked(settings),
        persistence_scope(),
        nested_folds(
            run, [system], settings.features, folds=search.folds, repeats=search.repeats, seed=search.seed
        ) as parts_of,
    ):
        parts = parts_of(system)
        compared = []
        for trial in trials:
            compared.append(trial.cross_validated(parts, measure))
            Terminal(stderr=True).line(compared[-1].line(measure))
        recipe, best = compared[0], chosen(compared)  # the first has the parameters of the recipe
        p = None if best is recipe else _p_value(_results(recipe), _results(best), settings.evaluation)
        conclusion = verdict(recipe, best, measure, p)
        if search.nested:
            choice = cross_validate_choice(
                run, system, trials, parts[0], search=search, features=settings.features, measure=measure
            )
            first_repeat = _results(recipe).first_repeat()  # on the folds that the choice is evaluated on
            p = _p_value(first_repeat, choice, settings.evaluation)
            conclusion += "\n" + nested_verdict(first_repeat.mean, choice.mean, measure, p)
    parameters = yaml.safe_dump({"ranker": best.ranker.model_dump()}, sort_keys=False)
    Terminal().text(f"{conclusion}\n\n{parameters.rstrip()}")
    if settings.tuned:
        comment = "".join(f"# {line}\n" for line in conclusion.splitlines())
        write_file(settings.tuned, (comment + parameters).encode(), settings.object_storage)
    if settings.tracking.enabled:
        searched = {"system": system.name, "run_id": settings.run_id, **settings.search.model_dump(mode="json")}
        logged = [trial.logged() for trial in compared]
        track_trials(settings.tracking, f"tune {system.name}", searched, logged, conclusion)


def _p_value(baseline: CrossValidated, compared: CrossValidated, drawn: EvaluationSettings) -> float:
    """The paired test of parameters against the baseline, over queries."""
    from cqa_spark.evaluation.statistics.summary import summarise
    from cqa_spark.experiments.cross_validation import mean_over_repeats
    from cqa_spark.experiments.tuning import GIVEN
    from cqa_spark.spark.frames import persisted

    with persisted(mean_over_repeats([baseline, compared])) as (rows,):
        [comparison] = summarise(rows, GIVEN, drawn.resamples, drawn.seed, drawn.confidence).comparisons
    return float(comparison["p_value"])


def _results(trial: Trial) -> CrossValidated:
    assert trial.results is not None, "trials are cross-validated before they are compared"
    return trial.results


JOBS = (Job("tune", "tune the parameters of a system's ranker", "experiments", TuneSettings, tune),)
