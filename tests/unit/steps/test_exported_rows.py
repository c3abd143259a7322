"""Whether an export holds the rows that are served."""

import pytest
from refusals import refusal

from cqa_spark.errors import ContractError
from cqa_spark.steps.export_manifest import ExportedFile
from cqa_spark.steps.export_rankings import require_every_row


def file(site: str, rows: int) -> ExportedFile:
    return ExportedFile(path="r1/file", site=site, rows=rows, bytes=10, sha256="0" * 64)


WHOLE = [file("a", 2), file("a", 1)]


def test_the_rows_of_a_site_may_lie_in_several_files_and_no_rows_need_none() -> None:
    assert refusal(require_every_row, WHOLE, {"a": 3}, "r1") is None
    assert refusal(require_every_row, [], {}, "r1") is None


@pytest.mark.parametrize(
    ("files", "served", "problem"),
    [
        (WHOLE[1:], {"a": 3}, "1 of 3 rows of site 'a'"),
        ([], {"a": 3}, "0 of 3 rows of site 'a'"),
        ([*WHOLE, file("a", 1)], {"a": 3}, "4 of 3 rows of site 'a'"),
        (WHOLE, {"a": 3, "it's": 1}, '0 of 1 rows of site "it\'s"'),
        ([*WHOLE, file("b", 1)], {"a": 3}, "1 of 0 rows of site 'b'"),
    ],
)
def test_rows_that_lack_or_are_too_many_are_named(
    files: list[ExportedFile], served: dict[str, int], problem: str
) -> None:
    with pytest.raises(ContractError) as refused:
        require_every_row(files, served, "r1")
    assert refused.value.problem == f"the export of run r1 is incomplete: {problem}"
    assert refused.value.exit_code == 5
