"""The heat map of attention weights."""

from __future__ import annotations

from markupsafe import Markup

from cqa_spark.reports.kit.plots.heat_map import heat_map
from cqa_spark.reports.kit.plots.svg import drawing, to_svg
from cqa_spark.reports.preferred_answer.content import Attention

_NAMED = 3


@drawing
def plot_attention(attention: Attention, name: str, width: int) -> Markup:
    """Draw how the words of an answer (columns) and of its question (rows) attend to each other.

    Args:
        attention: the weights.
        name: unique on the page.
        width: in CSS pixels.
    """
    shares = attention.normalised()
    strongest = sorted(
        (
            (-share, asked, said)
            for asked, of_row in zip(attention.query_words, shares, strict=True)
            for said, share in zip(attention.candidate_words, of_row, strict=True)
        )
    )
    pairs = "; ".join(f"{asked} and {said}" for _, asked, said in strongest[:_NAMED])
    description = f"Attention weights of a question and its preferred answer; the strongest: {pairs}"
    return to_svg(heat_map(attention.query_words, attention.candidate_words, shares, width), name, description)
