"""Cards of trained systems, as tables in the terminal."""

from collections.abc import Iterator

from cqa_spark.evaluation.statistics.nights import ALL, NIGHTS
from cqa_spark.process.terminal import Column, TextTable
from cqa_spark.systems.model_card import CardFigure, ModelCard


def card_tables(card: ModelCard) -> Iterator[TextTable]:
    """What a system learned from, and what it is worth: by order of answers, and by band of nights."""
    yield _sites(card)
    if card.figures:
        yield _orders(card)
        yield _bands(card)


def _sites(card: ModelCard) -> TextTable:
    names = ("to", "threads", "with a label", "nights")
    caption = f"version {card.version}; licence of the data: {card.licence}"
    table = TextTable("learned from", *[Column(name, right=True) for name in names], caption=caption)
    for site in card.sites:
        table.add_row(site.site, *map(str, (site.newest, site.threads, site.labels, site.queries)))
    totals = zip(*((site.threads, site.labels, site.queries) for site in card.sites), strict=True)
    table.add_row("all", "", *[str(sum(total)) for total in totals])
    return table


def _orders(card: ModelCard) -> TextTable:
    names = ("P@1", "difference", "95 %", "p")
    rows = (
        (figure.order, *_difference(figure), figure.reference)
        for figure in card.figures
        if (figure.population, figure.band) == (NIGHTS, ALL)
    )
    return TextTable("order, on all nights", *[Column(name, right=True) for name in names], "from", rows=rows)


def _bands(card: ModelCard) -> TextTable:
    names = ("nights", "threads", "P@1", "difference", "95 %", "p")
    first = card.figures[0].order
    table = TextTable(f"{first}, by nights", *[Column(name, right=True) for name in names])
    for figure in card.figures:
        if figure.order == first:
            band = figure.band if figure.population == NIGHTS else figure.population
            table.add_row(band, str(figure.nights), str(figure.threads), *_difference(figure))
    return table


def _difference(figure: CardFigure) -> tuple[str, str, str, str]:
    interval = f"{100 * figure.low_difference:+.1f} to {100 * figure.high_difference:+.1f}"
    return f"{100 * figure.value:.1f}", f"{100 * figure.difference:+.1f}", interval, f"{figure.p_value:.3f}"
