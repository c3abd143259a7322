"""Position of a comment in its thread, and authors of the comments around it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cqa_spark.features.arrays import Mask, Reals
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.thread.conversation import (
    UNKNOWN_AUTHOR,
    Conversation,
    conversation,
    of_candidates,
    same_person,
)
from cqa_spark.features.query_batch import QueryBatch

_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_SEMANTICZ = "Mihaylov and Nakov 2016, SemanticZ at SemEval-2016 Task 3"
_FAR = 20.0

_Feature = Callable[[Conversation], NDArray[np.generic]]
_Features = dict[FeatureColumn, _Feature]


def _log_hours(seconds: Reals) -> Reals:
    return np.log1p(np.maximum(0.0, seconds) / 3600)


def _of_known_author(turns: Conversation, values: NDArray[np.generic]) -> Reals:
    return np.where(turns.author == UNKNOWN_AUTHOR, np.nan, values)


def _moment_before(turns: Conversation) -> Reals:
    before = turns.near(turns.comments.created_at, -1, np.nan)
    return np.where(np.isnan(before), turns.comments.asked_at, before)


def _in_dialogue(turns: Conversation) -> Mask:
    return same_person(turns.author, turns.near(turns.author, -2, UNKNOWN_AUTHOR)) | same_person(
        turns.author, turns.near(turns.author, 2, UNKNOWN_AUTHOR)
    )


_POSITION: _Features = {
    FeatureColumn("position", "position in the thread, from 1", _SEMANTICZ): lambda t: t.comments.position,
    FeatureColumn("reciprocal_position", "1 / position", _SEMANTICZ): lambda t: 1 / t.comments.position,
    FeatureColumn("relative_position", "position divided by the number of comments", _SEMANTICZ): (
        lambda t: t.comments.position / t.size
    ),
    FeatureColumn("comments", "comments of the thread", _BARRON): lambda t: t.size,
    FeatureColumn("is_last", "1 for the last comment", _BARRON): lambda t: t.comments.position == t.size,
}

_ASKER: _Features = {
    FeatureColumn("by_asker", "1 if the asker wrote the comment", _NICOSIA): lambda t: t.by_asker,
    FeatureColumn("asker_known", "1 if the asker is one person", "ours"): lambda t: t.asker != UNKNOWN_AUTHOR,
    FeatureColumn("asker_spoke_before", "ln(1 + the asker's comments before)", _NICOSIA): (
        lambda t: np.log1p(t.before(t.by_asker))
    ),
    FeatureColumn("asker_speaks_after", "ln(1 + the asker's comments after)", _NICOSIA): (
        lambda t: np.log1p(t.after(t.by_asker))
    ),
    FeatureColumn("until_asker", "comments until the asker's next one; 20 if there is none", _BARRON, _FAR): (
        lambda t: np.minimum(_FAR, t.until(t.by_asker, _FAR))
    ),
    FeatureColumn("since_asker", "comments since the asker's last one; 20 if there is none", _BARRON, _FAR): (
        lambda t: np.minimum(_FAR, t.since(t.by_asker, _FAR))
    ),
    FeatureColumn("next_by_asker", "1 if the asker wrote the next comment", _BARRON): (
        lambda t: t.near(t.by_asker, 1, False)
    ),
    FeatureColumn("previous_by_asker", "1 if the asker wrote the comment before", _BARRON): (
        lambda t: t.near(t.by_asker, -1, False)
    ),
    FeatureColumn("asker_thanks_next", "1 if the asker wrote the next comment and thanks", _NICOSIA): (
        lambda t: t.near(t.by_asker & t.thanks, 1, False)
    ),
    FeatureColumn("asker_thanks_later", "1 if the asker thanks in some later comment", _NICOSIA): (
        lambda t: t.after(t.by_asker & t.thanks) > 0
    ),
    FeatureColumn("asker_asks_next", "1 if the asker wrote the next comment and it asks", _BARRON): (
        lambda t: t.near(t.by_asker & t.asks, 1, False)
    ),
    FeatureColumn("asker_asked_before", "1 if the asker wrote the comment before and it asks", _BARRON): (
        lambda t: t.near(t.by_asker & t.asks, -1, False)
    ),
    FeatureColumn("by_asker_asks", "1 if the asker wrote the comment and it asks", _NICOSIA): (
        lambda t: t.by_asker & t.asks
    ),
    FeatureColumn("by_asker_thanks", "1 if the asker wrote the comment and it thanks", _NICOSIA): (
        lambda t: t.by_asker & t.thanks
    ),
}

_AUTHOR: _Features = {
    FeatureColumn("author_comments", "comments of its author in the thread", _NICOSIA, 1.0): (
        lambda t: _of_known_author(t, t.author_comments)
    ),
    FeatureColumn("author_turn", "position among its author's comments, from 1", _NICOSIA, 1.0): (
        lambda t: _of_known_author(t, t.author_turn)
    ),
    FeatureColumn("author_first", "1 for its author's first comment", _NICOSIA, 1.0): (
        lambda t: _of_known_author(t, t.author_turn == 1)
    ),
    FeatureColumn("author_last", "1 for its author's last comment", _BARRON, 1.0): (
        lambda t: _of_known_author(t, t.author_turn == t.author_comments)
    ),
    FeatureColumn("same_author_before", "1 if the same author wrote the comment before", _BARRON): (
        lambda t: same_person(t.author, t.near(t.author, -1, UNKNOWN_AUTHOR))
    ),
    FeatureColumn("same_author_after", "1 if the same author wrote the next comment", _BARRON): (
        lambda t: same_person(t.author, t.near(t.author, 1, UNKNOWN_AUTHOR))
    ),
    FeatureColumn("author_anonymous", "1 if its author is unknown or a shared account", _SEMANTICZ): (
        lambda t: t.author == UNKNOWN_AUTHOR
    ),
    FeatureColumn("authors", "number of known authors in the thread", _BARRON): lambda t: t.authors,
    FeatureColumn(
        "in_dialogue", "1 if its author also wrote the comment two before or two after", _BARRON
    ): _in_dialogue,
}

_NEIGHBOURS: _Features = {
    FeatureColumn("previous_asks", "1 if the comment before has a question mark", _BARRON): (
        lambda t: t.near(t.asks, -1, False)
    ),
    FeatureColumn("next_thanks", "1 if the next comment thanks", _NICOSIA): lambda t: t.near(t.thanks, 1, False),
    FeatureColumn("next_asks", "1 if the next comment has a question mark", _BARRON): (
        lambda t: t.near(t.asks, 1, False)
    ),
    FeatureColumn("previous_log_words", "ln(1 + words of the comment before)", _BARRON): (
        lambda t: np.log1p(t.near(t.words, -1, 0))
    ),
    FeatureColumn("next_log_words", "ln(1 + words of the next comment)", _BARRON): (
        lambda t: np.log1p(t.near(t.words, 1, 0))
    ),
    FeatureColumn("relative_log_words", "ln((1 + words) / (1 + mean words of the thread's comments))", "ours"): (
        lambda t: np.log((1 + t.words) / (1 + t.thread_words / t.size))
    ),
    FeatureColumn("length_rank", "rank by words, longest first, divided by the number of comments", "ours"): (
        lambda t: t.length_rank / t.size
    ),
}

_TIME: _Features = {
    FeatureColumn("log_hours_since_question", "ln(1 + hours since the question)", _SEMANTICZ, -1.0): (
        lambda t: _log_hours(t.comments.created_at - t.comments.asked_at)
    ),
    FeatureColumn("log_hours_since_previous", "ln(1 + hours since the comment, or question, before)", "ours", -1.0): (
        lambda t: _log_hours(t.comments.created_at - _moment_before(t))
    ),
}

_FEATURES: _Features = {**_POSITION, **_ASKER, **_AUTHOR, **_NEIGHBOURS, **_TIME}
"""Each column with the function that computes it for all comments."""


class DialogueV1(QueryGroup):
    """Position and conversation; uses the whole thread, including later comments."""

    name = "dialogue_v1"
    family = "dialogue"
    about = "position of the comment in the thread, and authors of the comments around it"
    entity = Entity.CANDIDATE
    columns = tuple(_FEATURES)

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate that is a comment."""
        turns = batch.derive(conversation)
        return {column.name: of_candidates(batch, of_turns(turns)) for column, of_turns in _FEATURES.items()}
