"""Writes a block's rows of Comments.xml, Votes.xml and PostLinks.xml."""

from __future__ import annotations

from cqa_spark.synth.stackexchange.comments import CommentTable
from cqa_spark.synth.stackexchange.links import Links
from cqa_spark.synth.stackexchange.rows import accounts, licences, stamps, user_ids
from cqa_spark.synth.stackexchange.threads import ThreadBlock
from cqa_spark.synth.stackexchange.votes import BOUNTY_CLOSE, BOUNTY_START, Votes

USER = ("UserId", "UserDisplayName")


def comment_rows(comments: CommentTable, threads: ThreadBlock, first_id: int) -> str:
    """Write the comments of a block.

    Args:
        comments: in the order of their ids.
        threads: threads of the block.
        first_id: id of the block's first comment.
    """
    facts = zip(
        threads.id[comments.post].tolist(),
        comments.score.tolist(),
        comments.text,
        stamps(comments.posted),
        accounts(comments.author, comments.ownerless, USER),
        licences(comments.posted),
        strict=True,
    )
    return "".join(
        f'  <row Id="{own}" PostId="{post}" Score="{score}" Text="{text}" CreationDate="{stamp}" {account}'
        f' ContentLicense="{licence}" />\r\n'
        for own, (post, score, text, stamp, account, licence) in enumerate(facts, start=first_id)
    )


def vote_rows(votes: Votes, threads: ThreadBlock, first_id: int) -> str:
    """Write the votes of a block.

    Args:
        votes: in the order of their ids.
        threads: threads of the block.
        first_id: id of the block's first vote.
    """
    amount = [
        f' BountyAmount="{amount}"' if kind in (BOUNTY_START, BOUNTY_CLOSE) else ""
        for kind, amount in zip(votes.kind.tolist(), votes.amount.tolist(), strict=True)
    ]
    member = [f' UserId="{number}"' if number >= 0 else "" for number in user_ids(votes.member)]
    facts = zip(threads.id[votes.post].tolist(), votes.kind.tolist(), member, stamps(votes.day), amount, strict=True)
    return "".join(
        f'  <row Id="{own}" PostId="{post}" VoteTypeId="{kind}"{who} CreationDate="{stamp}"{bounty} />\r\n'
        for own, (post, kind, who, stamp, bounty) in enumerate(facts, start=first_id)
    )


def link_rows(links: Links, threads: ThreadBlock, first_id: int) -> str:
    """Write the links of a block.

    Args:
        links: in the order of their ids.
        threads: threads of the block.
        first_id: id of the block's first link.
    """
    facts = zip(
        stamps(links.at), threads.id[links.question].tolist(), links.related.tolist(), links.kind.tolist(), strict=True
    )
    return "".join(
        f'  <row Id="{own}" CreationDate="{stamp}" PostId="{post}" RelatedPostId="{related}" LinkTypeId="{kind}" />\r\n'
        for own, (stamp, post, related, kind) in enumerate(facts, start=first_id)
    )
