"""From the tables of a run to what an inspection shows; only bounded amounts reach the driver."""

from cqa_spark.reports.inspection.collect.inspection import collect_inspection, run_shown

__all__ = ["collect_inspection", "run_shown"]
