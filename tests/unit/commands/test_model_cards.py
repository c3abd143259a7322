"""Cards of trained systems in the terminal."""

from dataclasses import replace
from datetime import date

import pytest

from cqa_spark.commands.model_cards import card_tables
from cqa_spark.process.terminal import Terminal
from cqa_spark.systems.model_card import CardFigure, LearnedSite, ModelCard

SITES = (
    LearnedSite(site="a.example.org", newest=date(2020, 1, 2), threads=10, labels=4, queries=9),
    LearnedSite(site="b.example.org", newest=date(2021, 3, 4), threads=5, labels=2, queries=3, licences=("CC0",)),
)
FIGURE = CardFigure(
    order="mine", reference="simple", population="nights", band="all", measure="P@1", value=0.751, low=0.7, high=0.8,
    difference=0.032, low_difference=0.011, high_difference=0.053, p_value=0.003, nights=12, threads=6,
)  # fmt: skip


def shown(card: ModelCard, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    for table in card_tables(card):
        Terminal().table(table)
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_a_card_shows_what_was_learned_and_what_it_is_worth(capsys: pytest.CaptureFixture[str]) -> None:
    older = replace(FIGURE, band="older", difference=-0.01)
    card = ModelCard(version="1.0", sites=SITES, features="0", licence="CC BY-SA", figures=(FIGURE, older))
    assert shown(card, capsys) == [
        ["learned", "from", "to", "threads", "with", "a", "label", "nights"],
        ["a.example.org", "2020-01-02", "10", "4", "9"],
        ["b.example.org", "2021-03-04", "5", "2", "3"],
        ["all", "15", "6", "12"],
        ["version", "1.0;", "licence", "of", "the", "data:", "CC", "BY-SA"],
        ["order,", "on", "all", "nights", "P@1", "difference", "95", "%", "p", "from"],
        ["mine", "75.1", "+3.2", "+1.1", "to", "+5.3", "0.003", "simple"],
        ["mine,", "by", "nights", "nights", "threads", "P@1", "difference", "95", "%", "p"],
        ["all", "12", "6", "75.1", "+3.2", "+1.1", "to", "+5.3", "0.003"],
        ["older", "12", "6", "75.1", "-1.0", "+1.1", "to", "+5.3", "0.003"],
    ]
    assert card.labels == 6


def test_a_card_without_figures_shows_what_was_learned(capsys: pytest.CaptureFixture[str]) -> None:
    card = ModelCard(version="1.0", sites=SITES, features="0", licence="CC BY-SA")
    assert len(shown(card, capsys)) == 5
