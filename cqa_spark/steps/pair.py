"""community tables → examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, OUTSIDE_TRAINING
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.spark.frames import persisted
from cqa_spark.systems.trained_system import model_artifact, trained_system
from cqa_spark.task_contract.contract import task
from cqa_spark.task_contract.leakage import refuse_shared_threads, threads_of, trained_on, without_labels_of_trained


@dataclass(frozen=True)
class Pair(Step):
    """Build the examples of tasks: queries with candidates, labels and initial ranks.

    Attributes:
        tasks: names of the tasks.
        leave_out: ids of training threads to omit, because an evaluation file also contains them.
        models: trained systems that the run ranks with; their training threads count as training data as well.
        allow_shared_threads: whether training and evaluation data may share threads.
        unlabel_shared_threads: whether evaluation threads that a model has learned from are ranked without labels, and
            thus not measured, instead of refused.
    """

    tasks: Sequence[str]
    leave_out: Sequence[str] = ()
    models: Sequence[str] = ()
    allow_shared_threads: bool = False
    unlabel_shared_threads: bool = False

    name = "pair"

    def reads(self) -> tuple[Product, ...]:
        """Posts, comments and judgments, and the models."""
        return POSTS, COMMENTS, JUDGMENTS, *[Artifact(model_artifact(name)) for name in self.models]

    def writes(self) -> tuple[Product, ...]:
        """The examples."""
        return (EXAMPLES,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the examples of all tasks as one table.

        Raises:
            InputError: training and evaluation data share threads, and that is not allowed.
        """
        posts, comments, judgments = (run.read(table) for table in (POSTS, COMMENTS, JUDGMENTS))
        judged = {row["task"]: row["count"] for row in judgments.groupBy("task").count().collect()}
        counts.rows_in = sum(judged.values())
        built = [task(name).build(posts, comments, judgments) for name in self.tasks if name in judged]
        examples = reduce(DataFrame.unionByName, built, EXAMPLES.empty(run.lake.spark))
        if self.leave_out:
            examples = examples.where((F.col("split") != "train") | ~F.col("thread_id").isin(*self.leave_out))
        known = [trained_system(run, model_artifact(name)).all_threads() for name in self.models]
        if self.unlabel_shared_threads and known:
            with persisted(threads_of(examples.where(F.col("label").isNotNull()), posts, comments)) as (threads,):
                counts.rows_out = run.write(EXAMPLES, without_labels_of_trained(examples, threads, known))
            return
        counts.rows_out = run.write(EXAMPLES, examples)
        if not self.allow_shared_threads:
            threads = threads_of(run.read(EXAMPLES), posts, comments)
            with persisted(threads) as (threads,):
                trained = reduce(DataFrame.unionByName, known, trained_on(threads))
                refuse_shared_threads(threads.where(OUTSIDE_TRAINING), trained)
