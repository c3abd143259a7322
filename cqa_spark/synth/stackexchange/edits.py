"""Generates the edits of a block's posts: editors, times and edited parts."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.draws import DAY, Flags, Ints, later
from cqa_spark.synth.stackexchange.plan import CLOSED
from cqa_spark.synth.stackexchange.population import Population
from cqa_spark.synth.stackexchange.threads import ThreadBlock

EDITED = 0.35
BY_OWNER = 0.6
TITLE, TAGS = 0.15, 0.15  # probabilities for an edited question


@dataclass(frozen=True)
class Edits:
    """The last edit of each post; values for unedited posts are undefined.

    Attributes:
        at: time, in milliseconds since 1970; -1 for unedited posts.
        editor: number of the editing member.
        body: whether a paragraph was added to the body.
        title: whether the title changed.
        tags: whether a tag was added.
    """

    at: Ints
    editor: Ints
    body: Flags
    title: Flags
    tags: Flags


def invent_edits(threads: ThreadBlock, population: Population, rng: np.random.Generator) -> Edits:
    """Generate the edits of a block's posts."""
    size = len(threads.id)
    at = later(rng, threads.posted, CLOSED, DAY, 2.0)
    is_question = np.arange(size) < threads.questions
    edited = rng.random(size) < EDITED
    title = edited & is_question & (rng.random(size) < TITLE)
    several = threads.subjects.tag_counts[threads.thread] > 1
    tags = edited & is_question & several & (rng.random(size) < TAGS)
    by_owner = (rng.random(size) < BY_OWNER) & ~threads.ownerless
    # Another member may be deleted, too; then the site's own account is the editor.
    other = population.active(rng, at)
    return Edits(
        at=np.where(edited, at, -1),
        editor=np.where(by_owner, threads.author, np.where(population.is_deleted(other), -1, other)),
        body=edited & (~(title | tags) | (rng.random(size) < 0.5)),
        title=title,
        tags=tags,
    )
