"""Rows of sites are brought together, wherever batches end; the settings say how related questions are judged."""

import pyarrow as pa
import pytest

from cqa_spark.settings.findings import MOST_EMBEDDED, FindingSettings
from cqa_spark.steps import find
from cqa_spark.steps.find import EmbedQuestions, Find, finding_steps, groups_by_site


def batch(*sites: str) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"site": list(sites), "row": list(range(len(sites)))})


@pytest.mark.parametrize(
    "batches",
    [
        [batch("a", "a", "b"), batch("b", "c")],
        [batch("a"), batch("a"), batch("b"), batch("b"), batch("c")],
        [batch("a", "a", "b", "b", "c")],
    ],
)
def test_sites_are_whole_wherever_batches_end(batches: list[pa.RecordBatch]) -> None:
    tables = groups_by_site(batches, ["site"])
    assert [(site, rows.num_rows) for site, rows in tables] == [("a", 2), ("b", 2), ("c", 1)]


def test_a_large_site_has_tables_of_whole_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_BYTES", 1)
    rows = pa.RecordBatch.from_pydict({"site": ["a", "a", "a", "b"], "thread_id": ["1", "2", "2", "2"]})
    tables = groups_by_site([rows.slice(0, 2), rows.slice(2)], ["site", "thread_id"])
    assert [(site, part["thread_id"].to_pylist()) for site, part in tables] == [
        ("a", ["1"]), ("a", ["2", "2"]), ("b", ["2"]),
    ]  # fmt: skip


def test_no_rows_are_no_sites() -> None:
    assert [*groups_by_site([], ["site"])] == []


@pytest.mark.parametrize(("related", "embedded"), [("words", []), ("text", [None]), (None, [MOST_EMBEDDED])])
def test_the_settings_choose_what_is_embedded(related: str | None, embedded: list[int | None]) -> None:
    *vectors, last = finding_steps(FindingSettings(related=related), None)
    assert [step.most for step in vectors if isinstance(step, EmbedQuestions)] == embedded
    assert isinstance(last, Find)
