"""Writes a block's rows of Posts.xml, Comments.xml, Votes.xml and PostLinks.xml."""

from collections.abc import Sequence

import numpy as np

from cqa_spark.synth.stackexchange.bodies import Bodies
from cqa_spark.synth.stackexchange.comments import CommentTable
from cqa_spark.synth.stackexchange.events import BOUNTY_CLOSE, BOUNTY_START, Edits, Links, Votes
from cqa_spark.synth.stackexchange.rows import accounts, licences, padded, some, stamps, user_ids, xml_rows
from cqa_spark.synth.stackexchange.threads import ThreadBlock


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
    """Write the posts of a block, by id; ``rng`` draws the number of views."""
    size, questions = len(threads.id), threads.questions
    is_answer, is_edited = np.arange(size) >= questions, edits.at >= 0
    views = np.exp(5 + 0.8 * rng.standard_normal(questions)) + 20 * np.maximum(votes.score, 0)[:questions]
    active = np.maximum(threads.posted, edits.at)
    np.maximum.at(active, threads.thread, threads.posted)  # an answer also counts as activity of its question
    favourites = votes.favourites[:questions]
    rows = xml_rows(
        {
            "Id": threads.id.tolist(),
            "PostTypeId": np.where(is_answer, 2, 1).tolist(),
            "AcceptedAnswerId": padded(some(threads.id[threads.accepted].tolist(), threads.accepted >= 0), size),
            "ParentId": some(threads.id[threads.thread].tolist(), is_answer),
            "CreationDate": stamps(threads.posted),
            "Score": votes.score.tolist(),
            "ViewCount": padded(views.astype(np.int64).tolist(), size),
            "Body": bodies.html,
            **accounts(threads.author, threads.ownerless, "Owner"),
            "LastEditorUserId": some(user_ids(edits.editor), is_edited),
            "LastEditDate": some(stamps(edits.at), is_edited),
            "LastActivityDate": stamps(active),
            "Title": padded(bodies.titles, size),
            "Tags": padded(map("".join, tags), size),
            "AnswerCount": padded((np.bincount(threads.thread, minlength=questions) - 1).tolist(), size),
            "CommentCount": np.bincount(comments.post, minlength=size).tolist(),
            "ClosedDate": padded(some(stamps(threads.closed), threads.closed >= 0), size),
            "FavoriteCount": padded(some(favourites.tolist(), favourites > 0), size),
            "ContentLicense": licences(threads.posted),
        }
    )
    return "".join(rows[post] for post in np.argsort(threads.id).tolist())


def comment_rows(comments: CommentTable, threads: ThreadBlock, first_id: int) -> str:
    """Write the comments of a block, in the order of their ids."""
    attributes = {
        "Id": _ids(comments.text, first_id),
        "PostId": threads.id[comments.post].tolist(),
        "Score": comments.score.tolist(),
        "Text": comments.text,
        "CreationDate": stamps(comments.posted),
        **accounts(comments.author, comments.ownerless),
        "ContentLicense": licences(comments.posted),
    }
    return "".join(xml_rows(attributes))


def vote_rows(votes: Votes, threads: ThreadBlock, first_id: int) -> str:
    """Write the votes of a block, in the order of their ids."""
    attributes = {
        "Id": _ids(votes.post, first_id),
        "PostId": threads.id[votes.post].tolist(),
        "VoteTypeId": votes.kind.tolist(),
        "UserId": some(user_ids(votes.member), votes.member >= 0),
        "CreationDate": stamps(votes.day),
        "BountyAmount": some(votes.amount.tolist(), np.isin(votes.kind, (BOUNTY_START, BOUNTY_CLOSE))),
    }
    return "".join(xml_rows(attributes))


def link_rows(links: Links, threads: ThreadBlock, first_id: int) -> str:
    """Write the links of a block, in the order of their ids."""
    attributes = {
        "Id": _ids(links.at, first_id),
        "CreationDate": stamps(links.at),
        "PostId": threads.id[links.question].tolist(),
        "RelatedPostId": links.related.tolist(),
        "LinkTypeId": links.kind.tolist(),
    }
    return "".join(xml_rows(attributes))


def _ids(rows: Sequence[object] | np.ndarray, first: int) -> range:
    return range(first, first + len(rows))
