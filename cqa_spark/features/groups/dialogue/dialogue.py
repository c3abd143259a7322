"""Position of a comment in its thread, and authors of the comments around it."""

import numpy as np
from numpy.typing import NDArray

from cqa_spark.features.arrays import Mask, Reals
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.groups.dialogue.conversation import (
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


class DialogueV1(QueryGroup):
    """Position and conversation; uses the whole thread, including later comments."""

    name = "dialogue_v1"
    family = "dialogue"
    about = "position of the comment in the thread, and authors of the comments around it"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("position", "position in the thread, from 1", _SEMANTICZ),
        FeatureColumn("reciprocal_position", "1 / position", _SEMANTICZ),
        FeatureColumn("relative_position", "position divided by the number of comments", _SEMANTICZ),
        FeatureColumn("comments", "comments of the thread", _BARRON),
        FeatureColumn("is_last", "1 for the last comment", _BARRON),
        FeatureColumn("by_asker", "1 if the asker wrote the comment", _NICOSIA),
        FeatureColumn("asker_known", "1 if the asker is one person", "ours"),
        FeatureColumn("asker_spoke_before", "ln(1 + the asker's comments before)", _NICOSIA),
        FeatureColumn("asker_speaks_after", "ln(1 + the asker's comments after)", _NICOSIA),
        FeatureColumn("until_asker", "comments until the asker's next one; 20 if there is none", _BARRON, _FAR),
        FeatureColumn("since_asker", "comments since the asker's last one; 20 if there is none", _BARRON, _FAR),
        FeatureColumn("next_by_asker", "1 if the asker wrote the next comment", _BARRON),
        FeatureColumn("previous_by_asker", "1 if the asker wrote the comment before", _BARRON),
        FeatureColumn("asker_thanks_next", "1 if the asker wrote the next comment and thanks", _NICOSIA),
        FeatureColumn("asker_thanks_later", "1 if the asker thanks in some later comment", _NICOSIA),
        FeatureColumn("asker_asks_next", "1 if the asker wrote the next comment and it asks", _BARRON),
        FeatureColumn("asker_asked_before", "1 if the asker wrote the comment before and it asks", _BARRON),
        FeatureColumn("by_asker_asks", "1 if the asker wrote the comment and it asks", _NICOSIA),
        FeatureColumn("by_asker_thanks", "1 if the asker wrote the comment and it thanks", _NICOSIA),
        FeatureColumn("author_comments", "comments of its author in the thread", _NICOSIA, 1.0),
        FeatureColumn("author_turn", "position among its author's comments, from 1", _NICOSIA, 1.0),
        FeatureColumn("author_first", "1 for its author's first comment", _NICOSIA, 1.0),
        FeatureColumn("author_last", "1 for its author's last comment", _BARRON, 1.0),
        FeatureColumn("same_author_before", "1 if the same author wrote the comment before", _BARRON),
        FeatureColumn("same_author_after", "1 if the same author wrote the next comment", _BARRON),
        FeatureColumn("author_anonymous", "1 if its author is unknown or a shared account", _SEMANTICZ),
        FeatureColumn("authors", "number of known authors in the thread", _BARRON),
        FeatureColumn("in_dialogue", "1 if its author also wrote the comment two before or two after", _BARRON),
        FeatureColumn("previous_asks", "1 if the comment before has a question mark", _BARRON),
        FeatureColumn("next_thanks", "1 if the next comment thanks", _NICOSIA),
        FeatureColumn("next_asks", "1 if the next comment has a question mark", _BARRON),
        FeatureColumn("previous_log_words", "ln(1 + words of the comment before)", _BARRON),
        FeatureColumn("next_log_words", "ln(1 + words of the next comment)", _BARRON),
        FeatureColumn("relative_log_words", "ln((1 + words) / (1 + mean words of the thread's comments))", "ours"),
        FeatureColumn("length_rank", "rank by words, longest first, divided by the number of comments", "ours"),
        FeatureColumn("log_hours_since_question", "ln(1 + hours since the question)", _SEMANTICZ, -1.0),
        FeatureColumn("log_hours_since_previous", "ln(1 + hours since the comment, or question, before)", "ours", -1.0),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate that is a comment."""
        values = _values(batch.derive(conversation))
        return {name: of_candidates(batch, of_comments) for name, of_comments in values.items()}


def _values(turns: Conversation) -> dict[str, NDArray[np.generic]]:
    """The values of all comments."""
    return {
        "position": turns.comments.position,
        "reciprocal_position": 1 / turns.comments.position,
        "relative_position": turns.comments.position / turns.size,
        "comments": turns.size,
        "is_last": turns.comments.position == turns.size,
        "by_asker": turns.by_asker,
        "asker_known": turns.asker != UNKNOWN_AUTHOR,
        "asker_spoke_before": np.log1p(turns.before(turns.by_asker)),
        "asker_speaks_after": np.log1p(turns.after(turns.by_asker)),
        "until_asker": np.minimum(_FAR, turns.until(turns.by_asker, _FAR)),
        "since_asker": np.minimum(_FAR, turns.since(turns.by_asker, _FAR)),
        "next_by_asker": turns.near(turns.by_asker, 1, False),
        "previous_by_asker": turns.near(turns.by_asker, -1, False),
        "asker_thanks_next": turns.near(turns.by_asker & turns.thanks, 1, False),
        "asker_thanks_later": turns.after(turns.by_asker & turns.thanks) > 0,
        "asker_asks_next": turns.near(turns.by_asker & turns.asks, 1, False),
        "asker_asked_before": turns.near(turns.by_asker & turns.asks, -1, False),
        "by_asker_asks": turns.by_asker & turns.asks,
        "by_asker_thanks": turns.by_asker & turns.thanks,
        "author_comments": _of_known_author(turns, turns.author_comments),
        "author_turn": _of_known_author(turns, turns.author_turn),
        "author_first": _of_known_author(turns, turns.author_turn == 1),
        "author_last": _of_known_author(turns, turns.author_turn == turns.author_comments),
        "same_author_before": same_person(turns.author, turns.near(turns.author, -1, UNKNOWN_AUTHOR)),
        "same_author_after": same_person(turns.author, turns.near(turns.author, 1, UNKNOWN_AUTHOR)),
        "author_anonymous": turns.author == UNKNOWN_AUTHOR,
        "authors": turns.authors,
        "in_dialogue": _in_dialogue(turns),
        "previous_asks": turns.near(turns.asks, -1, False),
        "next_thanks": turns.near(turns.thanks, 1, False),
        "next_asks": turns.near(turns.asks, 1, False),
        "previous_log_words": np.log1p(turns.near(turns.words, -1, 0)),
        "next_log_words": np.log1p(turns.near(turns.words, 1, 0)),
        "relative_log_words": np.log((1 + turns.words) / (1 + turns.thread_words / turns.size)),
        "length_rank": turns.length_rank / turns.size,
        "log_hours_since_question": _log_hours(turns.comments.created_at - turns.comments.asked_at),
        "log_hours_since_previous": _log_hours(turns.comments.created_at - _moment_before(turns)),
    }
