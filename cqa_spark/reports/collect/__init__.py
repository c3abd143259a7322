"""From the run's tables to the report's content; only bounded amounts reach the driver."""

from cqa_spark.reports.collect.report import collect_content
from cqa_spark.reports.collect.run import run_facts

__all__ = ["collect_content", "run_facts"]
