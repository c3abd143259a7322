"""Which sites can be searched on the page of a lake."""

from cqa_spark.steps.lake_page import smallest


def test_the_smallest_sites_are_searched_up_to_the_limit() -> None:
    rows = {"a": 40, "b": 10, "c": 30, "d": 30}
    assert smallest(rows, 70) == {"b", "c", "d"}
    assert smallest(rows, 69) == {"b", "c"}
    assert smallest(rows, 9) == set()
    assert smallest(rows, 110) == rows.keys()
