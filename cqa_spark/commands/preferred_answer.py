"""``cqa dataset preferred-answer`` and ``experiment preferred-answer``: the study of Xu et al. (2018)."""

from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import DATA_CARD
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections.xu_2018.section import SECTION, card_table, shortfall
from cqa_spark.reports.sections.xu_2018.study import AnswerStudy
from cqa_spark.runtime.mlflow import track_trials
from cqa_spark.runtime.workspace import run_flow
from cqa_spark.settings.preferred_answer import PreferredAnswerDatasetSettings, PreferredAnswerExperimentSettings
from cqa_spark.steps.report import written_report
from cqa_spark.tasks.preferred_answer.examples import SIZES
from cqa_spark.tasks.preferred_answer.flow import dataset, preferred_answer
from cqa_spark.tasks.preferred_answer.xu_2018 import logged_trials


def preferred_answer_dataset(settings: PreferredAnswerDatasetSettings) -> None:
    """Make the examples of a new run, on the community tables of another."""
    run = run_flow(dataset(settings), settings, create=False)
    print_card(run, settings.threads.name)
    Terminal().line(f"run: {run.run_id}")


def print_card(run: Run, name: str) -> None:
    """Print the data card, and how the data set differs from the published one of that name.

    Args:
        run: has a data card.
        name: small, large or full.
    """
    terminal, card = Terminal(), run.entries(DATA_CARD)
    terminal.table(card_table(card, name))
    if missing := shortfall(card, name, SIZES):
        terminal.line(missing)


def experiment(settings: PreferredAnswerExperimentSettings) -> None:
    """Build the data set, compute features once for all systems, train and evaluate them, and write the report."""
    run = run_flow(preferred_answer(settings), settings, create=False)
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
    searched = {"config_hash": finished.record.config_hash, "budget": str(settings.experiment.budget)}
    for search in study.searches:
        trials = logged_trials(finished, search.system)
        track_trials(settings.tracking, f"tune {search.system}", searched, trials, search.chosen)
