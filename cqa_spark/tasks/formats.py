"""Formats of annotated files, with the tasks that their labels judge."""

from cqa_spark.corpora.cqa_md import CqaMdFiles
from cqa_spark.corpora.qatar_living.reader import JudgedTasks, QatarLivingFiles
from cqa_spark.corpora.qatar_living.threads import LAYOUT_SUBTASK_E
from cqa_spark.corpora.text_pairs.reader import QuestionPairFiles, StsFiles
from cqa_spark.tasks.duplicate.task import Duplicate
from cqa_spark.tasks.external_comment import ExternalComment
from cqa_spark.tasks.semeval import ArabicPair, QuestionComment, QuestionQuestion, Sts


class QatarLiving(QatarLivingFiles):
    """Files of SemEval 2015-2017 Task 3, in English: tasks A, B and C."""

    tasks = JudgedTasks(QuestionQuestion.name, QuestionComment.name, ExternalComment.name)


class SubtaskE(QatarLivingFiles):
    """Files of SemEval 2017 Task 3, subtask E: task E, with 50 given candidates of a site of Stack Exchange."""

    default_site = ""
    layouts = (LAYOUT_SUBTASK_E,)
    tasks = JudgedTasks(Duplicate.name)


class CqaMd(CqaMdFiles):
    """Files of SemEval 2016 and 2017 Task 3, in Arabic: task D."""

    task = ArabicPair.name


class SentencePairs(StsFiles):
    """Sentence pairs with similarities: task S."""

    task = Sts.name


class QuestionPairs(QuestionPairFiles):
    """Pairs of questions that are duplicates or not: task B, with a query of one candidate."""

    task = QuestionQuestion.name
