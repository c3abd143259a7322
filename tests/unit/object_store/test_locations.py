import os
import pickle
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from fake_bucket import FakeClient, bucket
from pyspark import cloudpickle

from cqa_spark.commands.jobs import checks, job_settings
from cqa_spark.corpora.inputs import InputFile, find_inputs
from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError
from cqa_spark.object_store import locations
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.locations import local_source, local_target, open_store, require_writable
from cqa_spark.object_store.store import OBJECT_STORES, delta_address, delta_options
from cqa_spark.plugins import Registration
from cqa_spark.settings.resolve import resolve
from cqa_spark.settings.sections import JobSettings, ObjectStorageSettings

STORAGE = ObjectStorageSettings()
FILES = ("dumps/a.example.org/Posts.xml", "dumps/a.example.org/Users.xml", "dumps/b.example.org.7z", "other.xml")


@pytest.mark.parametrize(
    ("location", "parts"),
    [
        ("a/b/c", ("a/b", "c")),
        ("c", (".", "c")),
        ("/c", ("/", "c")),
        ("a/b/", ("a", "b")),
        ("s3a://bucket/a/b", ("s3a://bucket/a", "b")),
        ("s3a://bucket/a", ("s3a://bucket", "a")),
        ("s3a://bucket", ("s3a://bucket", "")),
    ],
)
def test_a_location_has_a_folder_and_a_name(location: str, parts: tuple[str, str]) -> None:
    assert locations.split(location) == parts


def test_a_local_file_and_its_folder_are_made(tmp_path: Path) -> None:
    locations.write_file(f"{tmp_path}/new/page.html", b"<html>", STORAGE)
    assert (tmp_path / "new/page.html").read_bytes() == b"<html>"


def test_a_local_file_is_read_and_written_where_it_lies(tmp_path: Path) -> None:
    with locations.local_source(f"{tmp_path}/a", STORAGE) as source, locations.local_target("b", STORAGE) as target:
        assert (source, target) == (tmp_path / "a", Path("b"))


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EnvironmentProblem, match="cannot write"):
        locations.require_writable(str(tmp_path / "file" / "lake"), STORAGE)
    locations.require_writable(str(tmp_path / "lake"), STORAGE)
    assert list((tmp_path / "lake").iterdir()) == []


def test_only_folders_and_buckets_hold_objects() -> None:
    assert isinstance(open_store("file:///tmp/x"), Folder)
    with pytest.raises(ConfigError, match="swift:// is not supported storage"):
        open_store("swift://host/x")


def test_addresses_are_taken_as_hadoop_takes_them() -> None:
    """A table would else lie elsewhere than the small objects of its lake."""
    for name in ("my lake", "100%25", "a%20b", "a?b", "a#b"):
        assert open_store(f"s3a://bucket/{name}/lake").root == f"s3a://bucket/{name}/lake"
        assert open_store(f"file:///tmp/{name}").root == f"/tmp/{name}"
    assert open_store("s3a://bucket").root == "s3a://bucket"


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    client = FakeClient()
    client.objects = {f"pre/fix/{name}": name.encode() for name in FILES}
    monkeypatch.setattr(locations, "open_store", lambda folder, _: bucket(client, prefix=folder.partition("t/")[2]))
    return client


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("other.xml", FILES[3:]),
        ("dumps", FILES[:3]),
        ("dumps/", FILES[:3]),
        ("dump", ()),
        ("dumps/*.7z", FILES[2:3]),
        ("dumps/*/*.xml", FILES[:2]),
        ("dumps/?.example.org/Posts.xml", FILES[:1]),
        ("*.xml", FILES[3:]),
    ],
)
def test_files_are_found_by_name_folder_and_pattern(client: FakeClient, named: str, found: tuple[str, ...]) -> None:
    files = locations.find_files(f"s3a://bucket/pre/fix/{named}", STORAGE)
    assert [each.location for each in files] == [f"s3a://bucket/pre/fix/{name}" for name in found]
    assert [each.size for each in files] == [len(name) for name in found]


def test_a_folder_is_copied_both_ways(client: FakeClient, tmp_path: Path) -> None:
    locations.fetch("s3a://bucket/pre/fix/dumps", tmp_path / "here", STORAGE)
    assert (tmp_path / "here/a.example.org/Posts.xml").read_bytes() == FILES[0].encode()
    locations.send(tmp_path / "here", "s3a://bucket/pre/fix/back", STORAGE)
    assert client.objects["pre/fix/back/b.example.org.7z"] == FILES[2].encode()


def test_a_download_goes_on_where_it_broke(client: FakeClient, tmp_path: Path) -> None:
    client.break_after = 5
    locations.fetch("s3a://bucket/pre/fix/other.xml", tmp_path / "copy", STORAGE)
    assert (tmp_path / "copy").read_bytes() == b"other.xml"


def test_a_file_that_is_not_there(client: FakeClient, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no s3a://bucket/pre/fix/none"):
        locations.fetch("s3a://bucket/pre/fix/none", tmp_path / "copy", STORAGE)
    assert [path for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_one_copy_is_kept_of_each_version(client: FakeClient, tmp_path: Path) -> None:
    location = "s3a://bucket/pre/fix/other.xml"
    first = locations.fetch_once(location, tmp_path, STORAGE)
    assert locations.fetch_once(location, tmp_path, STORAGE) == first
    assert sum(each.startswith("get") for each in client.requests) == 1
    client.objects["pre/fix/other.xml"] = b"new"
    assert locations.fetch_once(location, tmp_path, STORAGE).read_bytes() == b"new"


# Object storage of another package: one module and its entry point serve the whole package.

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
    assert OBJECT_STORES.names() == ("az", "gs", "hdfs", "s3", "s3a", "shelf")
    assert OBJECT_STORES.registration("shelf") == Registration("shelf", "shelves:Shelf", "shelves 1.0")


def test_settings_accept_its_addresses_and_refuse_those_of_no_storage() -> None:
    settings = resolve("cqa test", JobSettings, ["--lake", "shelf://a/lake"], checks(), job_settings).settings
    assert settings.lake == "shelf://a/lake"
    with pytest.raises(ConfigError, match="swift:// is not supported storage"):
        resolve("cqa test", JobSettings, ["--lake", "swift://a/lake"], checks(), job_settings)


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


def test_other_programs_get_its_addresses_and_options(shelf: Path) -> None:
    assert delta_address("shelf://a/lake") == f"{shelf}/a/lake"
    assert delta_options("shelf://a/lake", STORAGE) == {"shelf_timeout": "60"}
    assert (delta_address("/a/lake"), delta_options("/a/lake", STORAGE)) == ("/a/lake", {})


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_settings_bring_credentials_to_tasks(pickler: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they are an argument of a task, which Spark pickles."""
    settings = ObjectStorageSettings(attempts=2)
    monkeypatch.setenv("SHELF_KEY", "k")
    pickled = pickler.dumps(partial(open_store, "shelf://a", settings))
    monkeypatch.delenv("SHELF_KEY")
    assert pickle.loads(pickled).args[1] == settings
    assert os.environ["SHELF_KEY"] == "k"
