"""Collects pairs of questions: kept and right, kept and wrong, cut off, and missed by retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F

from cqa_spark.reports.kit.grid import Cell, Grid
from cqa_spark.reports.kit.numbers import counted
from cqa_spark.reports.run.measured import QUERY
from cqa_spark.reports.run.queries.texts import Key, PostText, collect_texts
from cqa_spark.reports.scope import Scope

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


def collect_pairs(scope: Scope) -> tuple[Grid, ...]:
    """The pairs of each kind with the highest scores; none without labels, and for tasks without retrieval.

    Args:
        scope: rows to report on.
    """
    examples, missed = scope.table("examples"), scope.table("unretrieved")
    if examples is None or missed is None:
        return ()
    rows = _shown(scope, examples, missed).collect()
    ids = {(row.site, id_) for row in rows for id_ in (row.query_id, row.candidate_id)}
    texts = collect_texts(scope, sorted(ids)) if ids else {}
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in KINDS}
    return tuple(_grid(kind, found, texts) for kind, found in by_kind.items() if found)


def _shown(scope: Scope, examples: DataFrame, missed: DataFrame) -> DataFrame:
    pair = [*QUERY, "candidate_id"]
    of_system = scope.rankings().where(F.col("system") == scope.best_system)
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
    placed = numbered.withColumns({"place": F.row_number().over(first), "pairs": F.count("*").over(of_kind)})
    return placed.where(F.col("place") <= PAIRS_EACH).orderBy("place")


def _grid(kind: str, rows: Sequence[Row], texts: Mapping[Key, PostText]) -> Grid:
    title, about = KINDS[kind]
    shown = tuple(
        (
            _title(texts, row.site, row.query_id),
            (
                Cell(_title(texts, row.site, row.candidate_id)),
                Cell("" if row["rank"] is None else str(row["rank"])),
                Cell("" if row.score is None else f"{row.score:.3f}"),
            ),
        )
        for row in rows
    )
    return Grid(
        title=f"{title}: {counted(rows[0].pairs, 'pair')}",
        about=about,
        headings=("question", "earlier question", "rank", "score"),
        rows=shown,
        texts=("earlier question",),
    )


def _title(texts: Mapping[Key, PostText], site: str, id_: str) -> str:
    text = texts.get((site, id_), PostText())
    title = text.subject or text.body or id_
    return title if len(title) <= CHARACTERS else f"{title[:CHARACTERS]}…"
