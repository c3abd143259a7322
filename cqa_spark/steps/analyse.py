"""community tables → texts: every distinct text, once through the language pipeline."""

from __future__ import annotations

from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.text import BODIES, DOCUMENTS, TEXTS
from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.markup.bodies import body_parts, distinct_bodies, with_prose
from cqa_spark.text.pipeline import analyse


def analyse_step(run: Run) -> None:
    """Write the parts of HTML bodies, which text every post and comment has, and every distinct text analysed."""
    with run.step("text") as step:
        posts, comments = run.read(POSTS), run.read(COMMENTS)
        run.write(BODIES, body_parts(distinct_bodies(posts)))
        posts = with_prose(posts, run.read(BODIES))
        step.rows_in = run.write(DOCUMENTS, documents(posts, comments)).rows
        step.rows_out = run.write(TEXTS, analyse(distinct_texts(posts, comments))).rows
