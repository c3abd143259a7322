"""Log-odds of the comments around a comment by the lexicon, and the comment's rank among them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Self

from cqa_spark.features.arrays import ABSENT, Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.text.lexicon import LexiconGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.tabulate import tabulate

_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_JOTY = "Joty et al. 2015, Global thread-level inference for comment classification in cQA"


@dataclass(frozen=True)
class _Thread:
    """The log-odds of a thread's comments with a text, in order.

    Attributes:
        log_odds: of all comments.
        helpers: of the comments that the asker did not write.
        mean: of all log-odds.
        deviation: standard deviation of all log-odds.
    """

    log_odds: Sequence[float]
    helpers: Sequence[float]
    mean: float
    deviation: float

    @classmethod
    def of(cls, log_odds: Sequence[float], by_asker: Sequence[bool]) -> Self:
        """The thread of the given comments."""
        mean = sum(log_odds) / len(log_odds)
        deviation = sqrt(sum((one - mean) ** 2 for one in log_odds) / len(log_odds))
        helpers = [one for one, asker in zip(log_odds, by_asker, strict=True) if not asker]
        return cls(log_odds, helpers, mean, deviation)


@dataclass(frozen=True)
class _Comment:
    """A comment of a thread, by its index from 0."""

    thread: _Thread
    place: int

    @property
    def log_odds(self) -> float:
        return self.thread.log_odds[self.place]

    @property
    def others(self) -> list[float]:
        return [*self.thread.log_odds[: self.place], *self.thread.log_odds[self.place + 1 :]]

    def beside(self, step: int) -> float:
        """The log-odds of a neighbour; 0 if there is none."""
        place = self.place + step
        return self.thread.log_odds[place] if 0 <= place < len(self.thread.log_odds) else 0.0

    def better_among(self, log_odds: Sequence[float]) -> int:
        return sum(one > self.log_odds for one in log_odds)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


_FEATURES: Mapping[FeatureColumn, Callable[[_Comment], float]] = {
    FeatureColumn("previous", "log-odds of the comment before; 0 for none", _BARRON): lambda one: one.beside(-1),
    FeatureColumn("next", "log-odds of the next comment; 0 for none", _BARRON): lambda one: one.beside(1),
    FeatureColumn("others_mean", "mean log-odds of the thread's other comments; 0 for none", _JOTY): lambda one: _mean(
        one.others
    ),
    FeatureColumn("helpers_mean", "mean log-odds of the thread's comments that the asker did not write", _JOTY): (
        lambda one: _mean(one.thread.helpers)
    ),
    FeatureColumn("gap_to_best", "log-odds minus the highest of the thread's other comments; 0 for none", _JOTY): (
        lambda one: one.log_odds - max(one.others, default=one.log_odds)
    ),
    FeatureColumn("z_score", "z-score of the log-odds within the thread; 0 if all are equal", "ours"): (
        lambda one: (one.log_odds - one.thread.mean) / one.thread.deviation if one.thread.deviation else 0.0
    ),
    FeatureColumn("rank", "place by log-odds, highest first, over comments", "ours", 1.0): lambda one: (
        (1 + one.better_among(one.thread.log_odds)) / len(one.thread.log_odds)
    ),
    FeatureColumn(
        "rank_among_helpers",
        "(1 + comments with higher log-odds) / (1 + all comments), without comments of the asker",
        "ours",
        1.0,
    ): (lambda one: (1 + one.better_among(one.thread.helpers)) / (1 + len(one.thread.helpers))),
}


class ThreadLexiconV2(LexiconGroup):
    """The lexicon's log-odds of relevance over the whole thread; thread and comment always share a fold."""

    name = "thread_lexicon_v2"
    family = "dialogue"
    about = "relevance of the comments around the comment by the lexicon, and its rank among them"
    entity = Entity.CANDIDATE
    columns = tuple(_FEATURES)

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each candidate that is a comment."""
        comments = _comments(batch, self.state.log_odds(batch.texts))
        return tabulate(
            _FEATURES,
            [place if place in comments else None for place in batch.comment.tolist()],
            comments.__getitem__,
        )


def _comments(batch: QueryBatch, log_odds: Reals) -> dict[int, _Comment]:
    """The comments with a text in the threads of the examples, by index in ``batch.comments``."""
    said, wanted = batch.comments, set(batch.comment.tolist()) - {ABSENT}
    found = {}
    for part in said.threads:
        places = [place for place in range(part.start, part.stop) if said.text[place] != ABSENT]
        if wanted.isdisjoint(places):
            continue
        by_asker = [said.author[place] is not None and said.author[place] == said.asker[place] for place in places]
        thread = _Thread.of(log_odds[said.text[places]].tolist(), by_asker)
        found.update({place: _Comment(thread, number) for number, place in enumerate(places)})
    return found
