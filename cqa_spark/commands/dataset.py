"""``cqa dataset preferred-answer``: community tables → questions with answers, split, and a data card."""

from cqa_spark.config.preferred_answer_settings import PreferredAnswerDatasetSettings
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import DATA_CARD
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections.xu_2018.data_card import card_table, shortfall
from cqa_spark.runtime.workspace import run_flow
from cqa_spark.tasks.preferred_answer.dataset import SIZES
from cqa_spark.tasks.preferred_answer.flow import dataset


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
