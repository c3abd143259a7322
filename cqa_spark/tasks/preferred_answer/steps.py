"""community tables → the examples and the data card of a preferred-answer data set."""

from dataclasses import dataclass

from pyspark.sql import DataFrame

from cqa_spark.errors import InputError
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog, StepRecord
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES, IS_MEASURED
from cqa_spark.lake.schemas.studies import DATA_CARD
from cqa_spark.lake.snapshot import Snapshot, published_snapshot
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.settings.nightly import NightSettings
from cqa_spark.settings.preferred_answer import ThreadSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.changed_sites import of_sites, site_update
from cqa_spark.steps.train import nothing_to_learn_from
from cqa_spark.task_contract.contract import Task
from cqa_spark.tasks.preferred_answer.backtest import night_examples
from cqa_spark.tasks.preferred_answer.examples import candidates, data_card, examples_of, judged_answers

ADOPTED = (POSTS, COMMENTS, USERS, VOTES, BADGES, POST_HISTORY)


@dataclass(frozen=True)
class AdoptCommunity(Step):
    """Use the community tables of another run.

    Attributes:
        source: id of the other run; None for the published one.
    """

    source: str | None

    name = "community"

    def writes(self) -> tuple[Product, ...]:
        """The community tables that the other run has."""
        return ADOPTED

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Adopt them.

        Raises:
            InputError: there is no such run, or it has no posts.
        """
        log = RunLog(run.lake.objects)
        source_run = (
            published_snapshot(run.lake)
            if self.source is None
            else Snapshot(run.lake, log.require_success(self.source))
        )
        if not (source_run.has(POSTS) and source_run.has(COMMENTS)):
            raise InputError(
                f"run {source_run.record.run_id} has no posts and comments",
                "read a dump first: cqa ingest stackexchange",
            )
        run.read_corpus(source_run.record.corpus)
        for table in ADOPTED:
            if source_run.has(table):
                run.put(table, source_run.files(table))


@dataclass(frozen=True)
class PreferredAnswerDataset(Step):
    """Choose the threads of a preferred-answer data set, split them, and describe the set in a data card.

    Attributes:
        task: the task of accepted answers.
        settings: selection and split of threads.
    """

    task: Task
    settings: ThreadSettings

    name = "dataset"

    def reads(self) -> tuple[Product, ...]:
        """Posts and comments."""
        return POSTS, COMMENTS

    def reads_if_present(self) -> tuple[Product, ...]:
        """Votes."""
        return (VOTES,)

    def writes(self) -> tuple[Product, ...]:
        """Examples and the data card."""
        return EXAMPLES, DATA_CARD

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write both.

        Raises:
            InputError: a site is not in the lake, or no thread qualifies.
        """
        settings = self.settings
        sites = settings.site or None
        tables = (run.read(POSTS), run.read(COMMENTS), _votes(run))
        posts, comments, votes = (of_sites(frame, sites) for frame in tables)
        _refuse_unknown_sites(posts, settings.site)
        answers = candidates(judged_answers(posts, votes), settings)
        with persisted(answers) as (answers,):
            counts.rows_in = answers.count()
            examples = examples_of(self.task, answers, name=settings.name, split=settings.split)
            counts.rows_out = run.write(EXAMPLES, examples)
            if counts.rows_out == 0:
                raise InputError(
                    f"no question has {settings.min_answers} answers with an accepted one among them",
                    "allow fewer with --min-answers, or read more sites",
                )
            card = data_card(run.read(EXAMPLES), answers, posts, comments)
            run.write_entries(DATA_CARD, [row.asDict() for row in card.collect()])


@dataclass(frozen=True)
class ReplayNights(Step):
    """Create the examples of nights: tonight's answers of every question, and those of replayed nights.

    Attributes:
        task: the task of accepted answers.
        settings: selection of nights.
        last: the published run, whose examples of unchanged sites are kept; None to create all.
        learner: name of the system that cannot do without a measured night; None if there is none.
        undecided: also create those of undecided nights.
    """

    task: Task
    settings: NightSettings
    last: Snapshot | None = None
    learner: str | None = None
    undecided: bool = True

    name = "dataset"

    def reads(self) -> tuple[Product, ...]:
        """Posts."""
        return (POSTS,)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Votes."""
        return (VOTES,)

    def writes(self) -> tuple[Product, ...]:
        """The examples."""
        return (EXAMPLES,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the examples.

        Raises:
            InputError: the dump has no posts, or there is nothing to learn from.
        """
        counts.rows_in = run.rows(POSTS)
        if counts.rows_in == 0:
            raise InputError("the dump has no posts", "give a dump with Posts.xml of a site")
        nights = "all nights" if self.undecided else "decided nights"
        update = site_update(run, self.last, EXAMPLES, (POSTS, VOTES), settings={nights: self.settings})
        if not update.keep():
            posts, votes = (of_sites(frame, update.sites) for frame in (run.read(POSTS), _votes(run)))
            least = self.settings.min_answers
            update.write(night_examples(self.task.name, posts, votes, least, undecided=self.undecided))
        counts.rows_out = run.rows(EXAMPLES)
        if self.learner is not None and run.read(EXAMPLES).where(IS_MEASURED).isEmpty():
            raise nothing_to_learn_from(self.learner)


def _refuse_unknown_sites(posts: DataFrame, wanted: tuple[str, ...]) -> None:
    """Check that every named site has posts.

    Raises:
        InputError: some sites have none.
    """
    sites = {row["site"] for row in posts.select("site").distinct().collect()}
    if missing := sorted(set(wanted) - sites):
        raise InputError(f"no posts of {', '.join(missing)}", "cqa inspect shows the sites of a lake")


def _votes(run: Run) -> DataFrame:
    """The votes; without them, it is not known when an answer was accepted."""
    return run.read(VOTES) if run.has(VOTES) else VOTES.empty(run.lake.spark)
