"""The measures of all systems, and their comparisons."""

from functools import partial

from markupsafe import Markup

from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.evaluation import Evaluation, evaluation
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.svg import Plot, Whisker, described, draw_both, draw_small, whiskers
from cqa_spark.reports.kit.tables import Grid, difference_cell, print_grid
from cqa_spark.reports.kit.wording import evidence, signed_points
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section


def data(run: ReportedRun) -> Evaluation | None:
    """The evaluation; None without measurements."""
    evaluated = run.once(evaluation)
    return evaluated if evaluated.measurements else None


def page(evaluated: Evaluation) -> Markup:
    """Plots and a table of all measures, the comparisons, and descriptions of the systems."""
    main = evaluated.main_measure
    measures = {measurement.measure for measurement in evaluated.measurements}
    measured = [measure for measure in evaluated.measures if measure in measures]
    return fragment(
        "sections/systems.html.j2",
        evaluation=evaluated,
        main_figure=draw_both(partial(plot_measure, evaluated, main), "main") if main in measures else None,
        other_figures={
            measure: draw_small(partial(plot_measure, evaluated, measure), f"measure{number}")
            for number, measure in enumerate(measured)
            if measure != main
        },
    )


def console(evaluated: Evaluation, terminal: Terminal) -> None:
    """Print the paired tests: each system and the baseline on every measure, then others on the main measure."""
    if not evaluated.comparisons:
        return
    others = [system for system in evaluated.systems if system != evaluated.baseline]
    rows = tuple(
        (system, tuple(difference_cell(evaluated.comparison(system, measure)) for measure in evaluated.measures))
        for system in others
    )
    print_grid(
        Grid(
            title=f"Differences from {evaluated.baseline}",
            about="Paired randomization tests over queries, adjusted by Holm.",
            headings=("system", *evaluated.measures),
            rows=rows,
        ),
        terminal,
    )
    further = [(evaluated.runner_up, ", the second best")] if evaluated.runner_up else []
    for compared, which in (*further, *((margin, "") for margin in evaluated.margins)):
        terminal.line(
            f"{compared.measure} of {compared.system} over {compared.baseline}{which}: "
            f"{signed_points(compared.difference)} ({evidence(compared)})"
        )


def plot_measure(evaluated: Evaluation, measure: str, width: int) -> Plot:
    """Plot a measure of each system in percentage points, with its interval and a line at the baseline."""
    measured = [m for s in evaluated.systems if (m := evaluated.measurement(s, measure)) is not None]
    rows = [Whisker(m.system, m.value, m.low, m.high, _role(evaluated, m.system)) for m in measured]
    baseline = evaluated.measurement(evaluated.baseline, measure) if evaluated.baseline else None
    figure = whiskers(rows, baseline.value if baseline else None, width)
    return Plot(figure, f"{measure} of each system, with intervals: {described(rows)}.")


def _role(evaluated: Evaluation, system: str) -> str:
    if system == evaluated.best_system:
        return "accent"
    return "muted" if system == evaluated.baseline else "ink"


SECTION = Section("systems", "Systems", data, page, console, products=(METRICS,), optional=(COMPARISONS,))
