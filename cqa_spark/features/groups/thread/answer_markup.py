"""How the answer is written: its length, compared with its rivals, and its markup."""

import html
from collections import Counter

import numpy as np
import pyarrow as pa

from cqa_spark.features.arrays import ABSENT, Reals, at_places, values_at
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.history.dump_state import DumpState
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.rivals import Rivals
from cqa_spark.text.post_words import plain_text_of, words_of

_TAGS = {"items": "<li>", "links": "<a ", "code": "<code>", "images": "<img", "paragraphs": "<p>"}
_ABOUT_TAGS = {
    "items": "items of lists",
    "links": "links",
    "code": "blocks and spans of code",
    "images": "images",
    "paragraphs": "paragraphs",
}
_FIRST_PERSON, _SECOND_PERSON = frozenset({"i", "my", "me"}), frozenset({"you", "your"})


class AnswerMarkupAsOfV1(PostGroup):
    """Counts over the body of the answer, by regular expressions, so that a whole dump needs no text analysis."""

    name = "answer_markup_asof_v1"
    family = "answer_text"
    about = "length and markup of the answer, and its length compared with its rivals"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("characters", "characters without markup, logarithm", "ours"),
        FeatureColumn("lead", "characters minus those of the longest rival, of logarithms", "ours"),
        FeatureColumn("longest", "1 if no rival is longer", "ours"),
        FeatureColumn("different_words", "different words, logarithm", "ours"),
        *(FeatureColumn(name, f"{_ABOUT_TAGS[name]}, logarithm", "ours") for name in _TAGS),
        FeatureColumn("exclamations", "exclamation marks, logarithm", "ours"),
        FeatureColumn("first_person", "share of words that are I, my or me", "ours"),
        FeatureColumn("second_person", "share of words that are you or your", "ours"),
    )
    post_columns = ("body",)
    is_as_of = True
    as_of_dump = frozenset({DumpState.EDITS})

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each answer that is a post and was there at the cut."""
        posts = batch.candidate_post
        answers = np.unique(posts[posts != ABSENT])
        bodies = batch.posts["body"].take(pa.array(answers)).to_pylist()
        counts = np.array([_counts(body or "") for body in bodies]).reshape(-1, len(self.columns) - 2)
        of_posts = (at_places(column, answers, batch.posts.num_rows) for column in counts.T)
        values = np.column_stack([values_at(posts, column) for column in of_posts])
        values[~(batch.times("answered_at") <= batch.times("cut"))] = np.nan
        there = np.flatnonzero(~np.isnan(values[:, 0]))
        rivals, length = Rivals(batch.query[there]), values[there, 0]
        compared = [at_places(of, there, len(batch)) for of in (rivals.lead(length), rivals.leads(length))]
        columns = [values[:, 0], *compared, *values[:, 1:].T]
        return self.by_column(columns)


def _counts(markup: str) -> Reals:
    """The columns of one text that need no rivals: all but ``lead`` and ``longest``."""
    plain = html.unescape(plain_text_of(None, markup))
    words = Counter(words_of(plain))
    tags = [markup.count(tag) for tag in _TAGS.values()]
    shares = [sum(words[word] for word in person) / max(1, words.total()) for person in (_FIRST_PERSON, _SECOND_PERSON)]
    return np.array([*np.log1p([len(plain), len(words), *tags, plain.count("!")]), *shares])
