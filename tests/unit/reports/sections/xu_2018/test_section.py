"""The printed data card."""

from io import StringIO

from rich.console import Console

from cqa_spark.lake.journal import Entry
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.sections.xu_2018.section import card_table, shortfall

SIZES = {"small": 10_000, "large": 70_000}


def row(site: str, split: str, measure: str, value: float) -> Entry:
    return {"site": site, "split": split, "measure": measure, "value": value}


CARD = [
    row("*", "*", "questions", 530.0), row("*", "train", "questions", 277.0), row("a.org", "*", "questions", 300.0),
    row("*", "*", "share_late", 0.2114), row("*", "*", "left_out: no answer is accepted", 653.0),
    row("*", "*", "words", 367502.0),
]  # fmt: skip


def test_the_card_has_the_values_of_the_paper() -> None:
    printed = StringIO()
    Terminal(Console(file=printed)).table(card_table(CARD, "small"))
    assert [" ".join(line.split()) for line in printed.getvalue().splitlines()] == [
        "Data set small",
        "train all paper",
        "questions 277 530 10,000",
        "words 367,502 9,154,812",
        "left out: no answer is accepted 653",
        "share late 21.1%",
    ]


def test_too_few_questions_give_a_sentence() -> None:
    assert shortfall(CARD, "small", SIZES) == (
        "small should have 10,000 questions, but only 530 meet the criteria; all of them are used."
    )
    assert shortfall(CARD, "full", SIZES) == ""
    assert shortfall([row("*", "*", "questions", 10_000.0)], "small", SIZES) == ""
