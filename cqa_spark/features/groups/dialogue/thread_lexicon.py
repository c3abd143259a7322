"""Log-odds of the comments around a comment by the lexicon, and the comment's rank among them."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from cqa_spark.features.arrays import ABSENT
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.dialogue.conversation import conversation, of_candidates
from cqa_spark.features.groups.quality.lexicon import LexiconGroup
from cqa_spark.features.query_batch import QueryBatch

_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_JOTY = "Joty et al. 2015, Global thread-level inference for comment classification in cQA"


class ThreadLexiconV2(LexiconGroup):
    """The lexicon's log-odds of relevance over the whole thread; thread and comment always share a fold."""

    name = "thread_lexicon_v2"
    family = "dialogue"
    about = "relevance of the comments around the comment by the lexicon, and its rank among them"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("previous", "log-odds of the comment before; 0 for none", _BARRON),
        FeatureColumn("next", "log-odds of the next comment; 0 for none", _BARRON),
        FeatureColumn("others_mean", "mean log-odds of the thread's other comments; 0 for none", _JOTY),
        FeatureColumn("helpers_mean", "mean log-odds of the thread's comments that the asker did not write", _JOTY),
        FeatureColumn("gap_to_best", "log-odds minus the highest of the thread's other comments; 0 for none", _JOTY),
        FeatureColumn("z_score", "z-score of the log-odds within the thread; 0 if all are equal", "ours"),
        FeatureColumn("rank", "place by log-odds, highest first, over comments", "ours", 1.0),
        FeatureColumn(
            "rank_among_helpers",
            "(1 + comments with higher log-odds) / (1 + all comments), without comments of the asker",
            "ours",
            1.0,
        ),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate that is a comment with a text."""
        log_odds = self.state.log_odds(batch.texts)
        comments, by_asker = batch.thread_comments, batch.derive(conversation).by_asker
        values = {column.name: np.full(len(comments), np.nan) for column in self.columns}
        for thread in comments.threads:
            with_text = thread.start + np.flatnonzero(comments.text[thread] != ABSENT)
            if with_text.size:
                of_thread = _compare(log_odds[comments.text[with_text]].tolist(), by_asker[with_text].tolist())
                for name, of_comments in of_thread.items():
                    values[name][with_text] = of_comments
        return {name: of_candidates(batch, of_comments) for name, of_comments in values.items()}


def _compare(log_odds: Sequence[float], by_asker: Sequence[bool]) -> dict[str, list[float]]:
    """The values of the comments of a thread.

    Args:
        log_odds: of the comments, in order, at least one.
        by_asker: whether the asker wrote them.
    """
    size, mean = len(log_odds), _mean(log_odds)
    deviation = sqrt(_mean([(value - mean) ** 2 for value in log_odds]))
    helpers = [value for value, is_asker in zip(log_odds, by_asker, strict=True) if not is_asker]
    # For each comment, the log-odds of the other comments.
    others = [[*log_odds[:comment], *log_odds[comment + 1 :]] for comment in range(size)]
    return {
        "previous": [0.0, *log_odds[:-1]],
        "next": [*log_odds[1:], 0.0],
        "others_mean": [_mean(values) for values in others],
        "helpers_mean": [_mean(helpers)] * size,
        "gap_to_best": [value - max(rest, default=value) for value, rest in zip(log_odds, others, strict=True)],
        "z_score": [(value - mean) / deviation if deviation else 0.0 for value in log_odds],
        "rank": [(1 + _better(value, log_odds)) / size for value in log_odds],
        "rank_among_helpers": [(1 + _better(value, helpers)) / (1 + len(helpers)) for value in log_odds],
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def _better(value: float, log_odds: Sequence[float]) -> int:
    return sum(other > value for other in log_odds)
