"""Generates links of a block's questions to earlier questions."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.draws import Ints
from cqa_spark.synth.stackexchange.plan import SitePlan
from cqa_spark.synth.stackexchange.threads import ThreadBlock

# Values of LinkTypeId.
LINKED, DUPLICATE = 1, 3
LINKING = 0.08
TO_OTHER_BLOCKS = 0.4


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
