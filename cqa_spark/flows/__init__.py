"""The flows: the ordered steps of each job, built from its settings.

A flow is built and validated before Spark starts; ``--dry-run`` prints it.
"""

from cqa_spark.flows.dumps import ingest_dump
from cqa_spark.flows.files import ingest, rank, run, score_file, train_on_files, training_on_files
from cqa_spark.flows.nights import night_format, night_systems, nightly
from cqa_spark.flows.reproduction import reproduce
from cqa_spark.flows.single_steps import audit, evaluate, featurize, groups_to_compute, pair, report, score, train

__all__ = [
    "audit",
    "evaluate",
    "featurize",
    "groups_to_compute",
    "ingest",
    "ingest_dump",
    "night_format",
    "night_systems",
    "nightly",
    "pair",
    "rank",
    "report",
    "reproduce",
    "run",
    "score",
    "score_file",
    "train",
    "train_on_files",
    "training_on_files",
]
