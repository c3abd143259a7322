"""community tables → the examples and the data card of a preferred-answer data set."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from rich.console import Console

from cqa_spark.config.preferred_answer_settings import (
    AnswerSettings,
    PreferredAnswerDatasetSettings,
    ThreadSettings,
)
from cqa_spark.corpora.stackexchange.judgments import judgments
from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.activity import BADGES, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.schemas.data_card import DATA_CARD
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.reports.preferred_answer.data_card import card_table, shortfall
from cqa_spark.runtime.workspace import open_job
from cqa_spark.tasks.data_card import data_card
from cqa_spark.tasks.judged_answers import AnswerRules, candidates, judged_answers
from cqa_spark.tasks.preferred_answer_dataset import SIZES, every_question, examples_of

ADOPTED = (POSTS, COMMENTS, USERS, VOTES, BADGES, JUDGMENTS)


def preferred_answer_dataset(settings: PreferredAnswerDatasetSettings) -> None:
    """Make the examples of a new run, on the community tables of another."""
    with open_job(settings, "dataset preferred-answer", resume=False) as run:
        adopt_community(run, settings.from_run)
        print_card(dataset_step(run, settings.threads), settings.threads.name)
    print(f"run: {run.run_id}")


def print_card(card: DataFrame, name: str) -> None:
    """Print the data card, and how much the data set falls short of its name.

    Args:
        card: as ``dataset_step`` gives it.
        name: small, large or full.
    """
    console, rows = Console(), card.collect()
    console.print(card_table(rows, name))
    if missing := shortfall(rows, name, SIZES):
        console.print(missing, soft_wrap=True)


def adopt_community(run: Run, source: str | None) -> None:
    """Take the community tables of another run as this one's.

    Args:
        run: the new run.
        source: the other's id; None for the published one.

    Raises:
        InputError: there is no such run, or it has no posts.
    """
    log = RunLog(run.lake)
    found = published_snapshot(run.lake) if source is None else Snapshot(run.lake, log.require_success(source))
    if not (found.has(POSTS) and found.has(COMMENTS)):
        raise InputError(
            f"run {found.record.run_id} has no posts and comments", "read a dump first: cqa ingest stackexchange"
        )
    for table in ADOPTED:
        if found.has(table):
            run.adopt(table, found.record.table_versions[table.name])


def dataset_step(run: Run, settings: ThreadSettings) -> DataFrame:
    """Write the examples and the data card; give the card.

    Raises:
        InputError: a site is not in the lake, or no thread is fit to be an example.
    """
    with run.step("dataset") as step:
        posts, comments, judged = (_of_sites(frame, settings.site) for frame in _tables(run))
        refuse_unknown_sites(posts, settings.site)
        answers = candidates(judged_answers(posts, judged), _rules(settings)).persist()
        try:
            step.rows_in = answers.count()
            examples = examples_of(answers, name=settings.name, split=settings.split)
            step.rows_out = run.write(EXAMPLES, examples).rows
            if step.rows_out == 0:
                raise InputError(
                    f"no question has {settings.min_answers} answers with an accepted one among them",
                    "allow fewer with --min-answers, or read more sites",
                )
            run.write(DATA_CARD, data_card(run.read(EXAMPLES), answers, posts, comments))
        finally:
            answers.unpersist()
    return run.read(DATA_CARD)


def every_question_step(run: Run, settings: AnswerSettings) -> None:
    """Write examples of every question with enough answers, judged or not.

    Raises:
        InputError: there is none.
    """
    with run.step("dataset") as step:
        posts, _, judged = _tables(run)
        answers = candidates(judged_answers(posts, judged), _rules(settings))
        step.rows_in = posts.count()
        step.rows_out = run.write(EXAMPLES, every_question(answers, min_answers=settings.min_answers)).rows
        if step.rows_out == 0:
            raise InputError(f"no question has {settings.min_answers} answers", "allow fewer with --min-answers")


def _rules(settings: AnswerSettings) -> AnswerRules:
    return AnswerRules(
        settings.min_answers, settings.self_answers, settings.late_answers, settings.deleted_owners,
        settings.within_hours,
    )  # fmt: skip


def refuse_unknown_sites(posts: DataFrame, wanted: tuple[str, ...]) -> None:
    """Check that every site that was named has posts.

    Raises:
        InputError: some have none.
    """
    found = {row["site"] for row in posts.select("site").distinct().collect()}
    if missing := sorted(set(wanted) - found):
        raise InputError(f"no posts of {', '.join(missing)}", "cqa inspect shows the sites of a lake")


def _tables(run: Run) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Posts, comments and judgments; a dump without votes has no judgments, but its posts name accepted answers."""
    posts, comments = run.read(POSTS), run.read(COMMENTS)
    if run.has(JUDGMENTS):
        return posts, comments, run.read(JUDGMENTS)
    return posts, comments, judgments(posts, VOTES.empty(run.lake.spark), POST_LINKS.empty(run.lake.spark))


def _of_sites(frame: DataFrame, sites: tuple[str, ...]) -> DataFrame:
    return frame.where(F.col("site").isin(*sites)) if sites else frame
