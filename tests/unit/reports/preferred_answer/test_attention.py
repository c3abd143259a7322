"""The heat map of attention weights."""

from html_checks import drawn
from lxml import etree

from cqa_spark.reports.sections.xu_2018.section import plot_attention
from cqa_spark.reports.sections.xu_2018.study import AttentionExample

ATTENTION = AttentionExample(
    "decatt_asof", "s", "Q", "A", ("cold", "beer"), ("warm", "ale", "the"), (2, -2, 0, 0, 6, 0)
)


def test_weights_are_scaled_to_the_range_from_0_to_1() -> None:
    assert ATTENTION.normalised() == [[0.5, 0.0, 0.25], [0.25, 1.0, 0.25]]
    assert AttentionExample("", "", "", "", ("one",), ("other",), (3.0,)).normalised() == [[0.0]]


def test_the_heat_map_names_all_words_and_the_strongest_pairs_and_leaves_squares_of_0_out() -> None:
    drawing = drawn(plot_attention, ATTENTION)
    root = etree.fromstring(drawing)
    assert {element.text for element in root.iter("text")} >= {"cold", "beer", "warm", "ale", "the"}
    assert "the strongest: beer and ale; cold and warm" in root.get("aria-label")
    assert drawing.count("var(--accent)") - drawing.count("stroke: var(--accent)") == 5
    assert drawn(plot_attention, ATTENTION) == drawing
