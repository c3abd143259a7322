"""Groups of pairs of questions, on literal batches."""

from dataclasses import replace
from datetime import UTC, datetime
from math import log

import numpy as np
import pyarrow as pa
import pytest
from literal_batches import batch_of
from literal_threads import SITE, Thread

from cqa_spark.features.groups.question.duplicates import IncomingLinksV1, QuestionPairV1
from cqa_spark.features.query_batch import QueryBatch

_AT = [datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2, 9)]
_MOMENT = pa.timestamp("us", "UTC")


def _batch() -> QueryBatch:
    """Question 9 of January 9 with the earlier questions 1 and 2."""
    threads = [Thread(name, asker, [], at=at) for name, asker, at in zip("129", ("u", "v", "u"), _AT, strict=True)]
    batch = batch_of(threads, [("9", "1", "1"), ("9", "2", "2")], task="duplicate")
    asked = {"asked_at": [_AT[2]] * 2, "answered_at": _AT[:2], "asker_id": ["u", "u"], "author_id": ["u", "v"]}
    examples = batch.examples
    for name, values in asked.items():
        column = pa.array(values, examples.schema.field(name).type)
        examples = examples.set_column(examples.schema.get_field_index(name), name, column)
    of_post = {"1": ["a", "b"], "2": None, "9": ["b", "c"]}
    tags = pa.array([of_post[post] for post in batch.posts["post_id"].to_pylist()], pa.list_(pa.string()))
    return replace(batch, examples=examples, posts=batch.posts.append_column("tags", tags))


def test_tags_age_and_askers() -> None:
    values = QuestionPairV1().compute(_batch())
    assert values["shared_tags"].tolist() == [1.0, 0.0]
    assert values["tag_overlap"].tolist() == [1 / 3, 0.0]
    assert values["log_days"].tolist() == pytest.approx([log(9), log(8)])
    assert values["same_asker"].tolist() == [1.0, 0.0]


def test_links_count_that_were_made_before_the_query_was_asked() -> None:
    links = {
        "site": [SITE] * 4, "query_post_id": ["9"] * 4, "candidate_id": ["1", "1", "1", "2"],
        "linked_at": pa.array([_AT[1], _AT[1], _AT[2], None], _MOMENT), "is_duplicate": [True, False, True, True],
    }  # fmt: skip
    values = IncomingLinksV1().compute(replace(_batch(), links=pa.table(links)))
    assert np.asarray(values["log_links"]).tolist() == [log(2), 0.0]
    assert np.asarray(values["log_duplicates"]).tolist() == [log(2), 0.0]
