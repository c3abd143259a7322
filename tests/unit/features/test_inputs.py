"""What as-of groups read in the state of the dump is what they declare, and what the page says."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.features.group import AuthorGroup, QueryGroup
from cqa_spark.features.inputs import DumpState
from cqa_spark.features.probe import literal_threads
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.registry import group_class, known_groups

AS_OF = [name for name in known_groups() if group_class(name).is_as_of]
OF_POSTS = ["answer_markup_asof_v1", "answer_standing_asof_v1", "answer_timing_asof_v1", "answer_votes_asof_v1"]
PAGE = Path(__file__).resolve().parents[3] / "docs/preferred-answers.md"


def without(batch: QueryBatch, state: DumpState) -> QueryBatch:
    """The batch as if every post had been edited, or every account deleted."""
    if state is DumpState.EDITS:
        bodies = pa.array(["<p>Not what it was.</p>"] * batch.posts.num_rows)
        return replace(batch, posts=_with(batch.posts, "body", bodies), _shared={})
    nobody = pa.nulls(len(batch), pa.string())
    examples = batch.examples
    for name in ("account", "author_id", "asker_id"):
        examples = _with(examples, name, nobody)
    return replace(batch, examples=examples, _shared={})


def _with(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)


@pytest.mark.parametrize("state", DumpState)
@pytest.mark.parametrize("name", [*OF_POSTS, "basic_a_asof_v1"])
def test_values_depend_on_the_state_of_the_dump_only_if_that_is_declared(name: str, state: DumpState) -> None:
    group = group_class(name)
    assert issubclass(group, QueryGroup)
    of_dump, otherwise = (group().compute(batch) for batch in (literal_threads(), without(literal_threads(), state)))
    changed = any(
        not np.array_equal(np.asarray(of_dump[column], float), np.asarray(otherwise[column], float), equal_nan=True)
        for column in of_dump
    )
    assert changed == (state in group.as_of_dump)


def test_groups_of_authors_know_no_author_whose_account_was_deleted() -> None:
    groups = {name: group_class(name) for name in AS_OF}
    of_authors = {name for name, group in groups.items() if issubclass(group, AuthorGroup)}
    assert of_authors <= {name for name, group in groups.items() if DumpState.DELETED_ACCOUNTS in group.as_of_dump}


@pytest.mark.parametrize(
    ("row", "state"), [("texts and tags", DumpState.EDITS), ("authors", DumpState.DELETED_ACCOUNTS)]
)
def test_the_page_names_all_groups(row: str, state: DumpState) -> None:
    line = re.search(rf"^\| {row}.*\| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert line is not None
    assert {*re.findall(r"`(\w+)`", line[1])} == {name for name in AS_OF if state in group_class(name).as_of_dump}
