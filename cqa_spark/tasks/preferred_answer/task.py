"""Task P: rank the answers of a question; the answer accepted by the asker is relevant."""

from collections.abc import Sequence
from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Step
from cqa_spark.systems.system import System
from cqa_spark.task_contract.contract import Night, Task
from cqa_spark.tasks.preferred_answer.examples import ACCEPTED_ANSWER, OTHER_ANSWER


class PreferredAnswer(Task):
    """Candidates are all answers of the question's thread; the accepted one is relevant (Xu et al. 2018, section 3).

    Dumps have no train and test splits, so ``pair`` creates no examples of this task. ``cqa dataset preferred-answer``
    selects and splits threads.
    """

    name = "preferred_answer"
    letter = "P"
    about = "rank the answers of a question so that the one that the asker accepted comes first"
    grades = MappingProxyType({ACCEPTED_ANSWER: 1, OTHER_ANSWER: 0})
    relevant_from = 1
    formats = ("stackexchange",)
    baseline = "first_answer"
    address = "concat('https://', site, '/a/', candidate_id)"
    replays_nights = True
    simple_orders = ("votes_then_length", "oldest", "longest_answer_asof")
    measures = ("P@1", "MRR@10", "MAP@10", "nDCG@10")  # Xu et al. use only the first

    def fold_key(self) -> Column:
        """The thread."""
        return F.col("thread_id")

    def night(self, night: Night) -> tuple[Step, ...]:
        """Tonight's answers of every question with enough of them, and the nights before."""
        from cqa_spark.flows import text_steps  # lists import every task
        from cqa_spark.tasks.preferred_answer.steps import ReplayNights

        examples = ReplayNights(self, night.settings.answers, night.last, undecided=night.learns_choices)
        return examples, *text_steps(night.groups, words=night.reads_words, last=night.last_texts)

    def measure_nights(
        self, systems: Sequence[System], last: Snapshot | None, unchanged: Snapshot | None
    ) -> tuple[Step, ...]:
        """Replayed nights."""
        from cqa_spark.tasks.preferred_answer.measure_nights import MeasureNights

        return (MeasureNights(systems, last, unchanged),)
