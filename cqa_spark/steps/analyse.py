"""community tables → texts: the language pipeline processes every distinct text once."""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.values import DELETED, INVENTED
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.text import BODIES, DOCUMENTS, TEXTS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.steps.changed_sites import site_update, too_many_unused
from cqa_spark.text.analysers.analyser import ANALYSERS, analyse, analyser_in_use
from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.markup import body_parts, distinct_bodies, with_prose


@dataclass(frozen=True)
class Analyse(Step):
    """Split HTML bodies into parts, link posts and comments to their texts, and analyse each distinct text once.

    Attributes:
        questions_only: leave out answers and comments, for tasks that compare questions.
        last: the published run; its texts are not analysed again by the same code. None to analyse all.
    """

    questions_only: bool = False
    last: Snapshot | None = None

    name = "text"
    compiled_from = 8 << 20  # texts are cleaned in Java

    def prepare(self) -> None:
        """Check that the analyser in use can run.

        Raises:
            ConfigError: ``conf/text.yaml`` names none that is registered.
            EnvironmentProblem: it needs something that is not installed.
        """
        ANALYSERS.load(analyser_in_use())().require()

    def reads(self) -> tuple[Product, ...]:
        """Posts and comments."""
        return (POSTS,) if self.questions_only else (POSTS, COMMENTS)

    def writes(self) -> tuple[Product, ...]:
        """Bodies, documents and texts."""
        return BODIES, DOCUMENTS, TEXTS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the three tables."""
        last = self.last
        inputs = (POSTS,) if self.questions_only else (POSTS, COMMENTS)
        update = site_update(run, last, DOCUMENTS, inputs, settings={}, versions=[analyser_in_use()])
        if not update.keep(BODIES, TEXTS):
            posts, comments = self._documents(run)
            run.write(BODIES, body_parts(distinct_bodies(posts)))
            posts = with_prose(posts, run.read(BODIES))
            update.write(documents(posts, comments))
            counts.rows_out = _write_texts(run, distinct_texts(posts, comments), update.last)
        counts.rows_in = run.rows(DOCUMENTS)

    def _documents(self, run: Run) -> tuple[DataFrame, DataFrame]:
        posts = run.read(POSTS).where(~F.col("post_type").isin(DELETED, INVENTED))
        if self.questions_only:
            return posts.where(F.col("post_type") == "question"), COMMENTS.empty(run.lake.spark)
        return posts, run.read(COMMENTS)


def _write_texts(run: Run, texts: DataFrame, last: Snapshot | None) -> int:
    """Write the rows of ``TEXTS``: the published files, and an analysis of all other texts; return the number of rows.

    Texts that no document has any more stay in the published files, until they are too many.
    """
    if last is None:
        return run.write(TEXTS, analyse(texts))
    published = last.read(TEXTS)
    new = run.new_files(TEXTS, analyse(texts.join(published.select("text_id"), on="text_id", how="left_anti")))
    kept = last.files(TEXTS)
    if too_many_unused(kept.rows + new.rows, texts.count()):
        kept = run.new_files(TEXTS, published.join(texts.select("text_id"), on="text_id", how="left_semi"))
    return run.put(TEXTS, kept.united(new))
