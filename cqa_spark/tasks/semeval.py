"""What the tasks of SemEval-2016 Task 3 share: judged files, measures, and nights over files of threads."""

from cqa_spark.examples.night import Night
from cqa_spark.examples.task import Task
from cqa_spark.runtime.step import Step


class SemevalTask(Task):
    """A task whose judgments are in the files.

    Source:
        Nakov et al. 2016, SemEval-2016 Task 3: the official measures are the first three.
    """

    measures = ("MAP@10", "AvgRec@10", "MRR@10", "P@1", "nDCG@10", "Precision", "Recall", "F1", "Accuracy")

    def night(self, night: Night) -> tuple[Step, ...]:
        """Every query in the files."""
        from cqa_spark.flows.shared_steps import text_steps  # lists import every task
        from cqa_spark.steps.pair import Pair

        pair = Pair(night.tasks, models=tuple(night.kept), unlabel_shared_threads=True)
        return pair, *text_steps(night.groups, words=night.reads_words, last=night.last_texts)
