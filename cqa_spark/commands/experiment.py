"""``cqa experiment preferred-answer``: Tables 4 and 5 of Xu et al. (2018), published and reproduced."""

from cqa_spark.commands.dataset import print_card
from cqa_spark.config.preferred_answer_settings import PreferredAnswerExperimentSettings
from cqa_spark.lake.run import Run
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections.xu_2018.section import SECTION
from cqa_spark.reports.sections.xu_2018.study import AnswerStudy
from cqa_spark.runtime.tracking import track_trials
from cqa_spark.runtime.workspace import run_flow
from cqa_spark.steps.report import written_report
from cqa_spark.tasks.preferred_answer.experiment.tuning import logged_trials
from cqa_spark.tasks.preferred_answer.flow import preferred_answer


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
