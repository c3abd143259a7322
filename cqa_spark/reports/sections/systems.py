"""The measures of all systems, and their comparisons."""

from functools import partial

from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS
from cqa_spark.reports.evaluation import Comparison, Evaluation, evaluation
from cqa_spark.reports.kit.blocks import (
    NO_VALUE,
    Block,
    Cell,
    Columns,
    Details,
    Facts,
    Only,
    Plot,
    Row,
    Span,
    Table,
    Text,
    Words,
    better_or_worse,
    count_cells,
    difference_cell,
)
from cqa_spark.reports.kit.svg import Picture, Whisker, described, whiskers
from cqa_spark.reports.kit.wording import (
    SIGNIFICANT,
    count,
    counted,
    difference_interval,
    evidence,
    interval,
    p_value,
    points,
    signed_points,
    verdict,
)
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section


def data(run: ReportedRun) -> Evaluation | None:
    """The evaluation; None without measurements."""
    evaluated = run.once(evaluation)
    return evaluated if evaluated.measurements else None


def blocks(evaluated: Evaluation) -> list[Block]:
    """Plots and a table of all measures, the comparisons, and descriptions of the systems."""
    return [Only("page", _page(evaluated)), Only("terminal", _tests(evaluated) if evaluated.comparisons else [])]


def _page(evaluated: Evaluation) -> list[Block]:
    main, level = evaluated.main_measure, f"{evaluated.measurements[0].confidence * 100:.0f} %"
    measures = {measurement.measure for measurement in evaluated.measurements}
    shown: list[Block] = []
    if main in measures:
        value = "correlation over the pairs"
        if evaluated.by_query:
            value = "mean over queries"
        elif evaluated.of_sets:
            value = "mean of the correlations on the sets"
        line = f", the dotted line the baseline {evaluated.baseline}" if evaluated.baseline else ""
        caption = (
            f"{main} of each system. The dot is the {value}, the bar its {level} bootstrap interval{line}. Higher is "
            "better. Choosing the best system on this split makes its score optimistic."
        )
        shown.append(Plot("main", partial(plot_measure, evaluated, main), caption))
    shown.append(_measures(evaluated, level))
    if evaluated.comparisons:
        shown.append(_comparisons(evaluated, level))
    if evaluated.runner_up:
        opening = f"Best against second best: {evaluated.best_system} differs from {evaluated.systems[1]} by "
        closing = " Both were chosen by their scores here, so the p-value is optimistic."
        shown.append(Text((opening, *_difference(evaluated, evaluated.runner_up), closing), "legend"))
    for margin in evaluated.margins:
        opening = f"{margin.system} differs from {margin.baseline} by "
        shown.append(Text((opening, *_difference(evaluated, margin)), "legend"))
    if evaluated.descriptions:
        shown.append(Details("Descriptions of the systems", [Facts(evaluated.descriptions, "descriptions")]))
    others = [measure for measure in evaluated.measures if measure in measures]
    plots = [
        Plot(f"measure{number}", partial(plot_measure, evaluated, measure), measure, small=True)
        for number, measure in enumerate(others)
        if measure != main
    ]
    if plots:
        shown.append(Details("Plots of the other measures", [Columns(plots)]))
    return shown


def _measures(evaluated: Evaluation, level: str) -> Table:
    """All measures of all systems, with the outcome of their tests against the baseline."""
    singular, plural = ("pair", "pairs") if evaluated.of_sets else ("query", "queries")
    about: tuple[Words, ...] = (
        f"Measures of {counted(evaluated.queries, singular, plural)} in percentage points, with their {level} "
        "bootstrap intervals.",
    )
    if evaluated.comparisons:
        unmarked = "differences without a symbol are not statistically significant."
        signs = better_or_worse(evaluated.baseline or "")
        about += (" ", *signs, f"test (p\xa0<\xa0{SIGNIFICANT}); {unmarked}")
    if evaluated.one_label:
        about += (
            " Precision, recall and F1 are omitted for systems that predict all candidates relevant, or none, and so "
            f"are comparisons with them: {', '.join(evaluated.one_label)}.",
        )
    styles = {evaluated.baseline: "baseline", evaluated.best_system: "best"}
    rows = []
    for system in evaluated.systems:
        cells = []
        for measure in evaluated.measures:
            measured = evaluated.measurement(system, measure)
            if measured is None:
                cells.append(NO_VALUE)
                continue
            outcome = verdict(evaluated.comparison(system, measure))
            sign = "" if outcome == "unclear" else outcome
            role = "main" if measure == evaluated.main_measure else ""
            cells.append(Cell(points(measured.value), interval(measured.low, measured.high), role, sign))
        rows.append(Row(system, cells, styles.get(system, "")))
    return Table("", about, ("System", *evaluated.measures), rows, style="measures")


def _comparisons(evaluated: Evaluation, level: str) -> Table:
    """The differences from the baseline on the main measure."""
    test = "bootstrap test over the pairs of each set" if evaluated.of_sets else "randomization test over queries"
    drawn = f" with {count(evaluated.resamples)} resamples, seed {evaluated.seed}" if evaluated.resamples else ""
    about = (
        f"Difference in {evaluated.main_measure} from {evaluated.baseline}; paired {test}{drawn}; p\u2011values are "
        f"adjusted for the number of systems (Holm). Small: {level} bootstrap intervals of the differences."
    )
    rows = []
    for system in evaluated.systems:
        compared = evaluated.comparison(system, evaluated.main_measure)
        if compared is None:
            continue
        cells = [
            Cell(signed_points(compared.difference), difference_interval(compared), verdict(compared)),
            Cell(p_value(compared.p_value), role="p-value"),
        ]
        if evaluated.by_query:
            outcomes = compared.wins, compared.ties, compared.losses
            cells += [*count_cells(*outcomes), Cell("", shares=outcomes)]
        rows.append(Row(system, cells, "best" if system == evaluated.best_system else ""))
    outcomes_of = ("Better", "Equal", "Worse", "Queries") if evaluated.by_query else ()
    headings = ("System", "Difference", "p-value", *outcomes_of)
    return Table("", about, headings, rows, ("Queries",), style="comparisons")


def _difference(evaluated: Evaluation, compared: Comparison) -> tuple[str | Span, ...]:
    """A difference with its evidence and, for measures of queries, how many are better and worse."""
    by_query = ""
    if evaluated.by_query:
        better = counted(compared.wins, "query", "queries")
        by_query = f": better on {better}, equal on {count(compared.ties)}, worse on {count(compared.losses)}"
    difference = Span(signed_points(compared.difference), role=verdict(compared))
    return difference, f" points ({evidence(compared)}){by_query}."


def _tests(evaluated: Evaluation) -> list[Block]:
    """The paired tests: each system and the baseline on every measure, then others on the main measure."""
    others = [system for system in evaluated.systems if system != evaluated.baseline]
    table = Table(
        title=f"Differences from {evaluated.baseline}",
        about="Paired randomization tests over queries, adjusted by Holm.",
        headings=("system", *evaluated.measures),
        rows=[
            (system, [difference_cell(evaluated.comparison(system, measure)) for measure in evaluated.measures])
            for system in others
        ],
    )
    further = [(evaluated.runner_up, ", the second best")] if evaluated.runner_up else []
    lines = [
        f"{compared.measure} of {compared.system} over {compared.baseline}{which}: "
        f"{signed_points(compared.difference)} ({evidence(compared)})"
        for compared, which in (*further, *((margin, "") for margin in evaluated.margins))
    ]
    return [table, *map(Text, lines)]


def plot_measure(evaluated: Evaluation, measure: str, width: int) -> Picture:
    """Picture a measure of each system in percentage points, with its interval and a line at the baseline."""
    measured = [m for s in evaluated.systems if (m := evaluated.measurement(s, measure)) is not None]
    rows = [Whisker(m.system, m.value, m.low, m.high, _role(evaluated, m.system)) for m in measured]
    baseline = evaluated.measurement(evaluated.baseline, measure) if evaluated.baseline else None
    figure = whiskers(rows, baseline.value if baseline else None, width)
    return Picture(figure, f"{measure} of each system, with intervals: {described(rows)}.")


def _role(evaluated: Evaluation, system: str) -> str:
    if system == evaluated.best_system:
        return "accent"
    return "muted" if system == evaluated.baseline else "ink"


SECTION = Section("systems", "Systems", data, blocks, products=(METRICS,), optional=(COMPARISONS,))
