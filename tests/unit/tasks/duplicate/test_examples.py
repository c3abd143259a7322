"""Links of duplicates, closed transitively."""

import pyarrow as pa

from cqa_spark.tasks.duplicate.examples import component_batches


def test_links_join_questions_in_either_direction_and_sites_stay_apart() -> None:
    links = [("a", "3", "1"), ("a", "3", "2"), ("a", "9", "8"), ("b", "3", "8")]
    columns = [pa.array(column) for column in zip(*links, strict=True)]
    batch = pa.RecordBatch.from_arrays(columns, names=["site", "query_id", "candidate_id"])
    rows = [row for found in component_batches([batch]) for row in found.to_pylist()]
    by_component: dict[tuple[str, int], set[str]] = {}
    for row in rows:
        by_component.setdefault((row["site"], row["component"]), set()).add(row["post_id"])
    assert sorted(map(sorted, by_component.values())) == [["1", "2", "3"], ["3", "8"], ["8", "9"]]
    assert list(component_batches([])) == []
