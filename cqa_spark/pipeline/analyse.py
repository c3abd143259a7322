"""community tables → texts: every distinct text, once through the language pipeline."""

from __future__ import annotations

from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.pipeline import analyse


def analyse_step(run: Run) -> None:
    """Write which text every post and comment has, and every distinct text analysed."""
    with run.step("text") as step:
        posts, comments = run.read(POSTS), run.read(COMMENTS)
        step.rows_in = run.write(DOCUMENTS, documents(posts, comments)).rows
        step.rows_out = run.write(TEXTS, analyse(distinct_texts(posts, comments))).rows
