"""The record of the run: its steps, code, settings and input files."""

from collections.abc import Sequence
from functools import partial

from cqa_spark.lake.run_log import RunRecord, StepRecord
from cqa_spark.reports.kit.blocks import (
    Block,
    Cell,
    Code,
    Details,
    Facts,
    Plot,
    Row,
    Span,
    Table,
    count_cells,
    warning_cell,
)
from cqa_spark.reports.kit.svg import Picture, named_bars
from cqa_spark.reports.kit.wording import duration, readable, size
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section


def data(run: ReportedRun) -> RunRecord:
    """The record in the run log."""
    return run.record


def blocks(record: RunRecord) -> list[Block]:
    """The duration and rows of each step, the identity of the run, its settings, and the hashes of its inputs."""
    shown: list[Block] = []
    if record.steps:
        caption = f"Wall-clock time of each step; {duration(seconds(record))} in total."
        rows = [
            Row(
                readable(step.step),
                (
                    *count_cells(step.rows_in, step.rows_out),
                    warning_cell(step.rows_quarantined),
                    Cell(duration(step.seconds)),
                ),
            )
            for step in record.steps
        ]
        columns = ("Step", "Rows in", "Rows out", "Quarantined", "Time")
        shown += [
            Plot("steps", partial(plot_steps, record.steps), caption),
            Table("", "Rows read and written by each step.", columns, rows),
        ]
    identity = {"Run": record.run_id, "Code version": record.code_version, "Config hash": record.config_hash}
    facts: list[tuple[str, str | Span]] = [(name, Span(value, "code")) for name, value in identity.items()]
    facts.insert(1, ("Recorded", f"{record.recorded_at:%Y-%m-%d %H:%M:%S %Z}".strip()))
    shown.append(Facts(facts, "identity"))
    if record.inputs:
        files = [
            Row(
                Cell(file.path, role="path"),
                (Cell(file.split), Cell(size(file.bytes)), Cell(Span(file.sha256 or "unknown", "code"))),
            )
            for file in record.inputs
        ]
        about, headings = "Size and SHA-256 of each input file.", ("File", "Split", "Size", "SHA-256")
        table = Table("", about, headings, files, ("Split", "SHA-256"))
        shown.append(Details("Input files with hashes", [table]))
    return [*shown, Details("Resolved settings", [Code(record.config)])]


def seconds(record: RunRecord) -> float:
    """Wall-clock time of all steps, in seconds."""
    return sum(step.seconds for step in record.steps)


def plot_steps(steps: Sequence[StepRecord], width: int) -> Picture:
    """Draw the wall-clock time of each step, at least one, in the order of the run."""
    names = [readable(step.step) for step in steps]
    texts = [duration(step.seconds) for step in steps]
    figure = named_bars(
        names, [step.seconds for step in steps], texts, width, row=26, thickness=0.6, font=12, gap=5, room=0.18
    )
    described = "; ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
    return Picture(figure, f"Wall-clock time of each step: {described}.")


SECTION = Section("run", "Run", data, blocks)
