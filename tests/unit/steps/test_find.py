"""Rows of sites are brought together, wherever batches end; the settings say how related questions are judged."""

import pyarrow as pa
import pytest

from cqa_spark.settings.findings import MOST_EMBEDDED, FindingSettings
from cqa_spark.steps.find import EmbedQuestions, Find, finding_steps, site_tables


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
    assert [(site, rows.num_rows) for site, rows in site_tables(batches)] == [("a", 2), ("b", 2), ("c", 1)]


def test_no_rows_are_no_sites() -> None:
    assert [*site_tables([])] == []


@pytest.mark.parametrize(("related", "embedded"), [("words", []), ("text", [None]), (None, [MOST_EMBEDDED])])
def test_the_settings_choose_what_is_embedded(related: str | None, embedded: list[int | None]) -> None:
    *vectors, find = finding_steps(FindingSettings(related=related), None)
    assert [step.most for step in vectors if isinstance(step, EmbedQuestions)] == embedded
    assert isinstance(find, Find)
