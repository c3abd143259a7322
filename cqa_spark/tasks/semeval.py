"""What the tasks of SemEval-2016 Task 3 share: judged files, measures, and nights over files of threads."""

from types import MappingProxyType
from typing import ClassVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.cqa_md import QUESTION_PREFIX
from cqa_spark.runtime.flow import Step
from cqa_spark.task_contract.contract import Night, Task


class SemevalTask(Task):
    """A task whose judgments are in the files.

    Source:
        Nakov et al. 2016, SemEval-2016 Task 3: the official measures are the first three.
    """

    measures = ("MAP@10", "AvgRec@10", "MRR@10", "P@1", "nDCG@10", "Precision", "Recall", "F1", "Accuracy")

    def night(self, night: Night) -> tuple[Step, ...]:
        """Every query in the files."""
        from cqa_spark.flows import text_steps  # lists import every task
        from cqa_spark.steps.pair import Pair

        pair = Pair(night.tasks, models=tuple(night.kept), unlabel_shared_threads=True)
        return pair, *text_steps(night.groups, words=night.reads_words, last=night.last_texts)


# Task A: rank a question's comments.


class QuestionComment(SemevalTask):
    """Candidates are the comments of the question's thread; only Good ones are relevant (Nakov et al. 2016)."""

    name = "question_comment"
    letter = "A"
    about = "rank the comments of a thread by how well they answer its question"
    grades = MappingProxyType({"Good": 2, "PotentiallyUseful": 1, "Bad": 0})
    relevant_from = 2
    candidate_id = "comment_id"
    formats = ("qatar_living",)
    baseline = "given_order"

    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """The comments' authors and times."""
        return comments.select("site", F.col("comment_id").alias("candidate_id"), "user_id", "created_at")

    def fold_key(self) -> Column:
        """The first copy of the thread, because text and labels recur in every copy."""
        return F.coalesce("same_as", "thread_id")

    def keeps(self) -> Column:
        """Threads that repeat an earlier one are skipped, as in the official task."""
        return F.col("same_as").isNull()


# Task B: rank related questions for a new question.


class QuestionQuestion(SemevalTask):
    """Candidates are related questions; PerfectMatch and Relevant count as relevant (Nakov et al. 2016)."""

    name = "question_question"
    letter = "B"
    about = "rank the questions found by a search engine by how closely they are related to a new question"
    grades = MappingProxyType({"PerfectMatch": 2, "Relevant": 1, "Irrelevant": 0})
    relevant_from = 1
    formats = ("qatar_living", "question_pairs")
    baseline = "search_order_b"

    def fold_key(self) -> Column:
        """The original question, because labels belong to the pair and no original question occurs twice.

        Related threads recur for other original questions, with other labels. Grouping by these as well would put 255
        of the 267 original questions of the 2016 training files into one fold.
        """
        return F.col("query_id")


# Task D: rank question-answer pairs for a question, in Arabic.


class ArabicPair(SemevalTask):
    """Retrieved pairs, for a new question; direct answers and related pairs count (Nakov et al. 2016)."""

    name = "arabic_pair"
    letter = "D"
    about = "rank the retrieved question-answer pairs by how well they answer a new question, in Arabic"
    grades = MappingProxyType({"D": 2, "R": 1, "I": 0})
    relevant_from = 1
    query_prefix = QUESTION_PREFIX
    formats = ("cqa_md",)
    baseline = "given_order_d"

    def fold_key(self) -> Column:
        """The question, because labels belong to a question and a pair, and pairs recur for other questions."""
        return F.col("query_id")


# Semantic textual similarity: grade how similar two sentences are.


class Sts(Task):
    """Sentence pairs with a similarity from 0 (unrelated) to 5 (equivalent) (Agirre et al. 2012).

    The first sentence of a pair is the query, the second its only candidate. The measure is the correlation of scores
    and similarities. For rankers that need classes, the label is the rounded similarity. Pairs are relevant from 4, at
    which only unimportant details differ.
    """

    name = "sts"
    letter = "S"
    about = "grade the similarity in meaning of two sentences"
    grades: ClassVar[dict[str, int]] = {}
    relevant_from = 4
    grades_pairs = True
    formats = ("sts",)
    baseline = "cosine_sts"
    measures = ("Pearson",)

    def similarity(self) -> Column:
        """The label is the number."""
        return F.col("label").cast("double")

    def grade(self) -> Column:
        """The similarity, rounded."""
        return F.round(self.similarity()).cast("int")

    def fold_key(self) -> Column:
        """The pair."""
        return F.col("thread_id")
