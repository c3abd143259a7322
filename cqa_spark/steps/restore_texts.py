"""posts, history → posts with texts and tags as of some hours after the question."""

from dataclasses import dataclass

from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.revisions import posts_as_of
from cqa_spark.features.history.cut import Cut
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.activity import POST_HISTORY
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.persistence import persisted


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
