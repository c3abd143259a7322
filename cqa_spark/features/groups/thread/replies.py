"""Replies by name, and the asker's reactions to a comment."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.batch_texts import Texts
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.thread.conversation import conversation, of_candidates
from cqa_spark.features.query_batch import QueryBatch

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_SHORTEST_NAME = 4
"""Shorter names too often are common words."""

_REACTIONS = 2
"""Number of the asker's next comments that count as reactions."""

_THANKS = re.compile(r"\b(?:thanks?|thanx|thx|thnx|tnx|thankyou|appreciated?)\b")
_PRAISE = re.compile(r"\b(?:great|good|helpful|nice|perfect|useful|exactly|will (?:try|do|check|call|go))\b")
_START = re.compile(r"\W*", re.ASCII)


@dataclass(frozen=True)
class _Name:
    """An author and the name used in the thread's comments."""

    author: str
    name: str


@dataclass(frozen=True)
class _Turn:
    """A comment; author and asker are None unless they are one known person."""

    position: float
    author: str | None
    asker: str | None
    by_asker: bool
    text: str
    asks: bool
    thanks: bool
    praises: bool


@dataclass(frozen=True)
class _Reply:
    """A comment and its relations to the other comments of its thread.

    Attributes:
        turn: the comment.
        named: the other authors of the thread that it names.
        calls: the later comments of the thread that name its author.
        reactions: the asker's next comments, at most ``_REACTIONS``; none to the asker's own comments.
    """

    turn: _Turn
    named: Sequence[_Name]
    calls: Sequence[_Turn]
    reactions: Sequence[_Turn]

    @property
    def starts_with_name(self) -> bool:
        text = self.turn.text
        start = _START.match(text)
        assert start is not None, "the pattern matches nothing, too"
        return "@" in start.group() or any(text.startswith(one.name, start.end()) for one in self.named)

    @property
    def thanked_at_once(self) -> bool:
        return any(one.thanks and one.position <= self.turn.position + 2 for one in self.reactions[:1])

    @property
    def thanked_by_name(self) -> bool:
        return any(one.thanks and any(call.position == one.position for call in self.calls) for one in self.reactions)


_FEATURES: dict[FeatureColumn, Callable[[_Reply], float]] = {
    FeatureColumn("names_another", "1 if it names another author of the thread", _NICOSIA): (
        lambda reply: bool(reply.named)
    ),
    FeatureColumn(
        "starts_with_name", "1 if it starts with @ or with the name of another author of the thread", _NICOSIA
    ): lambda reply: reply.starts_with_name,
    FeatureColumn("names_asker", "1 if it names the asker", _NICOSIA): (
        lambda reply: any(one.author == reply.turn.asker for one in reply.named)
    ),
    FeatureColumn("named_later", "ln(1 + later comments of others that name its author)", _BARRON): (
        lambda reply: np.log1p(len(reply.calls))
    ),
    FeatureColumn("named_by_asker", "1 if the asker names its author in a later comment", _BARRON): (
        lambda reply: any(call.by_asker for call in reply.calls)
    ),
    FeatureColumn(
        "asker_thanks", f"1 if the asker thanks within the next {_REACTIONS} comments of the asker", _NICOSIA
    ): lambda reply: any(one.thanks for one in reply.reactions),
    FeatureColumn(
        "asker_praises", f"1 if the asker praises or complies within the next {_REACTIONS}", "ours"
    ): lambda reply: any(one.praises for one in reply.reactions),
    FeatureColumn(
        "asker_asks", f"1 if the asker asks within the next {_REACTIONS} comments of the asker", _NICOSIA
    ): lambda reply: any(one.asks for one in reply.reactions),
    FeatureColumn(
        "asker_thanks_at_once", "1 if the asker's next comment follows within two comments and thanks", "ours"
    ): lambda reply: reply.thanked_at_once,
    FeatureColumn(
        "asker_thanks_by_name", f"1 if the asker thanks within the next {_REACTIONS} and names its author", "ours"
    ): lambda reply: reply.thanked_by_name,
}
"""Each column with the function that computes it for a comment."""


class RepliesV1(QueryGroup):
    """Names mentioned in comments, and the asker's next comments; the asker's own comments get no reactions."""

    name = "replies_v1"
    family = "dialogue"
    about = "replies by name, and the asker's reactions to the comment"
    entity = Entity.CANDIDATE
    columns = tuple(_FEATURES)

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate that is a comment."""
        replies = list(_replies(batch))
        return {
            column.name: of_candidates(batch, np.array([of_reply(one) for one in replies], dtype=np.float64))
            for column, of_reply in _FEATURES.items()
        }


def _replies(batch: QueryBatch) -> Iterator[_Reply]:
    """Every comment of the batch, in order."""
    turns = list(_turns(batch))
    for thread in batch.comments.threads:
        said = turns[thread]
        names = _names(batch.comments.author[thread], batch.comments.author_name[thread])
        named = [[one for one in names if one.author != turn.author and _calls(turn.text, one.name)] for turn in said]
        called = [(one.author, turn) for turn, others in zip(said, named, strict=True) for one in others]
        of_asker = [turn for turn in said if turn.by_asker]
        for turn, others in zip(said, named, strict=True):
            calls = [call for author, call in called if author == turn.author and call.position > turn.position]
            after = [] if turn.by_asker else [one for one in of_asker if one.position > turn.position][:_REACTIONS]
            yield _Reply(turn, others, calls, after)


def _turns(batch: QueryBatch) -> Iterator[_Turn]:
    comments, turns = batch.comments, batch.derive(conversation)
    lower = batch.texts.derive(_lower)
    thanks, praises = batch.texts.derive(_thanks), batch.texts.derive(_praises)
    rows = zip(
        comments.position.tolist(),
        comments.author,
        comments.asker,
        turns.by_asker.tolist(),
        comments.text.tolist(),
        turns.asks.tolist(),
        strict=True,
    )
    for position, author, asker, by_asker, text, asks in rows:
        if text == ABSENT:
            yield _Turn(position, author, asker, by_asker, "", asks=False, thanks=False, praises=False)
        else:
            yield _Turn(position, author, asker, by_asker, lower[text], asks, thanks[text], praises[text])


def _names(authors: Iterable[str | None], names: Iterable[str | None]) -> list[_Name]:
    """The distinct authors and names of a thread."""
    pairs = {
        (author, name.strip(" ").lower()): None
        for author, name in zip(authors, names, strict=True)
        if author is not None and name is not None
    }
    return [_Name(author, name) for author, name in pairs if len(name) >= _SHORTEST_NAME]


def _calls(text: str, name: str) -> bool:
    """Whether a text contains a name that is not part of a longer word."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        start = text.find(name, start + 1)
    return False


def _lower(texts: Texts) -> list[str]:
    return [text.lower() for text in texts.clean]


def _thanks(texts: Texts) -> list[bool]:
    return [_THANKS.search(text) is not None for text in texts.derive(_lower)]


def _praises(texts: Texts) -> list[bool]:
    return [_PRAISE.search(text) is not None for text in texts.derive(_lower)]
