"""Generates the edits of a block's posts, and the links of its questions to earlier ones."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.draws import DAY, Flags, Ints, later
from cqa_spark.synth.stackexchange.plan import CLOSED, SitePlan
from cqa_spark.synth.stackexchange.population import Population
from cqa_spark.synth.stackexchange.threads import ThreadBlock

EDITED = 0.35
BY_OWNER = 0.6
TITLE, TAGS = 0.15, 0.15  # probabilities for an edited question
# Values of LinkTypeId.
LINKED, DUPLICATE = 1, 3
LINKING = 0.08
TO_OTHER_BLOCKS = 0.4


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


@dataclass(frozen=True)
class Links:
    """Links in chronological order.

    Attributes:
        question: position of the linking question.
        related: id of the linked question.
        kind: LinkTypeId.
        at: creation time, in milliseconds since 1970.
    """

    question: Ints
    related: Ints
    kind: Ints
    at: Ints


def invent_links(plan: SitePlan, block: int, threads: ThreadBlock, rng: np.random.Generator) -> Links:
    """Generate the links of a block's questions."""
    linking = 1 + np.flatnonzero(rng.random(threads.questions - 1) < LINKING)
    earlier = threads.id[(rng.random(len(linking)) * linking).astype(np.int64)]
    # Only the first question's id of another block is known without generating the block.
    others = rng.integers(max(1, block), size=len(linking)).tolist()
    elsewhere = np.array([plan.first_post(other) for other in others], dtype=np.int64)
    leaves = (rng.random(len(linking)) < TO_OTHER_BLOCKS) & (block > 0)
    repeating = np.flatnonzero(threads.original >= 0)
    question = np.concatenate((linking, repeating))
    related = np.concatenate((np.where(leaves, elsewhere, earlier), threads.id[threads.original[repeating]]))
    at = np.concatenate((threads.posted[linking], threads.closed[repeating]))
    order = np.argsort(at, kind="stable")
    kind = np.repeat((LINKED, DUPLICATE), (len(linking), len(repeating)))
    return Links(question[order], related[order], kind[order], at[order])
