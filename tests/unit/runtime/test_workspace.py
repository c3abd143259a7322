"""The code version: a hash of the package's sources, wherever they lie."""

import shutil
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

import cqa_spark
from cqa_spark.runtime.workspace import code_version, package_version, sources_hash

SOURCES = {"__init__.py": b"", "lake/run.py": b"run = 1\n", "lake.py": b"lake = 2\n"}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, content in SOURCES.items():
        (tmp_path / "package" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "package" / name).write_bytes(content)
    return tmp_path / "package"


def test_the_hash_is_that_of_paths_and_bytes_in_the_order_of_the_paths(package: Path) -> None:
    listed = b"".join(name.encode() + b"\0" + sha256(SOURCES[name]).digest() for name in sorted(SOURCES))
    assert sources_hash(package) == sha256(listed).hexdigest()


@pytest.mark.parametrize(("name", "content"), [("lake/run.py", b"run = 2\n"), ("lake/new.py", b"")])
def test_an_edited_or_new_module_is_another_version(package: Path, name: str, content: bytes) -> None:
    before = sources_hash(package)
    (package / name).write_bytes(content)
    assert sources_hash(package) != before


def test_a_renamed_module_is_another_version(package: Path) -> None:
    before = sources_hash(package)
    (package / "lake.py").rename(package / "lakes.py")
    assert sources_hash(package) != before


@pytest.mark.parametrize("name", ["conf/base.yaml", "jobs/cqa.py", "lake/__pycache__/run.cpython-311.pyc", ".run.swp"])
def test_what_a_wheel_or_python_adds_is_no_part_of_it(package: Path, name: str) -> None:
    before = sources_hash(package)
    (package / name).parent.mkdir(parents=True, exist_ok=True)
    (package / name).write_bytes(b"x")
    assert sources_hash(package) == before


def test_a_zip_file_has_the_hash_of_its_folder(package: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "package"), "zip", tmp_path, "package")
    assert sources_hash(zipfile.Path(archive, "package/")) == sources_hash(package)


def test_the_version_is_that_of_the_imported_package_in_whatever_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    package_version.cache_clear()
    expected = sources_hash(Path(str(sys.modules["cqa_spark"].__file__)).parent)
    assert code_version() == f"{cqa_spark.__version__}+{expected[:12]}"
