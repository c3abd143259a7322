"""Annotated files of Qatar Living → the community tables of a run."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import SparkSession

from cqa_spark.corpora.annotated_files import AnnotatedFiles
from cqa_spark.corpora.community import CommunityTables
from cqa_spark.corpora.qatar_living.reader import SITE, read_qatar_living
from cqa_spark.corpora.qatar_living.tables import JudgedTasks


class QatarLivingFiles(AnnotatedFiles):
    """Files of SemEval 2015-2017 Task 3, and dumps of the same forum.

    Attributes:
        tasks: names of the judged tasks.
    """

    default_site = SITE
    tasks: ClassVar[JudgedTasks]

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files."""
        return read_qatar_living(spark, self.inputs, self.tasks, self.site)
