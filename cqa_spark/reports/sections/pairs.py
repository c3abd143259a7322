"""Collects pairs of questions: kept and right, kept and wrong, cut off, and missed by retrieval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.retrieval import UNRETRIEVED
from cqa_spark.reports.kit.blocks import Block, Cell, Heading, Table, Text
from cqa_spark.reports.kit.wording import counted
from cqa_spark.reports.queries import QUERY, TEXTS, PostText, collect_texts, truncated
from cqa_spark.reports.reported_run import Query, ReportedRun
from cqa_spark.reports.section import Section

PAIRS_EACH = 5
"""Pairs shown of each kind."""

CHARACTERS = 100

KINDS = {
    "right": ("Kept, duplicates", "The system keeps these pairs, and they are known duplicates."),
    "wrong": ("Kept, not known as duplicates", "The system keeps these pairs, but they are not known as duplicates."),
    "cut": ("Cut off, duplicates", "Known duplicates that were retrieved, but ranked below the cut."),
    "missed": ("Not retrieved, duplicates", "Known duplicates that no retrieval method found."),
}
"""Title and description of each kind of pairs."""


@dataclass(frozen=True)
class Pairs:
    """The pairs of each kind with the highest scores of a system, a table for each kind that has pairs."""

    system: str
    tables: tuple[Table, ...]


def data(run: ReportedRun) -> Pairs | None:
    """The pairs of the best system; None without labels."""
    rows = _shown(run).collect()
    ids = {(row.site, id_) for row in rows for id_ in (row.query_id, row.candidate_id)}
    texts = collect_texts(run.tables, sorted(ids)) if ids else {}
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in KINDS}
    tables = tuple(_grid(kind, of_kind, texts) for kind, of_kind in by_kind.items() if of_kind)
    return Pairs(run.best_system, tables) if tables else None


def blocks(pairs: Pairs) -> list[Block]:
    """A table for each kind of pairs."""
    best = f"the five with the highest score of {pairs.system} in each category."
    about = Text(f"Pairs of a question and an earlier question: {best}")
    return [Heading("Pairs of questions", 2), about, *pairs.tables]


def _shown(run: ReportedRun) -> DataFrame:
    examples, missed = run.table("examples"), run.table("unretrieved")
    assert examples is not None
    assert missed is not None
    pair = [*QUERY, "candidate_id"]
    of_system = run.rankings().where(F.col("system") == run.best_system)
    judged = of_system.select(*pair, "score", "rank", "predicted").join(examples.select(*pair, "relevant"), pair)
    kind = (
        F.when(F.col("relevant") & F.col("predicted"), "right")
        .when(F.col("relevant"), "cut")
        .when(F.col("predicted"), "wrong")
    )
    ranked = judged.where(F.col("relevant").isNotNull()).select(*pair, "score", "rank", kind.alias("kind"))
    absent = missed.select(*pair, F.lit(None).alias("score"), F.lit(None).alias("rank"), F.lit("missed").alias("kind"))
    of_kind = Window.partitionBy("kind")
    first = of_kind.orderBy(F.col("score").desc(), *pair)
    numbered = ranked.where(F.col("kind").isNotNull()).unionByName(absent)
    numbered_pairs = numbered.withColumns({"position": F.row_number().over(first), "pairs": F.count("*").over(of_kind)})
    return numbered_pairs.where(F.col("position") <= PAIRS_EACH).orderBy("position")


def _grid(kind: str, rows: Sequence[Row], texts: Mapping[Query, PostText]) -> Table:
    title, about = KINDS[kind]
    shown = []
    for row in rows:
        rank = "" if row["rank"] is None else str(row["rank"])
        score = "" if row.score is None else f"{row.score:.3f}"
        cells = Cell(_title(texts, row.site, row.candidate_id)), Cell(rank), Cell(score)
        shown.append((_title(texts, row.site, row.query_id), cells))
    return Table(
        title=f"{title}: {counted(rows[0].pairs, 'pair')}",
        about=about,
        headings=("question", "earlier question", "rank", "score"),
        rows=tuple(shown),
        texts=("earlier question",),
    )


def _title(texts: Mapping[Query, PostText], site: str, id_: str) -> str:
    text = texts.get((site, id_), PostText())
    return truncated(text.subject or text.body or id_, CHARACTERS)


SECTION = Section("pairs", "Pairs", data, blocks, products=(EXAMPLES, UNRETRIEVED), optional=(RANKINGS, *TEXTS))
