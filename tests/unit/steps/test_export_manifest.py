"""The manifest that exports share: of other programs it is refused, and a later publication is never replaced."""

import json
from pathlib import Path
from typing import Any

import pytest
from refusals import refusal

from cqa_spark.errors import AnotherWriter, ContractError, InputError
from cqa_spark.object_store.folder import Folder
from cqa_spark.steps.export_manifest import MANIFEST, ExportedFile, ExportManifest, ExportTarget
from cqa_spark.steps.export_rankings import require_every_row

RUN = {"run_id": "r1", "publication": 4, "recorded_at": "2026-01-01", "system": "s", "format": "csv", "files": []}


def manifest(run_id: str, number: int, digit: str) -> ExportManifest:
    folder = f"{run_id}-{digit * 8}"
    file = {"path": f"{folder}/site=a/part-0.csv", "site": "a", "rows": 1, "bytes": 4, "sha256": "0" * 64}
    return ExportManifest.model_validate(
        {**RUN, "run_id": run_id, "publication": number, "folder": folder, "files": [file]}
    )


def write_files(root: Path, exported: ExportManifest) -> None:
    for file in exported.files:
        (root / file.path).parent.mkdir(parents=True)
        (root / file.path).write_text("rows")


def export(root: Path, exported: ExportManifest) -> None:
    target = ExportTarget(Folder(str(root)))
    write_files(root, exported)
    target.replace(exported)


def contents(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


@pytest.mark.parametrize(
    "content",
    [
        "garbage",
        "[1, 2]",
        "{}",
        '{"folder": "important", "version": 3}',
        *[
            json.dumps({**RUN, "folder": "r1-00000000", **wrong})
            for wrong in (
                {"folder": "important"},
                {"folder": "r2-00000000"},
                {"folder": "../r1-00000000"},
                {"replaced_folder": "important"},
                {"replaced_folder": "a/r0-00000000"},
                {"replaced_folder": 7},
                {"version": 3},
                {"files": [{"path": "thesis.txt", "site": "a", "rows": 1, "bytes": 1, "sha256": ""}]},
            )
        ],
    ],
)
def test_the_manifest_of_another_program_is_refused_and_nothing_is_deleted(tmp_path: Path, content: str) -> None:
    (tmp_path / "important").mkdir()
    (tmp_path / "important" / "thesis.txt").write_text("x")
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(InputError) as refused:
        ExportTarget(Folder(str(tmp_path)))
    assert refused.value.remedy == "name another folder: --output, or move that file away"
    assert (tmp_path / "important" / "thesis.txt").exists()
    assert (tmp_path / MANIFEST).read_text() == content


def test_the_files_of_the_export_before_last_go_with_their_folder(tmp_path: Path) -> None:
    exports = [manifest("r1", 1, "a"), manifest("r2", 2, "b"), manifest("r3", 3, "c")]
    expected: list[list[str]] = [["r1-aaaaaaaa"], ["r1-aaaaaaaa", "r2-bbbbbbbb"], ["r2-bbbbbbbb", "r3-cccccccc"]]
    for exported, folders in zip(exports, expected, strict=True):
        export(tmp_path, exported)
        assert contents(tmp_path) == [MANIFEST, *folders]
    stored: dict[str, Any] = json.loads((tmp_path / MANIFEST).read_text())
    assert (stored["folder"], stored["replaced_folder"]) == ("r3-cccccccc", "r2-bbbbbbbb")


def test_a_paused_export_does_not_replace_one_of_a_later_publication(tmp_path: Path) -> None:
    paused, later = manifest("r1", 4, "a"), manifest("r2", 9, "b")
    target = ExportTarget(Folder(str(tmp_path)))
    write_files(tmp_path, paused)
    export(tmp_path, later)
    with pytest.raises(AnotherWriter):
        target.replace(paused)
    assert contents(tmp_path) == [MANIFEST, "r2-bbbbbbbb"]
    assert json.loads((tmp_path / MANIFEST).read_text())["run_id"] == "r2"


def test_a_paused_export_replaces_one_of_an_earlier_publication(tmp_path: Path) -> None:
    paused, earlier = manifest("r2", 9, "b"), manifest("r1", 4, "a")
    target = ExportTarget(Folder(str(tmp_path)))
    write_files(tmp_path, paused)
    export(tmp_path, earlier)
    target.replace(paused)
    stored = json.loads((tmp_path / MANIFEST).read_text())
    assert (stored["run_id"], stored["replaced_folder"]) == ("r2", "r1-aaaaaaaa")


def test_only_an_earlier_publication_than_that_of_the_folder_is_refused_at_the_start(tmp_path: Path) -> None:
    export(tmp_path, manifest("r2", 9, "b"))
    target = ExportTarget(Folder(str(tmp_path)))
    for number in (9, 10):
        target.refuse_older("r1", number)
    with pytest.raises(InputError):
        target.refuse_older("r1", 8)


def begin(root: Path, exported: ExportManifest) -> ExportTarget:
    target = ExportTarget(Folder(str(root)))
    target.begin(exported.folder, exported.publication)
    write_files(root, exported)
    return target


def test_the_files_of_a_killed_export_go_with_the_next_one_of_a_later_publication(tmp_path: Path) -> None:
    begin(tmp_path, manifest("r1", 4, "a"))
    (tmp_path / "r1-ffffffff").mkdir()
    (tmp_path / "r1-ffffffff" / "thesis.txt").write_text("of another program, by chance")
    retried, later = manifest("r1", 4, "b"), manifest("r2", 9, "c")
    begin(tmp_path, retried).replace(retried)
    assert contents(tmp_path) == [MANIFEST, "r1-aaaaaaaa", "r1-bbbbbbbb", "r1-ffffffff"]
    begin(tmp_path, later).replace(later)
    assert contents(tmp_path) == [MANIFEST, "r1-bbbbbbbb", "r1-ffffffff", "r2-cccccccc"]
    assert [path.name for path in (tmp_path / later.folder).iterdir()] == ["site=a"]


def test_an_export_that_may_still_replace_the_manifest_keeps_its_files(tmp_path: Path) -> None:
    """One of a later publication, and one of the same; an earlier one has lost, and deletes what it still writes."""
    exports = [manifest("r1", 4, "a"), manifest("r2", 9, "b"), manifest("r3", 12, "c"), manifest("r2", 9, "d")]
    earlier, same, later, first = [(exported, begin(tmp_path, exported)) for exported in exports]
    first[1].replace(first[0])
    assert contents(tmp_path) == [MANIFEST, "r2-bbbbbbbb", "r2-dddddddd", "r3-cccccccc"]
    write_files(tmp_path, earlier[0])
    with pytest.raises(AnotherWriter):
        earlier[1].replace(earlier[0])
    same[1].replace(same[0])
    later[1].replace(later[0])
    assert contents(tmp_path) == [MANIFEST, "r2-bbbbbbbb", "r3-cccccccc"]
    stored = json.loads((tmp_path / MANIFEST).read_text())
    assert (stored["folder"], stored["replaced_folder"]) == ("r3-cccccccc", "r2-bbbbbbbb")


# Whether an export holds the rows that are served.


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
