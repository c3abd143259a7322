from __future__ import annotations

import pytest

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import ContractError
from cqa_spark.lake import plain_files
from cqa_spark.object_store.folder import Folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_files, "open_store", lambda folder, storage: Folder(str(tmp_path)))
    return tmp_path


@pytest.mark.parametrize("mark", [None, b"", b"{}", b'{"committer": "file"}'])
def test_what_another_committer_wrote_is_refused(folder, mark):
    if mark is not None:
        (folder / "_SUCCESS").write_bytes(mark)
    with pytest.raises(ContractError, match="not written by the magic committer"):
        plain_files.check_committer("s3a://bucket/x", ObjectStorageSettings())


def test_what_the_magic_committer_wrote_is_taken(folder):
    (folder / "_SUCCESS").write_bytes(b'{"committer": "magic"}')
    plain_files.check_committer("s3a://bucket/x", ObjectStorageSettings())
