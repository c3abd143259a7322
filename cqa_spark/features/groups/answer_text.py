"""How the answer is written: its length, compared with its rivals, and its markup."""

import html
from collections import Counter
from typing import Self

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.arrays import ABSENT, Reals, scattered, values_at
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, PostGroup, Values
from cqa_spark.features.groups.similarity.term_similarity import tf_idf_cosine
from cqa_spark.features.inputs import DumpState, FeatureInputs
from cqa_spark.features.learned_group import StateGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.features.within_query import WithinQuery
from cqa_spark.lake.schemas.examples import QUERY_POST
from cqa_spark.text.post_words import plain_text_of, post_words, words_of
from cqa_spark.text.terms import Collection

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
        of_posts = (scattered(column, answers, batch.posts.num_rows) for column in counts.T)
        values = np.column_stack([values_at(posts, column) for column in of_posts])
        values[~(batch.times("answered_at") <= batch.times("cut"))] = np.nan
        present = np.flatnonzero(~np.isnan(values[:, 0]))
        within_query, length = WithinQuery(batch.query[present]), values[present, 0]
        lead = scattered(within_query.lead(length), present, len(batch))
        longest = scattered(within_query.leads(length), present, len(batch))
        columns = [values[:, 0], lead, longest, *values[:, 1:].T]
        return self.by_column(columns)


def _counts(markup: str) -> Reals:
    """The columns of one text that need no rivals: all but ``lead`` and ``longest``."""
    plain = html.unescape(plain_text_of(None, markup))
    words = Counter(words_of(plain))
    tags = [markup.count(tag) for tag in _TAGS.values()]
    shares = [sum(words[word] for word in person) / max(1, words.total()) for person in (_FIRST_PERSON, _SECOND_PERSON)]
    return np.array([*np.log1p([len(plain), len(words), *tags, plain.count("!")]), *shares])


# Length of the answer, and its cosine with the question: the sort keys of two baselines of Xu et al.

_XU = "Xu et al. 2018, section 5, baselines"


class AnswerTextV1(StateGroup[Collection], FittedQueryGroup):
    """Regular expressions extract the words from the bodies, so that a whole dump needs no text analysis.

    Fitting counts the questions and answers of the training part that contain each word, as for the paper's tf-idf.

    Args:
        state: the counts.
    """

    name = "answer_text_v1"
    family = "answer_text"
    about = "length of the answer, and words that question and answer share"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("characters", "characters of the answer without markup", _XU),
        FeatureColumn("words", "words of the answer", _XU),
        FeatureColumn("cosine", "cosine of the tf-idf vectors of question and answer", _XU),
    )
    learns_from_labels = False
    state_type = Collection
    reads_texts = False
    reads_comments = False
    post_columns = ("subject", "body")
    is_as_of = True
    as_of_dump = frozenset({DumpState.EDITS})

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Count the words of the training part."""
        return Fitted(cls(Collection.of(_posts(training.inputs).select(post_words().alias("words")), "words")))

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each pair whose answer is a post; the cosine of a text without words is 0."""
        texts = list(map(plain_text_of, *(batch.posts[name].to_pylist() for name in ("subject", "body"))))
        words = [words_of(text) for text in texts]
        cosines = tf_idf_cosine(self.state.weigh(words), batch.query_post, batch.candidate_post)
        is_post = batch.candidate_post >= 0
        return {
            "characters": values_at(batch.candidate_post, [len(text) for text in texts]),
            "words": values_at(batch.candidate_post, [len(of_text) for of_text in words]),
            "cosine": np.where(is_post, cosines, np.nan),
        }


def _posts(inputs: FeatureInputs) -> DataFrame:
    """The posts of the examples, each once."""
    both = F.explode(F.array(F.expr(QUERY_POST), "candidate_id")).alias("post_id")
    posts_of_examples = inputs.examples.select("site", both).distinct()
    return inputs.posts.join(posts_of_examples, on=["site", "post_id"], how="left_semi")
