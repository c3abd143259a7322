import pytest
from refusals import refusal

from cqa_spark.lake import writing as plain_files
from cqa_spark.object_store.folder import Folder
from cqa_spark.settings.sections import ObjectStorageSettings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_files, "open_store", lambda folder, storage: Folder(str(tmp_path)))
    return tmp_path


@pytest.mark.parametrize(
    ("mark", "is_refused"),
    [(None, True), (b"", True), (b"{}", True), (b'{"committer": "file"}', True), (b'{"committer": "magic"}', False)],
)
def test_what_another_committer_than_the_magic_one_wrote_is_refused(folder, mark, is_refused):
    if mark is not None:
        (folder / "_SUCCESS").write_bytes(mark)
    problem = "s3a://bucket/x was not written by the magic committer; it may be incomplete"
    said = refusal(plain_files.check_committer, "s3a://bucket/x", ObjectStorageSettings())
    assert said == (problem if is_refused else None)
