import pytest

from cqa_spark.corpora.accounting import Totals, check_accounting
from cqa_spark.errors import ContractError
from cqa_spark.lake.journal import Entry


def account(source_file: str, rows_in: int, rows_out: int, rows_quarantined: int) -> Entry:
    return {"source_file": source_file, "rows_in": rows_in, "rows_out": rows_out, "rows_quarantined": rows_quarantined}


def test_an_account_that_does_not_add_up_is_refused_and_the_file_is_named() -> None:
    with pytest.raises(ContractError) as refused:
        check_accounting([account("c.xml", 1, 1, 1), account("a.xml", 3, 2, 1), account("b.xml", 5, 3, 1)])
    assert refused.value.problem == (
        "record counts disagree: b.xml: 5 in, 3 out, 1 quarantined, 0 forgotten; "
        "c.xml: 1 in, 1 out, 1 quarantined, 0 forgotten"
    )


def test_the_counts_of_all_files_are_added_up() -> None:
    assert check_accounting([account("a.xml", 3, 2, 1), account("b.xml", 4, 4, 0)]) == Totals(7, 6, 1)
    assert check_accounting([]) == Totals(0, 0, 0)


def test_forgotten_records_count() -> None:
    assert check_accounting([account("a.xml", 5, 2, 1) | {"rows_forgotten": 2}]) == Totals(5, 2, 1)
    with pytest.raises(ContractError, match=r"a\.xml: 5 in, 2 out, 1 quarantined, 1 forgotten"):
        check_accounting([account("a.xml", 5, 2, 1) | {"rows_forgotten": 1}])
