"""What is declared about the files of a dump."""

from __future__ import annotations

import pytest

from cqa_spark.corpora.stackexchange.dump_tables import DUMP_TABLES, DumpTable
from cqa_spark.features.changed_rows import READ


@pytest.mark.parametrize("dump", DUMP_TABLES, ids=lambda dump: dump.file)
def test_what_a_night_does_not_read_again_no_as_of_feature_reads(dump: DumpTable) -> None:
    counters = {dump.attributes[counter] for counter in dump.counters}
    assert counters.isdisjoint(READ.get(dump.table, ()))
    assert counters.isdisjoint(dump.table.key)
