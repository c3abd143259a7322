"""Turns the columns of a dump's rows into those that their table declares."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.dump_tables import DumpTable
from cqa_spark.corpora.stackexchange.row_columns import UNKNOWN
from cqa_spark.corpora.stackexchange.values import DELETED, INVENTED, OTHER_POST_TYPE, POST_TYPES
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.writing import nullable

PARENT = "parent_id"  # the question of an answer; called thread in the lake's tables
ANSWER = 2
COMMUNITY = "-1"  # the user of automatic actions
_TYPE_NUMBERS = pa.array(POST_TYPES, pa.int32())
_TYPE_NAMES = pa.array([*POST_TYPES.values(), OTHER_POST_TYPE])


def table_rows(dump: DumpTable, columns: Mapping[str, pa.Array], site: str, source_file: str) -> pa.RecordBatch:
    """The rows with the declared columns of their table; those about people that are withheld are null.

    Args:
        dump: the kind of rows.
        columns: unknown_attributes and the columns that attributes fill.
        site: the site of the rows.
        source_file: the file of the rows.
    """
    schema = to_arrow_schema(nullable(dump.table.schema))
    rows = len(columns[UNKNOWN])
    complete: dict[str, Any] = {name: column for name, column in columns.items() if name not in dump.withheld}
    same = {"site": site, "source_file": source_file, "split": UNANNOTATED}
    complete |= {name: pa.repeat(pa.scalar(text), rows) for name, text in same.items()}
    if UNKNOWN in dump.withheld:
        # The names tell that the format of the dumps has changed, and nothing about a person.
        complete[UNKNOWN] = _without_values(columns[UNKNOWN])
    if dump.file == "Posts":
        # Only answers have a parent; an answer without one is its own thread.
        parent = pc.if_else(pc.equal(columns["post_type_id"], ANSWER), columns[PARENT], pa.scalar(None, pa.string()))
        complete["thread_id"] = pc.coalesce(parent, columns["post_id"])
        complete["post_type"] = _post_types(columns, dump.invented_from)
    arrays = [complete[name] if name in complete else pa.nulls(rows, schema.field(name).type) for name in schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _post_types(columns: Mapping[str, pa.Array], invented_from: int | None) -> pa.Array:
    """The name of each post's type; deleted and invented posts have their own, whatever their number says."""
    index = pc.index_in(columns["post_type_id"], _TYPE_NUMBERS)
    names = _TYPE_NAMES.take(pc.fill_null(index, len(POST_TYPES)))
    names = pc.if_else(columns["deleted_at"].is_valid(), DELETED, names)
    if invented_from is None:
        return names
    is_large = pc.greater_equal(columns["post_id"].cast(pa.int64()), invented_from)
    is_community = pc.fill_null(pc.equal(columns["user_id"], COMMUNITY), False)
    return pc.if_else(pc.and_(is_large, is_community), INVENTED, names)


def _without_values(maps: pa.Array) -> pa.Array:
    nulls = pa.nulls(len(maps.items), pa.string())
    starts = pa.array(maps.offsets.to_numpy(), pa.int32(), mask=np.append(maps.is_null().to_numpy(False), False))
    return pa.MapArray.from_arrays(starts, maps.keys, nulls)
