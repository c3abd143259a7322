"""The record of the run: its steps, code, settings and input files."""

from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from cqa_spark.lake.run_log import RunRecord, StepRecord
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.svg import Plot, draw_both, named_bars
from cqa_spark.reports.kit.wording import duration, readable
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section


def data(run: ReportedRun) -> RunRecord:
    """The record in the run log."""
    return run.record


def page(record: RunRecord) -> Markup:
    """The duration and rows of each step, the identity of the run, its settings, and the hashes of its inputs."""
    figure = draw_both(partial(plot_steps, record.steps), "steps") if record.steps else None
    return fragment("sections/record.html.j2", run=record, seconds=seconds(record), figure=figure)


def seconds(record: RunRecord) -> float:
    """Wall-clock time of all steps, in seconds."""
    return sum(step.seconds for step in record.steps)


def plot_steps(steps: Sequence[StepRecord], width: int) -> Plot:
    """Draw the wall-clock time of each step, at least one, in the order of the run."""
    names = [readable(step.step) for step in steps]
    texts = [duration(step.seconds) for step in steps]
    figure = named_bars(
        names, [step.seconds for step in steps], texts, width, row=26, thickness=0.6, font=12, gap=5, room=0.18
    )
    described = "; ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
    return Plot(figure, f"Wall-clock time of each step: {described}.")


SECTION = Section("run", "Run", data, page)
