"""Object storage of another package: one module and its entry point serve the whole package."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqa_spark.commands.known_names import checks
from cqa_spark.corpora.inputs import InputFile, find_inputs
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.object_store import locations
from cqa_spark.object_store.locations import local_source, local_target, require_writable
from cqa_spark.object_store.s3 import credentials
from cqa_spark.object_store.store import OBJECT_STORES, delta_address, delta_options
from cqa_spark.plugins import Registration
from cqa_spark.settings.resolve import resolve
from cqa_spark.settings.sections import JobSettings, ObjectStorageSettings

STORAGE = ObjectStorageSettings()
SHELF = """
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import ObjectStorage


class Drawer:
    def __init__(self, location, folder):
        self.root, self._files = location, Folder(folder)

    def __getattr__(self, name):
        return getattr(self._files, name)


class Shelf(ObjectStorage):
    about = "folders of this machine, by name"
    credentials = ("SHELF_KEY",)

    def open(self, location, settings):
        return Drawer(location, self.delta_address(location))

    def delta_address(self, location):
        return location.replace("shelf://", "{folder}/", 1)

    def delta_options(self, settings):
        return {{"shelf_timeout": str(settings.timeout)}}
"""


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that ``shelf://`` stands for."""
    metadata = tmp_path / "shelves-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shelves\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[cqa_spark.object_stores]\nshelf = shelves:Shelf\n")
    (tmp_path / "shelves.py").write_text(SHELF.format(folder=tmp_path / "shelf"))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "shelf"
    sys.modules.pop("shelves", None)


def test_it_is_listed_with_ours() -> None:
    assert OBJECT_STORES.names() == ("s3", "s3a", "shelf")
    assert OBJECT_STORES.registration("shelf") == Registration("shelf", "shelves:Shelf", "shelves 1.0")


def test_settings_accept_its_addresses_and_refuse_those_of_no_storage() -> None:
    settings = resolve("cqa test", JobSettings, ["--lake", "shelf://a/lake"], checks()).settings
    assert settings.lake == "shelf://a/lake"
    with pytest.raises(ConfigError, match="gs:// is not supported storage"):
        resolve("cqa test", JobSettings, ["--lake", "gs://a/lake"], checks())


def test_files_are_sent_found_read_and_fetched(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "Posts.xml").write_bytes(b"<posts/>")
    locations.send(tmp_path / "Posts.xml", "shelf://a/dump/Posts.xml", STORAGE)
    assert (shelf / "a/dump/Posts.xml").read_bytes() == b"<posts/>"
    [found] = locations.find_files("shelf://a/dump", STORAGE)
    assert (found.location, found.size) == ("shelf://a/dump/Posts.xml", 8)
    assert find_inputs(["shelf://a/dump"], "test") == [InputFile("shelf://a/dump/Posts.xml", "test", 8)]
    assert locations.open_file(found.location, STORAGE, 1).read() == b"posts/>"
    locations.fetch("shelf://a/dump", tmp_path / "copy", STORAGE)
    assert (tmp_path / "copy/Posts.xml").read_bytes() == b"<posts/>"
    with local_target("shelf://a/new.txt", STORAGE) as target:
        target.write_text("new")
    with local_source("shelf://a/new.txt", STORAGE) as source:
        assert source.read_text() == "new"
    require_writable("shelf://a/lake", STORAGE)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"there is no .*a/y"):
        locations.open_file("shelf://a/y", STORAGE)
    with pytest.raises(InputError, match=r"there is no .*a/y"):
        locations.fetch("shelf://a/y", Path("y"), STORAGE)


def test_other_programs_get_its_addresses_options_and_credentials(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert delta_address("shelf://a/lake") == f"{shelf}/a/lake"
    assert delta_options("shelf://a/lake", STORAGE) == {"shelf_timeout": "60"}
    assert (delta_address("/a/lake"), delta_options("/a/lake", STORAGE)) == ("/a/lake", {})
    monkeypatch.setenv("SHELF_KEY", "k")
    assert credentials()["SHELF_KEY"] == "k"
