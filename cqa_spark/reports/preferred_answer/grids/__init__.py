"""The tables of the preferred-answer experiment, with the published results where there are any."""

from cqa_spark.reports.preferred_answer.grids.all import grids

__all__ = ["grids"]
