"""The table of systems in the terminal."""

import io

import literal_report as literal
from rich.console import Console

from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.wording import MISSING
from cqa_spark.reports.section import ReportValues
from cqa_spark.reports.sections import summary, systems


def printed(report: ReportValues) -> list[str]:
    stream = io.StringIO()
    report.show(Terminal(Console(file=stream, width=40)), summary.HEAD)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_the_table_is_plain_where_there_is_no_terminal() -> None:
    lines = printed(literal.full_report())
    assert lines[0] == "question comment: 244 queries of the dev split, 2,440 candidates"
    assert lines[1].split() == ["system", *literal.MEASURES, "MAP@10", "over", "given_order"]
    best = "best_a 70.12 85.98 77.24 70.08 79.31 64.61 62.10 63.33 75.90 +16.28 p < 0.001"
    assert lines[2].split() == best.split()
    baseline = f"given_order 53.84 72.78 63.13 51.23 66.02 33.52 100.00 50.21 33.52 {MISSING}"
    assert lines[8].split() == baseline.split()
    assert not any("\x1b" in line for line in lines)


def test_paired_tests_are_shown_for_every_measure() -> None:
    stream = io.StringIO()
    literal.full_report().show(Terminal(Console(file=stream, width=200)), systems.SECTION)
    lines = [line.split() for line in stream.getvalue().splitlines()]
    assert lines[0] == ["Differences", "from", "given_order"]
    assert lines[1] == ["system", *literal.MEASURES]
    assert lines[2][:5] == ["best_a", "+16.28", "p", "<", "0.001"]
    assert "given_order" not in [line[0] for line in lines[2:] if line]


def test_without_labels_it_says_so() -> None:
    assert printed(literal.unlabelled_report()) == [
        "question comment: 1 query of the test split, 10 candidates",
        "system",
        "best_a",
        "The split has no labels, so its rankings have no measures.",
    ]


def test_a_narrow_terminal_shows_the_first_measures_uncut() -> None:
    stream = io.StringIO()
    terminal = Terminal(Console(file=stream, width=80, force_terminal=True, color_system=None))
    literal.full_report().show(terminal, summary.HEAD)
    lines = stream.getvalue().splitlines()
    assert lines[1].split() == ["system", "MAP@10", "AvgRec@10", "MRR@10", "P@1", "MAP@10", "over", "given_order"]
    assert "nDCG@10, Precision, Recall, F1, Accuracy" in lines[10]
    assert not any("\N{HORIZONTAL ELLIPSIS}" in line for line in lines)
    assert max(map(len, lines[:10])) <= 80
