"""A shard as a row of the table ``index_shards``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.retrieval.shard import QuestionTimes, Shard


def to_row(shard: Shard, site: str, name: str) -> dict[str, Any]:
    """The row of a shard.

    Args:
        shard: the shard.
        site: its site.
        name: its name within the site.
    """
    return {
        "site": site,
        "shard": name,
        "questions": len(shard.ids),
        "terms": int(shard.lengths.sum()),
        "ids": shard.ids.to_pylist(),
        "titles": shard.titles.to_pylist(),
        "asked": _stored(shard.asked.time, np.int64),
        "numbers": _stored(shard.asked.number, np.int64),
        "lengths": _stored(shard.lengths, np.int32),
        "vocabulary": shard.vocabulary.to_pylist(),
        "questions_with": shard.questions_with.astype(np.int32),
        "places": _stored(shard.places, np.int32),
        "counts": _stored(shard.counts, np.int32),
        "vectors": _stored(shard.vectors, np.int16),
    }


def from_row(row: Mapping[str, pa.Scalar], deleted: pa.StringArray) -> Shard:
    """The shard of a row.

    Args:
        row: values by column, as Arrow scalars.
        deleted: ids of questions that are no longer on the site.
    """
    ids, numbers_with = row["ids"].values, row["questions_with"].values.to_numpy(zero_copy_only=False)
    return Shard(
        ids,
        row["titles"].values,
        QuestionTimes(_numbers(row["asked"], np.int64), _numbers(row["numbers"], np.int64)),
        _numbers(row["lengths"], np.int32),
        row["vocabulary"].values,
        np.concatenate([[0], np.cumsum(numbers_with, dtype=np.int64)]).astype(np.int64),
        _numbers(row["places"], np.int32),
        _numbers(row["counts"], np.int32),
        _numbers(row["vectors"], np.int16).reshape(len(ids), -1),
        pc.is_in(ids, value_set=deleted).to_numpy(zero_copy_only=False),
    )


def _stored(numbers: NDArray[Any], kind: type[np.integer[Any]]) -> bytes:
    return numbers.astype(np.dtype(kind).newbyteorder("<")).tobytes()


def _numbers(stored: pa.Scalar, kind: type[np.integer[Any]]) -> NDArray[Any]:
    # A copy, because numbers within an Arrow buffer need not be aligned.
    return np.frombuffer(stored.as_buffer(), dtype=np.dtype(kind).newbyteorder("<")).astype(kind)
