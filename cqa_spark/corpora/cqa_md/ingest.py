"""Files of CQA-MD → the community tables of a run."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import SparkSession

from cqa_spark.corpora.annotated_files import AnnotatedFiles
from cqa_spark.corpora.community import CommunityTables
from cqa_spark.corpora.cqa_md.reader import read_cqa_md


class CqaMdFiles(AnnotatedFiles):
    """Files of SemEval 2016 and 2017 Task 3, subtask D.

    Attributes:
        task: name of the judged task.
    """

    task: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]] = ("*.xml", "*.xml.gz")

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files."""
        return read_cqa_md(spark, self.inputs, self.site, self.task)
