"""Formats of annotated files, with the tasks that their labels judge."""

from cqa_spark.corpora.cqa_md.reader import CqaMdFiles
from cqa_spark.corpora.qatar_living.layout import LAYOUT_SUBTASK_E
from cqa_spark.corpora.qatar_living.reader import QatarLivingFiles
from cqa_spark.corpora.qatar_living.tables import JudgedTasks
from cqa_spark.corpora.text_pairs.reader import QuestionPairFiles, StsFiles
from cqa_spark.tasks.arabic_pair import ArabicPair
from cqa_spark.tasks.duplicate.task import Duplicate
from cqa_spark.tasks.external_comment.task import ExternalComment
from cqa_spark.tasks.question_comment import QuestionComment
from cqa_spark.tasks.question_question import QuestionQuestion
from cqa_spark.tasks.sts import Sts


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
