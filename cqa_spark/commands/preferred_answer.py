"""``cqa dataset preferred-answer`` and ``experiment preferred-answer``: the study of Xu et al. (2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.preferred_answer import PreferredAnswerDatasetSettings, PreferredAnswerExperimentSettings

if TYPE_CHECKING:
    from cqa_spark.lake.run import Run
    from cqa_spark.reports.sections.xu_2018.study import AnswerStudy
    from cqa_spark.runtime.flow import Flow


def dataset_flow(settings: PreferredAnswerDatasetSettings) -> Flow:
    """Community tables of a run → examples and the data card of a new one."""
    from cqa_spark.tasks.preferred_answer.flow import dataset

    return dataset(settings)


def preferred_answer_dataset(settings: PreferredAnswerDatasetSettings) -> None:
    """Make the examples of a new run, on the community tables of another."""
    from cqa_spark.runtime.workspace import run_flow

    run = run_flow(dataset_flow(settings), settings, create=False)
    print_card(run, settings.threads.name)
    Terminal().line(f"run: {run.run_id}")


def print_card(run: Run, name: str) -> None:
    """Print the data card, and how the data set differs from the published one of that name.

    Args:
        run: has a data card.
        name: small, large or full.
    """
    from cqa_spark.lake.schemas.studies import DATA_CARD
    from cqa_spark.reports.sections.xu_2018.section import card_table, shortfall
    from cqa_spark.tasks.preferred_answer.examples import SIZES

    terminal, card = Terminal(), run.entries(DATA_CARD)
    terminal.table(card_table(card, name))
    if missing := shortfall(card, name, SIZES):
        terminal.line(missing)


def experiment_flow(settings: PreferredAnswerExperimentSettings) -> Flow:
    """The data set, features, systems and tables of the experiment."""
    from cqa_spark.tasks.preferred_answer.flow import preferred_answer

    return preferred_answer(settings)


def experiment(settings: PreferredAnswerExperimentSettings) -> None:
    """Build the data set, compute features once for all systems, train and evaluate them, and write the report."""
    from cqa_spark.reports.sections.xu_2018.section import SECTION
    from cqa_spark.runtime.workspace import run_flow
    from cqa_spark.steps.report import written_report

    run = run_flow(experiment_flow(settings), settings, create=False)
    report, terminal = written_report(run), Terminal()
    print_card(run, settings.threads.name)
    report.show(terminal, SECTION)
    terminal.line(f"report: {run.record.artifacts['report']}")
    terminal.line(f"run: {run.run_id}")
    study = report.data(SECTION)
    if settings.tracking.enabled and study is not None:
        _track(run, settings, study)


def _track(finished: Run, settings: PreferredAnswerExperimentSettings, study: AnswerStudy) -> None:
    """Log every trial to MLflow, where parameters were searched."""
    from cqa_spark.runtime.mlflow import track_trials
    from cqa_spark.tasks.preferred_answer.xu_2018 import logged_trials

    searched = {"config_hash": finished.record.config_hash, "budget": str(settings.experiment.budget)}
    for search in study.searches:
        trials = logged_trials(finished, search.system)
        track_trials(settings.tracking, f"tune {search.system}", searched, trials, search.chosen)


JOBS = (
    Job(
        "dataset preferred-answer",
        "community tables → examples with train, dev and test splits, and a data card",
        "single steps",
        PreferredAnswerDatasetSettings,
        preferred_answer_dataset,
        flow=dataset_flow,
        step=2,
    ),
    Job(
        "experiment preferred-answer",
        "reproduce Tables 4 and 5 of Xu et al. (2018)",
        "experiments",
        PreferredAnswerExperimentSettings,
        experiment,
        flow=experiment_flow,
    ),
)
