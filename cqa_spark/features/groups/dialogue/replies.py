"""Replies by name, and the asker's reactions to a comment."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cqa_spark.features.arrays import Mask
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.dialogue.conversation import conversation, of_candidates
from cqa_spark.features.query_batch import QueryBatch, Texts

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_SHORTEST_NAME = 4
"""Shorter names too often are common words."""

_REACTIONS = 2
"""Number of the asker's next comments that count as reactions."""

_THANKS = re.compile(r"\b(?:thanks?|thanx|thx|thnx|tnx|thankyou|appreciated?)\b")
_PRAISE = re.compile(r"\b(?:great|good|helpful|nice|perfect|useful|exactly|will (?:try|do|check|call|go))\b")
_START = re.compile(r"\W*", re.ASCII)
_RUN = re.compile(r"[^\W_]+")


class RepliesV1(QueryGroup):
    """Names mentioned in comments, and the asker's next comments; the asker's own comments get no reactions."""

    name = "replies_v1"
    family = "dialogue"
    about = "replies by name, and the asker's reactions to the comment"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("names_another", "1 if it names another author of the thread", _NICOSIA),
        FeatureColumn(
            "starts_with_name", "1 if it starts with @ or with the name of another author of the thread", _NICOSIA
        ),
        FeatureColumn("names_asker", "1 if it names the asker", _NICOSIA),
        FeatureColumn("named_later", "ln(1 + later comments of others that name its author)", _BARRON),
        FeatureColumn("named_by_asker", "1 if the asker names its author in a later comment", _BARRON),
        FeatureColumn(
            "asker_thanks", f"1 if the asker thanks within the next {_REACTIONS} comments of the asker", _NICOSIA
        ),
        FeatureColumn("asker_praises", f"1 if the asker praises or complies within the next {_REACTIONS}", "ours"),
        FeatureColumn(
            "asker_asks", f"1 if the asker asks within the next {_REACTIONS} comments of the asker", _NICOSIA
        ),
        FeatureColumn(
            "asker_thanks_at_once", "1 if the asker's next comment follows within two comments and thanks", "ours"
        ),
        FeatureColumn(
            "asker_thanks_by_name", f"1 if the asker thanks within the next {_REACTIONS} and names its author", "ours"
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate that is a comment."""
        of_comments = [values for thread in batch.thread_comments.threads for values in _replies(batch, thread)]
        values = np.array(of_comments, dtype=np.float64).reshape(-1, len(self.columns))
        return self.by_column(of_candidates(batch, column) for column in values.T)


def _replies(batch: QueryBatch, thread: slice) -> Iterator[list[float]]:
    """The values of each comment of a thread, in order."""
    # Arrays over the comments of the batch; ``turn`` is the index of a comment in them.
    comments, turns = batch.thread_comments, batch.derive(conversation)
    author, asker, position = comments.author, comments.asker, comments.position
    texts = [*batch.texts.derive(_lower), ""]  # by index of the text; the last one is that of ABSENT
    thanks, praises = (batch.texts.derive(_matches, pattern)[comments.text] for pattern in (_THANKS, _PRAISE))
    in_thread, names = range(thread.start, thread.stop), _names(author[thread], comments.author_name[thread])
    mentions: dict[int, list[_Name]] = {}  # the other authors that each comment names
    for turn in in_thread:
        names_in_text = _names_in(texts[comments.text[turn]], names)
        mentions[turn] = [name for name in names_in_text if name.author != author[turn]]
    # Only comments with a known position are later than others; in a thread, comments are sorted by position.
    in_order = [turn for turn in in_thread if not np.isnan(position[turn])]
    # By author, the positions of the comments that name the author, ascending: of all comments, and of the asker's.
    mentioned_at: dict[str | None, list[float]] = defaultdict(list)
    mentioned_by_asker_at: dict[str | None, list[float]] = defaultdict(list)
    for turn in in_order:
        for name in mentions[turn]:
            mentioned_at[name.author].append(position[turn])
            if turns.by_asker[turn]:
                mentioned_by_asker_at[name.author].append(position[turn])
    of_asker = [turn for turn in in_order if turns.by_asker[turn]]
    asker_positions = position[of_asker].tolist()
    for turn in in_thread:
        of_author, later = mentioned_at[author[turn]], bisect_right(asker_positions, position[turn])
        reactions = [] if turns.by_asker[turn] else of_asker[later : later + _REACTIONS]
        yield [
            bool(mentions[turn]),
            _starts_with_name(texts[comments.text[turn]], mentions[turn]),
            any(name.author == asker[turn] for name in mentions[turn]),
            np.log1p(len(of_author) - bisect_right(of_author, position[turn])),
            max(mentioned_by_asker_at[author[turn]], default=-np.inf) > position[turn],
            any(thanks[reaction] for reaction in reactions),
            any(praises[reaction] for reaction in reactions),
            any(turns.asks[reaction] for reaction in reactions),
            any(thanks[reaction] and position[reaction] <= position[turn] + 2 for reaction in reactions[:1]),
            any(thanks[reaction] and position[reaction] in of_author for reaction in reactions),
        ]


class _Name(NamedTuple):
    """An author and the name used in the thread's comments."""

    author: str
    name: str


def _names(authors: Iterable[str | None], names: Iterable[str | None]) -> dict[str, list[_Name]]:
    """The distinct authors and names of a thread, by the name's first letters and digits."""
    pairs = {
        (author, name.strip(" ").lower()): None
        for author, name in zip(authors, names, strict=True)
        if author is not None and name is not None
    }
    by_start: dict[str, list[_Name]] = defaultdict(list)
    for author, name in pairs:
        if len(name) >= _SHORTEST_NAME:
            start = _RUN.search(name)
            by_start[start.group() if start else ""].append(_Name(author, name))
    return by_start


def _names_in(text: str, names: Mapping[str, Sequence[_Name]]) -> list[_Name]:
    """The names in a text; each of them has all its letters and digits as words there."""
    # A name can only occur where its first letters and digits do; names without any have the start "".
    starts = {"", *_RUN.findall(text)}
    return [name for start in starts for name in names.get(start, ()) if _has_word(text, name.name)]


def _has_word(text: str, name: str) -> bool:
    """Whether a text contains a name that is not part of a longer word."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        start = text.find(name, start + 1)
    return False


def _starts_with_name(text: str, names: Iterable[_Name]) -> bool:
    start = _START.match(text)
    assert start is not None, "the pattern matches nothing, too"
    return "@" in start.group() or any(text.startswith(name.name, start.end()) for name in names)


def _lower(texts: Texts) -> list[str]:
    return [text.lower() for text in texts.clean]


def _matches(texts: Texts, pattern: re.Pattern[str]) -> Mask:
    """Whether each text has a match; False for the last item, at ``ABSENT``."""
    return np.array([*(pattern.search(text) is not None for text in texts.derive(_lower)), False])
