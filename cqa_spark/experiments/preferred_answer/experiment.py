"""community tables → Tables 4 and 5 of Xu et al. (2018), ours beside theirs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from rich.console import Console

from cqa_spark.config.parts import EvaluationSettings
from cqa_spark.config.settings import PreferredAnswerExperimentSettings
from cqa_spark.experiments.ablation import ablate
from cqa_spark.experiments.evaluation_split import EvaluationSplit, EveryQuestion, HeldOut
from cqa_spark.experiments.preferred_answer.lineup import BASELINES, MEASURES, learned_systems
from cqa_spark.experiments.preferred_answer.measuring import measure_step
from cqa_spark.experiments.preferred_answer.transfer import transfer
from cqa_spark.experiments.preferred_answer.tuning import logged_trials, tune_step
from cqa_spark.experiments.variants import Variant, rank_variant
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.metrics import ABLATIONS, TRANSFERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.reports.content.report import RunReport
from cqa_spark.reports.grid import print_grid
from cqa_spark.reports.preferred_answer.grids import grids
from cqa_spark.reports.preferred_answer.wording import conclusions, outcome
from cqa_spark.runtime.tracking import metric_name, track, track_trials
from cqa_spark.runtime.workspace import open_job
from cqa_spark.steps.dataset import adopt_community, dataset_step, print_card
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.featurize import featurize_step
from cqa_spark.steps.report import report_step
from cqa_spark.steps.score import score_step, trained_in_run
from cqa_spark.steps.train import model_artifact, train_step
from cqa_spark.systems.feature_frames import feature_frames
from cqa_spark.systems.recipes import groups_of, read_systems
from cqa_spark.systems.system import System
from cqa_spark.systems.usable_systems import usable_systems
from cqa_spark.tasks.preferred_answer import PreferredAnswer


def experiment(settings: PreferredAnswerExperimentSettings) -> None:
    """Data set, features once for all, all systems, all figures, the report."""
    chosen = settings.experiment
    systems = read_systems([*BASELINES, *learned_systems(chosen.rankers)])
    every = chosen.measured_on == "every"
    on: EvaluationSplit = EveryQuestion(settings.features.folds) if every else HeldOut("split = 'test'")
    with open_job(settings, "experiment preferred-answer", resume=False) as run:
        adopt_community(run, settings.from_run)
        print_card(dataset_step(run, settings.threads), settings.threads.name)
        systems = learn_step(run, systems, settings)
        if every:
            rank_every_step(run, systems, on)
        else:
            score_step(run, trained_in_run(run, [system.name for system in systems]), task=PreferredAnswer.name)
        measured = on.measured(task_examples(run, PreferredAnswer.name)).persist()
        best = measure_step(run, measured, settings.evaluation, chosen.rankers)
        measured.unpersist()
        studied = set(learned_systems(chosen.studied))
        study_step(run, [system for system in systems if system.name in studied], settings, on)
        content = report_step(run, path=settings.report, measures=MEASURES, baseline=best)
    if settings.tracking.enabled:
        _track(run, settings, content)
    _show(content, run)


def learn_step(run: Run, systems: Sequence[System], settings: PreferredAnswerExperimentSettings) -> list[System]:
    """Compute the features, search parameters where a budget is given, train.

    Returns:
        The systems as they were trained.
    """
    task, chosen = PreferredAnswer.name, settings.experiment
    featurize_step(run, groups_of(systems), task=task, settings=settings.features, strict=chosen.strict)
    systems = usable_systems(run, systems)
    if chosen.budget:
        systems = tune_step(run, systems, budget=chosen.budget, settings=settings.evaluation)
    return train_step(run, systems, task=task)


def rank_every_step(run: Run, systems: Sequence[System], on: EvaluationSplit) -> None:
    """Rank every question with every system, by models that did not learn from it.

    Args:
        run: a run whose features are computed.
        systems: the systems.
        on: what is measured on.
    """
    examples = task_examples(run, PreferredAnswer.name)
    with run.step("rank") as step, feature_frames(run, systems, examples) as frame_of:
        ranked = [
            rank_variant(system, Variant(system.name, on.parts(frame_of(system))), run_id=run.run_id)
            for system in systems
        ]
        step.rows_in = examples.count()
        step.rows_out = run.write(RANKINGS, reduce(DataFrame.unionByName, ranked)).rows


def study_step(
    run: Run, systems: Sequence[System], settings: PreferredAnswerExperimentSettings, on: EvaluationSplit
) -> None:
    """Write what each group of features is worth to systems, and how they fare on sites that they never saw.

    Args:
        run: a run that was measured.
        systems: the systems that are studied.
        settings: whether sites are exchanged, and how sure the figures are.
        on: what is measured on.
    """
    if systems and settings.experiment.ablation:
        evaluation = EvaluationSettings(**settings.evaluation.model_dump(), measures=MEASURES)
        with run.step("ablation") as step:
            step.rows_in = len(systems)
            ablations = [ablate(run, system, evaluation, on) for system in systems]
            step.rows_out = run.write(ABLATIONS, reduce(DataFrame.unionByName, ablations)).rows
    sites = on.measured(task_examples(run, PreferredAnswer.name)).select("site").distinct().count()
    if systems and settings.experiment.transfer and sites > 1:
        with run.step("transfer") as step:
            step.rows_in = sites
            transfers = [transfer(run, system, settings.evaluation, on) for system in systems]
            step.rows_out = run.write(TRANSFERS, reduce(DataFrame.unionByName, transfers)).rows


def _track(finished: Run, settings: PreferredAnswerExperimentSettings, content: RunReport) -> None:
    """Tell MLflow of the run and, where parameters were searched, of every trial."""
    assert content.study is not None, "the experiment's report has one"
    study, artifacts = content.study, finished.record.artifacts
    searched = {"config_hash": finished.record.config_hash, "budget": str(settings.experiment.budget)}
    figures = [figure for figure in study.figures if figure.site == EVERY]
    track(
        finished.record,
        settings.tracking,
        {**searched, "data_set": settings.threads.name, "sites": " ".join(study.sites)},
        {metric_name(each.system, each.measure): each.value for each in figures},
        {"report": artifacts["report"], f"model/{study.leading}": artifacts[model_artifact(study.leading)]},
        settings.object_storage,
    )
    for search in study.searches:
        trials = logged_trials(finished, search.system)
        track_trials(settings.tracking, f"tune {search.system}", searched, trials, outcome(search))


def _show(content: RunReport, run: Run) -> None:
    assert content.study is not None, "the experiment's report has one"
    console = Console()
    for grid in grids(content.study, content.ablations):
        print_grid(grid, console)
    for sentence in conclusions(content.study):
        console.print(sentence, soft_wrap=True, highlight=False)
    console.print(f"report: {run.record.artifacts['report']}", soft_wrap=True, highlight=False)
    console.print(f"run: {run.run_id}", soft_wrap=True, highlight=False)
