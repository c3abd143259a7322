"""Writes a block's rows of Posts.xml."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cqa_spark.synth.stackexchange.bodies import Bodies
from cqa_spark.synth.stackexchange.comments import CommentTable
from cqa_spark.synth.stackexchange.edits import Edits
from cqa_spark.synth.stackexchange.rows import accounts, licences, stamps, user_ids
from cqa_spark.synth.stackexchange.threads import ThreadBlock
from cqa_spark.synth.stackexchange.votes import Votes

OWNER = ("OwnerUserId", "OwnerDisplayName")


def tag_lists(threads: ThreadBlock, tag_names: Sequence[str]) -> list[list[str]]:
    """Return the tags of each question in the notation of the dumps, one text per tag."""
    return [
        [f"&lt;{tag_names[tag]}&gt;" for tag in tags[:count]]
        for tags, count in zip(threads.subjects.tags.tolist(), threads.subjects.tag_counts.tolist(), strict=True)
    ]


def post_rows(
    threads: ThreadBlock,
    bodies: Bodies,
    tags: list[list[str]],
    edits: Edits,
    votes: Votes,
    comments: CommentTable,
    rng: np.random.Generator,
) -> str:
    """Write the posts of a block, by id.

    Args:
        threads: threads of the block.
        bodies: titles and bodies of the posts.
        tags: tags of each question, from ``tag_lists``.
        edits: edits of the posts.
        votes: votes on the posts.
        comments: comments on the posts.
        rng: random generator of the block, for the number of views.
    """
    size = len(threads.id)
    created, licence = stamps(threads.posted), licences(threads.posted)
    owner = accounts(threads.author, threads.ownerless, OWNER)
    score, activity = votes.score.tolist(), _activity(threads, edits)
    comment_count = np.bincount(comments.post, minlength=size).tolist()
    views = (
        np.exp(5 + 0.8 * rng.standard_normal(threads.questions)) + 20 * np.maximum(votes.score, 0)[: threads.questions]
    )
    head, seen = _heads(threads), [f' ViewCount="{count}"' for count in views.astype(np.int64).tolist()]
    title = _titles(threads, bodies, tags)
    end = _ends(threads, votes)
    rows = []
    for post in np.argsort(threads.id).tolist():
        is_question = post < threads.questions
        rows.append(
            f'{head[post]} CreationDate="{created[post]}" Score="{score[post]}"{seen[post] if is_question else ""}'
            f' Body="{bodies.html[post]}" {owner[post]}{activity[post]}{title[post] if is_question else ""}'
            f' CommentCount="{comment_count[post]}"{end[post] if is_question else ""}'
            f' ContentLicense="{licence[post]}" />\r\n'
        )
    return "".join(rows)


def _heads(threads: ThreadBlock) -> list[str]:
    """Ids, types and parents of posts."""
    accepted = np.where(threads.accepted >= 0, threads.id[threads.accepted], 0).tolist()
    parent = threads.id[threads.thread].tolist()
    return [
        f'  <row Id="{own}" PostTypeId="1"' + (f' AcceptedAnswerId="{accepted[post]}"' if accepted[post] else "")
        if post < threads.questions
        else f'  <row Id="{own}" PostTypeId="2" ParentId="{parent[post]}"'
        for post, own in enumerate(threads.id.tolist())
    ]


def _activity(threads: ThreadBlock, edits: Edits) -> list[str]:
    """Last editors of posts, and times of their last activity."""
    last = np.maximum(threads.posted, edits.at)
    np.maximum.at(last, threads.thread, threads.posted)  # an answer also counts as activity of its question
    edited = zip(edits.at.tolist(), user_ids(edits.editor), stamps(edits.at), stamps(last), strict=True)
    return [
        (f' LastEditorUserId="{editor}" LastEditDate="{stamp}"' if at >= 0 else "") + f' LastActivityDate="{active}"'
        for at, editor, stamp, active in edited
    ]


def _titles(threads: ThreadBlock, bodies: Bodies, tags: list[list[str]]) -> list[str]:
    answers = (np.bincount(threads.thread, minlength=threads.questions) - 1).tolist()
    return [
        f' Title="{title}" Tags="{"".join(some)}" AnswerCount="{count}"'
        for title, some, count in zip(bodies.titles, tags, answers, strict=True)
    ]


def _ends(threads: ThreadBlock, votes: Votes) -> list[str]:
    """Closing times of questions, and their numbers of favourites."""
    facts = zip(threads.closed.tolist(), stamps(threads.closed), votes.favourites.tolist(), strict=False)
    return [
        (f' ClosedDate="{stamp}"' if closed >= 0 else "") + (f' FavoriteCount="{count}"' if count else "")
        for closed, stamp, count in facts
    ]
