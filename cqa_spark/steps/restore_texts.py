"""posts, history → posts with texts and tags as of some hours after the question.

Earlier titles, bodies and tags are those of the revisions in the history of a post.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
from markdown_it import MarkdownIt
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import Cut
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.activity import POST_HISTORY
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.spark.frames import persisted

_PARTS = {"subject": 1, "body": 2, "tags": 3}
"""Type of the first revision of each part; an edit has 3 more, a rollback 6 more."""

_COMMON_MARK = MarkdownIt("commonmark")


@dataclass(frozen=True)
class RestoreTexts(Step):
    """Undo later edits of the questions and answers of the examples, if the dump has the post history.

    Attributes:
        hours: edits within this many hours of the question are kept.
    """

    hours: float

    name = "earlier texts"

    def reads(self) -> tuple[Product, ...]:
        """Posts and examples."""
        return POSTS, EXAMPLES

    def reads_if_present(self) -> tuple[Product, ...]:
        """The post history."""
        return (POST_HISTORY,)

    def writes(self) -> tuple[Product, ...]:
        """Posts."""
        return (POSTS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the posts with later edits undone."""
        examples = run.read(EXAMPLES)
        counts.rows_in = run.rows(EXAMPLES)
        if not run.has(POST_HISTORY):
            return
        posts = F.explode(F.array("query_id", "candidate_id")).alias("post_id")
        moments = examples.select("site", posts, F.expr(Cut("delay", self.hours).sql).alias("moment")).distinct()
        earlier = posts_as_of(run.read(POSTS), run.read(POST_HISTORY), moments.where("moment IS NOT NULL"))
        with persisted(earlier) as (earlier,):
            if not earlier.isEmpty():
                others = run.read(POSTS).join(earlier, on=["site", "post_id"], how="left_anti")
                run.write(POSTS, others.unionByName(earlier))
                counts.rows_out = earlier.count()


def posts_as_of(posts: DataFrame, history: DataFrame, moments: DataFrame) -> DataFrame:
    """The posts edited after a moment, with the title, body and tags at the moment.

    Bodies in the history are Markdown and are rendered as HTML, the format of ``posts``. A part without a revision at
    the moment, as in an incomplete history, is unchanged.

    Args:
        posts: the table ``posts``.
        history: the table ``post_history``.
        moments: ``site``, ``post_id`` and ``moment``, one row per post; posts without a moment are omitted.

    Returns:
        Rows of ``posts``. ``edited_at`` is the last edit before the moment, unless a later one could not be undone.
    """
    revised = history.join(moments, on=["post_id", "site"]).where(F.col("history_type_id").between(1, 9))
    is_later = F.col("created_at") > F.col("moment")
    in_time = F.struct("created_at", F.length("history_id").alias("digits"), "history_id")  # then by numeric id
    is_edit = F.col("history_type_id") > max(_PARTS.values())
    columns = [F.max(F.when(is_edit & ~is_later, F.col("created_at"))).alias("last_edit")]
    for part, first in _PARTS.items():
        of_part = F.col("history_type_id") % len(_PARTS) == first % len(_PARTS)
        columns += [
            F.count_if(of_part & is_later).alias(f"later_{part}"),
            F.max_by("text", F.when(of_part & ~is_later, in_time)).alias(f"earlier_{part}"),
        ]
    revisions = revised.groupBy("site", "post_id").agg(*columns)
    edited = posts.join(revisions, on=["post_id", "site"]).where(_any(F.col(f"later_{part}") > 0 for part in _PARTS))
    undone = {part: (F.col(f"later_{part}") > 0) & F.col(f"earlier_{part}").isNotNull() for part in _PARTS}
    lost = _any((F.col(f"later_{part}") > 0) & ~undone[part] for part in _PARTS)
    rows = edited.select(
        *[F.col(name) for name in posts.columns if name not in ("subject", "tags", "edited_at")],
        F.when(undone["subject"], F.col("earlier_subject")).otherwise(F.col("subject")).alias("subject"),
        F.when(undone["tags"], _tag_list(F.col("earlier_tags"))).otherwise(F.col("tags")).alias("tags"),
        F.when(lost, F.col("edited_at")).otherwise(F.col("last_edit")).alias("edited_at"),
        F.when(undone["body"], F.col("earlier_body")).alias("markdown"),
    )
    rows = rows.select(*posts.columns, "markdown")
    return rows.mapInArrow(_rendered, rows.drop("markdown").schema)


def html_of(markdown: str) -> str:
    """Markdown as HTML, by the CommonMark specification, which Stack Exchange follows; HTML within it is kept."""
    return str(_COMMON_MARK.render(markdown))


def _rendered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        pairs = zip(batch.column("body").to_pylist(), batch.column("markdown").to_pylist(), strict=True)
        bodies = [body if markdown is None else html_of(markdown) for body, markdown in pairs]
        rows = batch.drop_columns(["markdown"])
        index = rows.schema.get_field_index("body")
        field = rows.schema.field(index)
        yield rows.set_column(index, field, pa.array(bodies, field.type))


def _tag_list(text: Column) -> Column:
    """The tags in order, from either format, ``<a><b>`` or ``|a|b|``."""
    return F.array_remove(F.split(text, r"[<>|]+"), "")


def _any(conditions: Iterable[Column]) -> Column:
    return reduce(lambda left, right: left | right, conditions, F.lit(False))
