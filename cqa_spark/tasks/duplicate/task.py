"""Task E: find earlier questions of a site that a question duplicates."""

from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.runtime.flow import Step
from cqa_spark.task_contract.contract import Night, Task

DUPLICATE_LABEL, OTHER_LABEL = "Duplicate", "NotDuplicate"
"""The labels of questions in dumps; files of SemEval have others."""


class Duplicate(Task):
    """Candidates are earlier questions; duplicates are relevant (Nakov et al. 2017, section 3.2).

    The files of SemEval give the candidates and their labels. Dumps have neither these nor train and test splits, so
    ``pair`` creates no examples from them: the step ``candidates`` retrieves candidates and splits the questions by
    time.
    """

    name = "duplicate"
    letter = "E"
    about = "find the earlier questions of the site that a question duplicates, or none"
    grades = MappingProxyType({DUPLICATE_LABEL: 1, OTHER_LABEL: 0, "PerfectMatch": 1, "Related": 0, "Irrelevant": 0})
    relevant_from = 1
    formats = ("stackexchange", "question_list", "semeval2017_e")
    baseline = "bm25_order"
    # TMAP judges the cut rankings; AnsRR@50 and AnsR@50 judge the order, over the questions that have a duplicate.
    measures = ("TMAP", "AnsRR@50", "AnsR@50", "AnsR@10", "OracleTMAP", "UncutTMAP")
    address = "concat('https://', site, '/q/', candidate_id)"
    candidates_stay = True

    def examples(self, pairs: DataFrame) -> DataFrame:
        """Grade the labels; questions with given candidates have no clusters."""
        has_clusters = "cluster" in pairs.columns
        return super().examples(pairs if has_clusters else pairs.withColumn("cluster", F.lit(None).cast("string")))

    def fold_key(self) -> Column:
        """The oldest question of the query's cluster, because all labels of a cluster derive from the same links."""
        return F.coalesce("cluster", "query_id")

    def night(self, night: Night) -> tuple[Step, ...]:
        """New questions; all others keep their candidates."""
        from cqa_spark.tasks.duplicate.candidates import RetrieveCandidates, question_texts  # lists import every task

        retrieval = night.settings.retrieval
        texts = question_texts(night.groups, retrieval.embeddings, night.last_texts)
        return *texts, RetrieveCandidates(self, retrieval, trains=night.learns, last=night.last)
