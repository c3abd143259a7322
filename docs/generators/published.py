"""The page of published result tables, with the runs of this project among them."""

from collections.abc import Iterable, Iterator

from cqa_spark.evaluation.published import PublishedTable, read_published_table, standing
from cqa_spark.reports.kit.wording import MISSING
from cqa_spark.settings.conf_files import conf_files
from generators.markdown import folded, page, plain, table

INTRO = """All runs of the papers that this project is built on, as printed. `cqa evaluate-file GOLD RUN --against
NAME` prints the rank that a run would have had in the table NAME, its 95 % interval and its neighbours. It refuses a
gold file of another number of queries. **Runs in bold are ours**: others, who have the labels of the test sets,
trained and measured them, as the line above the table says. These labels are not distributed here, and nothing was
chosen by these figures. Ranks of ours count the ranked runs that are better. *Further* runs, which have no rank, are
contrastive, late or corrected ones."""

LONG = 40
"""Number of rows from which a table is folded."""


def published_page() -> str:
    """A section for each table."""
    blocks = (block for name in conf_files("published") for block in _section(read_published_table(name)))
    return page("Published results", INTRO, *blocks)


def _section(published: PublishedTable) -> Iterator[str]:
    yield f"## {published.name}"
    unit = "in percent" if published.unit == "percent" else "as fractions"
    yield plain(
        f"{published.about} {published.source}. Copied from {published.transcribed_from.rstrip('.')}. Values {unit}."
    )
    if published.ours:
        yield plain(f"Ours: {published.ours_measured}")
    rows = [*_rows(published)]
    official, *others = published.columns
    shown = table(("rank", "run", official, *([_joined(others)] if others else [])), rows)
    yield folded(f"{len(rows)} rows", shown) if len(rows) > LONG else shown


def _rows(published: PublishedTable) -> Iterator[list[str]]:
    """The rows, the best by the official measure first; runs without a value for it last."""
    kinds = ((published.ranked, ""), (published.further, "further"), (published.baselines, "baseline"))
    runs = [(kind, run, values) for of_kind, kind in kinds for run, values in of_kind.items()]
    runs += [("ours", run, values) for run, values in published.ours.items()]
    ranks = {run: str(number) for number, run in enumerate(published.ranked, start=1)}
    for kind, run, values in sorted(runs, key=lambda row: -1 if row[2][0] is None else row[2][0], reverse=True):
        cells = [MISSING if value is None else f"{value:.{published.decimals}f}" for value in values]
        first, others = cells[0], [_joined(cells[1:])] if cells[1:] else []
        if kind == "ours":
            fraction = (values[0] or 0.0) / published.scale
            rank = standing(published, published.columns[0], run, fraction, fraction, fraction).rank
            yield [f"**{rank}**", f"**{plain(run)}**", f"**{first}**", *others]
        else:
            yield [ranks[run] if not kind and published.complete else kind, plain(run), first, *others]


def _joined(cells: Iterable[str]) -> str:
    """Several values in one cell, which narrow screens wrap."""
    return " · ".join(cells)
