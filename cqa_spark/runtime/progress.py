"""Progress of a running job: one line per finished step."""

from __future__ import annotations

from cqa_spark.lake.run_record import StepRecord
from cqa_spark.process.terminal import Terminal

HEADER = f"{'step':<12}{'rows in':>12}{'rows out':>12}{'bad':>8}{'seconds':>10}"


def print_header() -> None:
    """Print the column names, once per job."""
    Terminal(stderr=True).line(HEADER)


def print_step(step: StepRecord) -> None:
    """Print a finished step: its name, rows in, rows out, quarantined rows, seconds."""
    counts = f"{step.rows_in:>12,}{step.rows_out:>12,}{step.rows_quarantined:>8,}"
    Terminal(stderr=True).line(f"{step.step:<12}{counts}{step.seconds:>10.1f}")
