"""The files of a table: which ones a run keeps, and what tells the rows of a site apart."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.lake.table import NO_FILES, DataFile, TableFiles, fingerprint_of

SITES = st.sampled_from(["a", "b", "c", "it's=here/ü%"])
CHOSEN = st.sets(SITES)
FILES = st.builds(
    lambda path, rows, site: DataFile(path, 10 * rows, rows, {"site": site}),
    st.uuids().map(str),
    st.integers(1, 9),
    SITES,
)
TABLE_FILES = st.builds(
    TableFiles,
    st.just(("site", "score")),
    st.lists(FILES, max_size=6).map(tuple),
    st.dictionaries(SITES, st.text("0123456789abcdef", min_size=1, max_size=3), max_size=3),
)


def file(path: str, site: str | None, rows: int = 1, **nulls: int) -> DataFile:
    return DataFile(path, 10 * rows, rows, {"site": site}, nulls)


@given(TABLE_FILES, CHOSEN)
def test_without_some_sites_all_others_stay_as_they_are(files: TableFiles, chosen: set[str]) -> None:
    left = files.without(chosen)
    assert left.sites == files.sites - chosen
    assert [each for each in files.files if each.site not in chosen] == list(left.files)
    assert all(left.fingerprint(site) == files.fingerprint(site) for site in files.sites - chosen)
    assert left.rows == files.rows - sum(files.rows_by_site()[site] for site in chosen)


@given(TABLE_FILES, TABLE_FILES)
def test_united_files_have_the_rows_of_both(files: TableFiles, other: TableFiles) -> None:
    both = files.united(other)
    assert both.rows_by_site() == files.rows_by_site() + other.rows_by_site()
    assert both.sites == files.sites | other.sites
    assert all(both.fingerprint(site) == files.fingerprint(site) for site in files.sites - other.sites)


@given(TABLE_FILES, TABLE_FILES)
def test_replaced_sites_have_what_the_new_files_have(base: TableFiles, new: TableFiles) -> None:
    replaced = base.without(new.sites).united(new)
    assert all(replaced.fingerprint(site) == new.fingerprint(site) for site in new.sites)
    assert {site: replaced.rows_by_site()[site] for site in new.sites} == {
        site: new.rows_by_site()[site] for site in new.sites
    }


@given(TABLE_FILES)
def test_no_files_change_nothing(files: TableFiles) -> None:
    assert files.united(NO_FILES) == files == files.without([])
    assert NO_FILES.united(files) == files


@given(TABLE_FILES, st.randoms(use_true_random=False))
def test_the_order_of_files_is_no_part_of_a_fingerprint(files: TableFiles, random: Random) -> None:
    shuffled = list(files.files)
    random.shuffle(shuffled)
    other = replace(files, files=tuple(shuffled))
    assert [files.fingerprint(site) for site in "abc"] == [other.fingerprint(site) for site in "abc"]


@given(st.lists(st.text()), st.lists(st.text()))
def test_different_texts_have_different_fingerprints(texts: list[str], others: list[str]) -> None:
    assert (fingerprint_of(*texts) == fingerprint_of(*others)) == (texts == others)


def test_rows_that_are_appended_to_a_site_lose_its_fingerprint() -> None:
    signed = TableFiles(("site",), (file("one", "a"),), {"a": "f1", "b": "f2"})
    appended = signed.united(TableFiles(("site",), (file("two", "a"),)))
    assert appended.fingerprints == {"b": "f2"}
    assert appended.fingerprint("a") == fingerprint_of("one", "two")
    assert appended.with_fingerprints({"a": "f3"}).fingerprints == {"a": "f3", "b": "f2"}


def test_counts_of_rows_and_nulls() -> None:
    files = TableFiles(
        ("post_id", "score", "tags"),
        (file("one", "a", 3, post_id=0, score=1), file("two", "b", 1, post_id=0, score=1)),
    )
    assert (files.rows, files.rows_by_site()) == (4, Counter(a=3, b=1))
    assert files.null_shares() == {"post_id": 0.0, "score": 0.5}
    assert NO_FILES.null_shares() == {}


def test_a_column_that_older_files_lack_comes_last() -> None:
    older = TableFiles(("site", "score"), (file("one", "a"),))
    assert older.united(TableFiles(("judge", "site"), (file("two", "b"),))).columns == ("site", "score", "judge")


@pytest.mark.parametrize("values", [{}, {"site": None}], ids=["undivided", "null"])
def test_a_file_without_a_site(values: dict[str, str | None]) -> None:
    files = TableFiles(("score",), (DataFile("one", 10, 2, values),))
    assert (files.sites, files.rows_by_site()) == (set(), Counter({"": 2}))
    assert files.without(["a"]) == files
