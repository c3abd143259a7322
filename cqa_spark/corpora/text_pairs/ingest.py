"""Files of pairs → the community tables of a run."""

from pathlib import Path
from typing import ClassVar

from pyspark.sql import SparkSession

from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.annotated_files import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.text_pairs.layout import QUESTION_PAIRS, SENTENCE_PAIRS
from cqa_spark.corpora.text_pairs.reader import read_text_pairs
from cqa_spark.corpora.text_pairs.set_names import gold_path
from cqa_spark.object_store.locations import find_files

TABLES = ("*.tsv", "*.csv", "*.tsv.gz", "*.csv.gz")


class StsFiles(AnnotatedFiles):
    """Sentence pairs in the layouts of the STS tasks, the STS Benchmark, SICK, MSRP, Quora and PAWS.

    Attributes:
        task: name of the judged task.
    """

    task: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]] = (*TABLES, "sts*.input.*", "sts*.track*")

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files; scores of an official input come from the gold file next to it, if it exists."""
        gold = [self._gold(file.path) for file in self.inputs]
        return read_text_pairs(spark, self.inputs, gold, self.site, SENTENCE_PAIRS, self.task)

    def _gold(self, path: str) -> str | None:
        gold = gold_path(path)
        if gold is None:
            return None
        is_there = bool(find_files(gold, self.storage)) if is_remote(gold) else Path(gold).is_file()
        return gold if is_there else None


class QuestionPairFiles(AnnotatedFiles):
    """Pairs of questions that are duplicates or not.

    Attributes:
        task: name of the judged task.

    Source:
        Bogdanova et al. 2015, Detecting Semantically Equivalent Questions in Online User Forums, section 4.
    """

    task: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]] = TABLES

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files."""
        return read_text_pairs(spark, self.inputs, [None] * len(self.inputs), self.site, QUESTION_PAIRS, self.task)
