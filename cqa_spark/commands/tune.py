"""``cqa tune``: features and labels of the training split → better parameters for a system's ranker."""

import yaml

from cqa_spark.evaluation.statistics.summary import summarise
from cqa_spark.experiments.cross_validation import CrossValidated, mean_over_repeats, nested_folds
from cqa_spark.experiments.tuning import (
    GIVEN,
    Trial,
    chosen,
    cross_validate_choice,
    nested_verdict,
    planned_trials,
    verdict,
)
from cqa_spark.flows.shared_steps import evaluation_of
from cqa_spark.lake.run import Run
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.object_store.locations import write_file
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.mlflow import track_trials, tracked
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.settings.experiments import TuneSettings
from cqa_spark.settings.sections import EvaluationSettings, ObjectStorageSettings
from cqa_spark.spark.frames import persisted, persistence_scope
from cqa_spark.systems.recipes import read_systems


def tune(settings: TuneSettings) -> None:
    """Compare random parameters with the given ones, and test whether the best trial is significantly better.

    Random search (Bergstra and Bengio 2012, JMLR 13): every trial is drawn independently, so a larger budget
    tries the same parameters first.
    """
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
        judged = [_told(trial.cross_validated(parts, measure), measure) for trial in trials]
        given, best = judged[0], chosen(judged)
        p = None if best is given else _p_value(_results(given), _results(best), settings.evaluation)
        conclusion = verdict(given, best, measure, p)
        if search.nested:
            choice = cross_validate_choice(
                run, system, trials, parts[0], search=search, features=settings.features, measure=measure
            )
            on_these = _results(given).first_repeat()
            p = _p_value(on_these, choice, settings.evaluation)
            conclusion += "\n" + nested_verdict(on_these.mean, choice.mean, measure, p)
    recipe = yaml.safe_dump({"ranker": best.ranker.model_dump()}, sort_keys=False).rstrip()
    Terminal().text(f"{conclusion}\n\n{recipe}")
    if settings.tuned:
        _write(settings.tuned, conclusion, best, settings.object_storage)
    if settings.tracking.enabled:
        searched = {"system": system.name, "run_id": settings.run_id, **settings.search.model_dump(mode="json")}
        logged = [trial.logged() for trial in judged]
        track_trials(settings.tracking, f"tune {system.name}", searched, logged, conclusion)


def _told(trial: Trial, measure: str) -> Trial:
    Terminal(stderr=True).line(trial.line(measure))
    return trial


def _p_value(given: CrossValidated, other: CrossValidated, drawn: EvaluationSettings) -> float:
    """The paired test of other parameters against the given ones, over queries."""
    with persisted(mean_over_repeats([given, other])) as (rows,):
        [compared] = summarise(rows, GIVEN, drawn.resamples, drawn.seed, drawn.confidence).comparisons
    return float(compared["p_value"])


def _results(trial: Trial) -> CrossValidated:
    assert trial.results is not None, "trials are cross-validated before they are compared"
    return trial.results


def _write(path: str, conclusion: str, best: Trial, storage: ObjectStorageSettings) -> None:
    comment = "".join(f"# {line}\n" for line in conclusion.splitlines())
    text = yaml.safe_dump({"ranker": best.ranker.model_dump()}, sort_keys=False)
    write_file(path, (comment + text).encode(), storage)
