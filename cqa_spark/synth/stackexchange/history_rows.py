"""Writes a block's rows of PostHistory.xml: first versions, edits and closings."""

import json
from collections.abc import Callable, Iterator
from operator import itemgetter
from uuid import UUID

import numpy as np

from cqa_spark.synth.stackexchange.bodies import Bodies
from cqa_spark.synth.stackexchange.draws import Flags
from cqa_spark.synth.stackexchange.events import Edits
from cqa_spark.synth.stackexchange.population import Population
from cqa_spark.synth.stackexchange.rows import accounts, attribute_value, licences, markdown, stamps, user_ids, xml_rows
from cqa_spark.synth.stackexchange.threads import ThreadBlock

# Values of PostHistoryTypeId.
FIRST_TITLE, FIRST_BODY, FIRST_TAGS, TITLE, BODY, TAGS, CLOSED = 1, 2, 3, 4, 5, 6, 10
DUPLICATE, OFF_TOPIC = "101", "102"  # why a question was closed

ATTRIBUTES = (
    "PostHistoryTypeId",
    "PostId",
    "RevisionGUID",
    "CreationDate",
    "UserId",
    "UserDisplayName",
    "Comment",
    "Text",
    "ContentLicense",
)
Entry = tuple[object, ...]
"""The time of an entry, and its attributes in this order."""


def history_rows(
    threads: ThreadBlock,
    bodies: Bodies,
    tags: list[list[str]],
    edits: Edits,
    population: Population,
    first_id: int,
    rng: np.random.Generator,
) -> str:
    """Write the history of a block's posts in chronological order; ``rng`` draws revisions and voters."""
    size = len(threads.id)
    guids = _guids(rng, 2 * size + threads.questions)
    entries = [
        *_first_versions(threads, bodies, tags, edits, guids[:size]),
        *_edits(threads, bodies, tags, edits, guids[size : 2 * size]),
        *_closings(threads, population, guids[2 * size :], rng),
    ]
    _, *columns = zip(*sorted(entries, key=itemgetter(0)), strict=True)
    ids = {"Id": range(first_id, first_id + len(entries))}
    return "".join(xml_rows(ids | dict(zip(ATTRIBUTES, columns, strict=True))))


def _first_versions(
    threads: ThreadBlock, bodies: Bodies, tags: list[list[str]], edits: Edits, guids: list[str]
) -> Iterator[Entry]:
    posts = zip(
        threads.posted.tolist(),
        threads.id.tolist(),
        guids,
        stamps(threads.posted),
        *accounts(threads.author, threads.ownerless).values(),
        licences(threads.posted),
        strict=True,
    )
    retitled, retagged = edits.title.tolist(), edits.tags.tolist()
    for post, (time, own, guid, stamp, user, name, licence) in enumerate(posts):
        texts = {FIRST_BODY: markdown(bodies.html[post][: bodies.first_length[post]])}
        if post < threads.questions:
            texts[FIRST_TITLE] = f"Question: {bodies.titles[post]}" if retitled[post] else bodies.titles[post]
            texts[FIRST_TAGS] = "".join(tags[post][:-1] if retagged[post] else tags[post])
        for kind, text in texts.items():
            yield time, kind, own, guid, stamp, user, name, None, text, licence


def _edits(
    threads: ThreadBlock, bodies: Bodies, tags: list[list[str]], edits: Edits, guids: list[str]
) -> Iterator[Entry]:
    at, licence = edits.at.tolist(), licences(edits.at)
    stamp, editor, own = stamps(edits.at), user_ids(edits.editor), threads.id.tolist()
    texts: tuple[tuple[int, Flags, str, Callable[[int], str]], ...] = (
        (BODY, edits.body, "added a paragraph in body", lambda post: markdown(bodies.html[post])),
        (TITLE, edits.title, "edited title", lambda post: bodies.titles[post]),
        (TAGS, edits.tags, "edited tags", lambda post: "".join(tags[post])),
    )
    for kind, edited, comment, text in texts:
        for post in np.flatnonzero(edited).tolist():
            yield (
                at[post], kind, own[post], guids[post], stamp[post], editor[post], None, comment, text(post),
                licence[post],
            )  # fmt: skip


def _closings(
    threads: ThreadBlock, population: Population, guids: list[str], rng: np.random.Generator
) -> Iterator[Entry]:
    """The closings of questions, which have no licence."""
    closed = np.flatnonzero(threads.closed >= 0)
    times = threads.closed[closed]
    voter = population.active(rng, times)
    voter[population.is_deleted(voter)] = 0  # a founder is never deleted
    original = np.where(threads.original >= 0, threads.id[threads.original], 0)[closed].tolist()
    facts = zip(
        closed.tolist(), times.tolist(), stamps(times), original, user_ids(voter), population.names(voter), strict=True
    )
    for post, time, stamp, repeated, user, name in facts:
        # Compact JSON, as in the dumps.
        why = {"OriginalQuestionIds": [repeated]} if repeated else {}
        text = json.dumps(why | {"Voters": [{"Id": user, "DisplayName": name}]}, separators=(",", ":"))
        comment = DUPLICATE if repeated else OFF_TOPIC
        yield time, CLOSED, threads.id[post], guids[post], stamp, user, None, comment, attribute_value(text), None


def _guids(rng: np.random.Generator, count: int) -> list[str]:
    digits = rng.bytes(16 * count).hex()
    return [str(UUID(digits[at : at + 32])) for at in range(0, 32 * count, 32)]
