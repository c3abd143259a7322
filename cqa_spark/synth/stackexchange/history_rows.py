"""Writes a block's rows of PostHistory.xml: first versions, edits and closings."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import itemgetter

import numpy as np

from cqa_spark.synth.stackexchange.bodies import Bodies
from cqa_spark.synth.stackexchange.draws import Flags
from cqa_spark.synth.stackexchange.edits import Edits
from cqa_spark.synth.stackexchange.markup import attribute_value, markdown
from cqa_spark.synth.stackexchange.population import Population
from cqa_spark.synth.stackexchange.rows import accounts, licences, stamps, user_ids
from cqa_spark.synth.stackexchange.threads import ThreadBlock

# Values of PostHistoryTypeId.
FIRST_TITLE, FIRST_BODY, FIRST_TAGS, TITLE, BODY, TAGS, CLOSED = 1, 2, 3, 4, 5, 6, 10
USER = ("UserId", "UserDisplayName")
DUPLICATE, OFF_TOPIC = "101", "102"  # why a question was closed

# Time, and the text of the row after its id.
Entry = tuple[int, str]


def history_rows(
    threads: ThreadBlock,
    bodies: Bodies,
    tags: list[list[str]],
    edits: Edits,
    population: Population,
    first_id: int,
    rng: np.random.Generator,
) -> str:
    """Write the history of a block's posts in chronological order.

    Args:
        threads: threads of the block.
        bodies: titles and bodies of the posts.
        tags: tags of each question.
        edits: edits of the posts.
        population: members of the site.
        first_id: id of the block's first entry.
        rng: random generator of the block.
    """
    size = len(threads.id)
    guids = _guids(rng, 2 * size + threads.questions)
    entries = _first_versions(threads, bodies, tags, edits, guids[:size])
    entries += _edits(threads, bodies, tags, edits, guids[size : 2 * size])
    entries += _closings(threads, population, guids[2 * size :], rng)
    entries.sort(key=itemgetter(0))
    return "".join(f'  <row Id="{first_id + number}"{rest} />\r\n' for number, (_, rest) in enumerate(entries))


def _first_versions(
    threads: ThreadBlock, bodies: Bodies, tags: list[list[str]], edits: Edits, guids: list[str]
) -> list[Entry]:
    entries = []
    posts = zip(
        threads.posted.tolist(),
        threads.id.tolist(),
        guids,
        stamps(threads.posted),
        accounts(threads.author, threads.ownerless, USER),
        licences(threads.posted),
        strict=True,
    )
    retitled, retagged = edits.title.tolist(), edits.tags.tolist()
    for post, (time, own, guid, stamp, account, licence) in enumerate(posts):
        html = bodies.html[post][: bodies.first_length[post]]
        entries.append((time, _entry(FIRST_BODY, own, guid, stamp, account, markdown(html), licence)))
        if post < threads.questions:
            title, names = bodies.titles[post], tags[post]
            title = f"Question: {title}" if retitled[post] else title
            names = names[:-1] if retagged[post] else names
            entries.append((time, _entry(FIRST_TITLE, own, guid, stamp, account, title, licence)))
            entries.append((time, _entry(FIRST_TAGS, own, guid, stamp, account, "".join(names), licence)))
    return entries


def _edits(threads: ThreadBlock, bodies: Bodies, tags: list[list[str]], edits: Edits, guids: list[str]) -> list[Entry]:
    entries = []
    at, licence = edits.at.tolist(), licences(edits.at)
    stamp, editor, own = stamps(edits.at), user_ids(edits.editor), threads.id.tolist()
    texts: tuple[tuple[int, Flags, str, Callable[[int], str]], ...] = (
        (BODY, edits.body, "added a paragraph in body", lambda post: markdown(bodies.html[post])),
        (TITLE, edits.title, "edited title", lambda post: bodies.titles[post]),
        (TAGS, edits.tags, "edited tags", lambda post: "".join(tags[post])),
    )
    for kind, edited, comment, text in texts:
        for post in np.flatnonzero(edited).tolist():
            who = f'UserId="{editor[post]}" Comment="{comment}"'
            entry = _entry(kind, own[post], guids[post], stamp[post], who, text(post), licence[post])
            entries.append((at[post], entry))
    return entries


def _closings(threads: ThreadBlock, population: Population, guids: list[str], rng: np.random.Generator) -> list[Entry]:
    closed = np.flatnonzero(threads.closed >= 0)
    times = threads.closed[closed]
    voter = population.active(rng, times)
    voter[population.is_deleted(voter)] = 0  # a founder is never deleted
    original = np.where(threads.original >= 0, threads.id[threads.original], 0)[closed].tolist()
    voters = zip(user_ids(voter), population.names(voter), strict=True)
    facts = zip(closed.tolist(), times.tolist(), stamps(times), original, voters, strict=True)
    entries = []
    for post, time, stamp, repeated, (number, name) in facts:
        # Compact JSON, as in the dumps.
        why = {"OriginalQuestionIds": [repeated]} if repeated else {}
        text = json.dumps(why | {"Voters": [{"Id": number, "DisplayName": name}]}, separators=(",", ":"))
        who = f'UserId="{number}" Comment="{DUPLICATE if repeated else OFF_TOPIC}"'
        entries.append((time, _entry(CLOSED, threads.id[post], guids[post], stamp, who, attribute_value(text), "")))
    return entries


def _entry(kind: int, post: int, guid: str, stamp: str, who: str, text: str, licence: str) -> str:
    """Write an entry without its id; closings have no licence."""
    licensed = f' ContentLicense="{licence}"' if licence else ""
    return (
        f' PostHistoryTypeId="{kind}" PostId="{post}" RevisionGUID="{guid}" CreationDate="{stamp}" {who}'
        f' Text="{text}"{licensed}'
    )


def _guids(rng: np.random.Generator, count: int) -> list[str]:
    digits = rng.bytes(16 * count).hex()
    return [
        f"{digits[at : at + 8]}-{digits[at + 8 : at + 12]}-{digits[at + 12 : at + 16]}-{digits[at + 16 : at + 20]}-"
        f"{digits[at + 20 : at + 32]}"
        for at in range(0, 32 * count, 32)
    ]
