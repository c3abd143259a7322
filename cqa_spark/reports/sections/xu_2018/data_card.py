"""The data card of a preferred-answer data set, compared with that of the paper."""

from collections.abc import Mapping, Sequence

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.process.terminal import TextTable, number
from cqa_spark.reports.sections.xu_2018.published import TABLE_1

SPLITS = ("train", "dev", "test", EVERY)


def card_table(card: Sequence[Entry], name: str) -> TextTable:
    """A row per measure, with columns for each split, all splits, and the paper.

    Args:
        card: entries of ``DATA_CARD``.
        name: name of the data set: small, large or full.
    """
    over_sites = {(row["split"], row["measure"]): row["value"] for row in card if row["site"] == EVERY}
    splits = [split for split in SPLITS if any(named == split for named, _ in over_sites)]
    headings = ["all" if split == EVERY else split for split in splits]
    table = TextTable("", *map(number, (*headings, "paper")), title=f"Data set {name}")
    for measure in _in_order({measure for _, measure in over_sites}):
        values = [_formatted(measure, over_sites.get((split, measure))) for split in splits]
        table.add_row(measure.replace("_", " "), *values, _formatted(measure, TABLE_1[name].get(measure)))
    return table


def shortfall(card: Sequence[Entry], name: str, sizes: Mapping[str, int]) -> str:
    """A sentence if the data set has fewer questions than the one of the paper; empty otherwise.

    Args:
        card: entries of ``DATA_CARD``.
        name: name of the data set: small, large or full.
        sizes: number of questions by name.
    """
    questions = next(
        int(row["value"]) for row in card
        if (row["site"], row["split"], row["measure"]) == (EVERY, EVERY, "questions")
    )  # fmt: skip
    if questions >= sizes.get(name, 0):
        return ""
    return (
        f"{name} should have {sizes[name]:,} questions, but only {questions:,} meet the criteria; all of them are used."
    )


def _in_order(measures: set[str]) -> list[str]:
    first = [measure for measure in TABLE_1["small"] if measure in measures]
    return [*first, *sorted(measures - set(first))]


def _formatted(measure: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1%}" if "share" in measure else f"{value:,.0f}"
