"""Stored values of feature groups that a run lacks."""

from types import SimpleNamespace
from typing import Any

import pytest

from cqa_spark.errors import InputError
from cqa_spark.features.feature_table import missing_groups, read_values


@pytest.fixture
def run() -> Any:
    """A run with the values of two groups."""
    columns = ["site", "query_id", "candidate_id", "pass_key", "overlap_v1", "q_tags_asof_v1"]
    return SimpleNamespace(
        record=SimpleNamespace(run_id="mine"), has=lambda table: True, stored_columns=lambda table: columns
    )


def test_the_message_names_all_groups_to_compute(run: Any) -> None:
    assert missing_groups(run, ["overlap_v1", "lexicon_v2"]) == {"lexicon_v2"}
    with pytest.raises(InputError, match="run mine has no values of lexicon_v2") as raised:
        read_values(run, ["overlap_v1", "lexicon_v2"])
    assert "cqa featurize --run-id mine --task TASK --groups lexicon_v2 overlap_v1 q_tags_asof_v1" in str(raised.value)
