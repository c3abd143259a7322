import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cqa_spark.corpora.inputs import find_inputs, matching_paths
from cqa_spark.corpora.stackexchange.dump_files import (
    DumpFile,
    find_archives,
    find_dump_files,
    is_archive,
    of_archive,
    rounds,
    site_of,
)
from cqa_spark.corpora.stackexchange.tables import BY_FILE
from cqa_spark.corpora.tables_conversion import locate, tables_at
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings


def make(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def found(*paths: Path, site: str | None = None) -> list[tuple[str, str, str, bool]]:
    """Site, table, name and whether it is packed, of every file that was found."""
    files = find_dump_files([str(path) for path in paths], site)
    return [(each.site, each.dump_table.file, Path(each.path).name, bool(each.packing)) for each in files]


@pytest.mark.parametrize("table", [each.file for each in BY_FILE.values()])
def test_a_file_is_of_the_table_that_it_is_named_after(tmp_path: Path, table: str) -> None:
    folder = make(tmp_path / "beer.example.org", f"{table}.xml")
    assert found(folder) == [("beer.example.org", table, f"{table}.xml", False)]


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("posts.xml", False),
        ("POSTS.XML", False),
        ("Posts.xml.gz", True),
        ("posts.xml.BZ2", True),
        ("POSTS.XML.ZST", True),
    ],
)
def test_spellings_of_a_name(tmp_path: Path, name: str, packed: bool) -> None:
    assert found(make(tmp_path / "beer.example.org", name)) == [("beer.example.org", "Posts", name, packed)]


def test_other_files_in_a_folder_are_left_alone(tmp_path: Path) -> None:
    others = ["readme.txt", "Posts.xsd", "Posts.xml.bak", "OldPosts.xml", "Sites.xml", "._Posts.xml", "_Posts.xml"]
    folder = make(tmp_path / "beer.example.org", "Tags.xml", *others)
    assert found(folder) == [("beer.example.org", "Tags", "Tags.xml", False)]


@pytest.mark.parametrize(
    ("path", "site"),
    [
        ("beer.example.org/Posts.xml", "beer.example.org"),
        ("beer.example.org/2016-09/Posts.xml", "beer.example.org"),
        ("example.org/beer.meta.example.org/Posts.xml", "beer.meta.example.org"),
        ("dumps/beer/Posts.xml", "beer"),
        ("it's 100% [new]/Posts.xml", "it's 100% [new]"),
        ("v1.2/Posts.xml", "v1.2"),
        ("beer.example.org/v2/2016-09/Posts.xml", "beer.example.org"),
        ("beer.example.org/PostsWithDeleted.xml", "beer.example.org"),
    ],
)
def test_the_site_is_in_the_path(tmp_path: Path, path: str, site: str) -> None:
    make(tmp_path, path)
    assert [each[0] for each in found(tmp_path / path)] == [site]
    assert [each[0] for each in found(tmp_path)] == [site]


@pytest.mark.parametrize("host", ["j.doe", "v1.final", "2024.backup", "beer.example.org"])
@pytest.mark.parametrize("folders", ["garden", "dumps/garden", "2016-09/garden", "garden/2016-09"])
def test_a_folder_above_others_names_no_site(tmp_path: Path, host: str, folders: str) -> None:
    folder = make(tmp_path / host / folders, "Posts.xml")
    with pytest.raises(InputError, match=rf"its site may be (garden|dumps) or {host}") as refused:
        find_dump_files([str(tmp_path)])
    assert "--site" in refused.value.remedy
    assert found(folder, site="garden") == [("garden", "Posts", "Posts.xml", False)]


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("s3a://my.bucket/dumps/garden/Posts.xml", "garden"),
        ("s3a://my.bucket/beer.example.org/2016-09/Posts.xml", "beer.example.org"),
        ("s3a://beer.example.org/2016-09/Posts.xml", "beer.example.org"),
    ],
)
def test_the_site_of_a_file_in_a_bucket(address: str, site: str) -> None:
    assert site_of(address) == site


def test_the_site_is_what_the_user_says(tmp_path: Path) -> None:
    make(tmp_path, "beer.example.org/Posts.xml")
    assert [each[0] for each in found(tmp_path, site="ale.example.org")] == ["ale.example.org"]


def test_the_order_is_by_site_dump_and_table(tmp_path: Path) -> None:
    names = [
        "b.example.org/Users.xml",
        "b.example.org/Posts.xml",
        "a.example.org/2/Posts.xml",
        "a.example.org/1/Users.xml",
    ]
    make(tmp_path, *names)
    files = find_dump_files([str(tmp_path / name) for name in names])
    assert [os.path.relpath(each.path, tmp_path) for each in files] == [names[3], names[2], names[1], names[0]]


def test_paths_that_do_not_exist(tmp_path: Path) -> None:
    for search in (find_dump_files, find_archives):
        with pytest.raises(InputError, match=r"no such file or folder: .*absent"):
            search([str(tmp_path / "absent")])


def test_a_folder_without_a_dump(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        find_dump_files([str(make(tmp_path, "readme.txt"))])
    assert "no file of a Stack Exchange dump in" in refused.value.problem
    assert "Posts.xml, Users.xml, Comments.xml" in refused.value.remedy


def test_a_folder_of_archives_alone_is_no_mistake(tmp_path: Path) -> None:
    make(tmp_path, "beer.example.org.7z")
    assert find_dump_files([str(tmp_path)]) == []
    assert find_archives([str(tmp_path)]) == [str(tmp_path / "beer.example.org.7z")]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("beer.example.org.tar.gz", "tar -xf"),
        ("beer.example.org.TGZ", "tar -xf"),
        ("beer.example.org.tar", "tar -xf"),
        ("beer.example.org.7z.001", "7z x"),
        ("beer.example.org.zip.001", "7z x"),
        ("beer.example.org.rar", "7z x"),
    ],
)
def test_archives_that_are_not_read(tmp_path: Path, name: str, command: str) -> None:
    make(tmp_path, name, "ale.example.org/Posts.xml")
    for given in (tmp_path, tmp_path / name):
        with pytest.raises(InputError, match=r"is an archive that is not read; \.7z and \.zip are") as refused:
            find_dump_files([str(given)])
        assert f"{command} {tmp_path / name}" in refused.value.remedy


def test_the_file_with_deleted_posts_takes_the_place_of_posts(tmp_path: Path) -> None:
    folder = make(tmp_path / "beer.example.org", "PostsWithDeleted.xml", "Users.xml")
    assert found(folder) == [("beer.example.org", "Posts", "PostsWithDeleted.xml", False),
                             ("beer.example.org", "Users", "Users.xml", False)]  # fmt: skip
    (unpacked,) = of_archive([str(folder / "PostsWithDeleted.xml")], "beer.example.org.7z")
    assert unpacked.dump_table.file == "Posts"
    make(folder, "Posts.xml")
    with pytest.raises(InputError, match="has Posts twice"):
        rounds(find_dump_files([str(folder)]))


def test_a_pattern_names_folders_and_files(tmp_path: Path) -> None:
    make(tmp_path, "a.example.org/Posts.xml", "b.example.org/Posts.xml", ".c.example.org/Posts.xml", "notes")
    for pattern in ("*.example.org", "*/Posts.xml", "[ab].*/Po?ts.xml"):
        files = find_dump_files([str(tmp_path / pattern)])
        assert [file.site for file in files] == ["a.example.org", "b.example.org"]
    with pytest.raises(InputError, match="no such file or folder"):
        find_dump_files([str(tmp_path / "*.example.com")])


def test_a_link_to_nothing_is_no_absent_file(tmp_path: Path) -> None:
    make(tmp_path, "beer.example.org/Users.xml")
    (tmp_path / "beer.example.org/Posts.xml").symlink_to(tmp_path / "absent")
    with pytest.raises(InputError, match=r"cannot read .*Posts\.xml"):
        find_dump_files([str(tmp_path)])


def test_a_file_that_must_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "Posts.xml")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may read anything
    with pytest.raises(InputError, match=r"cannot read .*Posts\.xml"):
        find_dump_files([str(tmp_path)])


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("beer.example.org.7z", True),
        ("beer.example.org.zip", True),
        ("example.org-Posts.7Z", True),
        ("Posts.xml", False),
        ("Posts.xml.zst", False),
        (".7z", False),
    ],
)
def test_archives(name: str, is_one: bool) -> None:
    assert is_archive(name) is is_one


@pytest.mark.parametrize(
    ("archive", "members", "expected"),
    [
        ("a.example.org.7z", ["Posts.xml", "Users.xml"], [("a.example.org", "Posts"), ("a.example.org", "Users")]),
        ("example.org-Posts.7z", ["Posts.xml"], [("example.org", "Posts")]),
        ("meta.example.org-PostHistory.7z", ["PostHistory.xml"], [("meta.example.org", "PostHistory")]),
        ("ask-me.example.org.7z", ["Tags.xml"], [("ask-me.example.org", "Tags")]),
        ("beer.example.org/2016-09/posts.7z", ["posts.xml"], [("beer.example.org", "Posts")]),
        ("beer.example.org.7z", ["_unpacked.json", "readme.txt"], []),
    ],
)  # fmt: skip
def test_the_site_of_an_archive_is_in_its_name(
    tmp_path: Path, archive: str, members: list[str], expected: list[tuple[str, str]]
) -> None:
    folder = make(tmp_path / "staging", *members)
    tables = [str(each) for each in folder.iterdir()]
    files = of_archive(tables, str(tmp_path / archive))
    assert [(each.site, each.dump_table.file) for each in files] == expected
    assert all(each.dump == str((tmp_path / archive).parent) for each in files)
    assert {each.site for each in of_archive(tables, str(tmp_path / archive), "x")} <= {"x"}


def dump_file(site: str, dump: str, table: str = "posts") -> DumpFile:
    return DumpFile(f"{dump}/{site}-{table}", site, BY_FILE[table], dump)


def test_dumps_of_one_site_are_read_one_after_the_other() -> None:
    september, december = dump_file("beer", "2016-09"), dump_file("beer", "2016-12")
    users, wine, tea = dump_file("beer", "2016-09", "users"), dump_file("wine", "2020"), dump_file("tea", "2020-01")
    in_rounds = rounds([december, wine, september, users, tea])
    assert [sorted(each.path for each in of_round) for of_round in in_rounds] == [
        sorted(each.path for each in (september, users, wine, tea)),
        [december.path],
    ]
    assert rounds([]) == []


def test_files_of_one_folder_are_one_dump_however_they_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "beer.example.org/Posts.xml", "beer.example.org/Users.xml", "beer.example.org/Tags.xml")
    monkeypatch.chdir(tmp_path)
    spellings = ["beer.example.org/Posts.xml", str(tmp_path / "beer.example.org/Users.xml"),
                 "beer.example.org/../beer.example.org/Tags.xml"]  # fmt: skip
    assert [len(of_round) for of_round in rounds(find_dump_files(spellings))] == [3]


@pytest.mark.parametrize(("first", "second"), [("Posts.xml", "posts.XML"), ("Posts.xml", "Posts.xml.gz")])
def test_a_dump_with_a_table_twice(tmp_path: Path, first: str, second: str) -> None:
    folder = make(tmp_path / "beer.example.org", first, second)
    with pytest.raises(InputError, match=r"the dump of beer\.example\.org has Posts twice"):
        rounds(find_dump_files([str(folder)]))


def test_a_file_that_is_named_twice(tmp_path: Path) -> None:
    make(tmp_path, "beer.example.org/Posts.xml")
    with pytest.raises(InputError, match="has Posts twice"):
        rounds(find_dump_files([str(tmp_path), str(tmp_path / "beer.example.org/Posts.xml")]))


def test_a_table_in_a_file_and_in_an_archive(tmp_path: Path) -> None:
    make(tmp_path, "beer.example.org/Posts.xml", "staging/posts.xml")
    unpacked = of_archive([str(tmp_path / "staging" / "posts.xml")], str(tmp_path / "beer.example.org/posts.7z"))
    with pytest.raises(InputError, match="has Posts twice"):
        rounds([*find_dump_files([str(tmp_path / "beer.example.org")]), *unpacked])


def test_a_folder_or_archive_that_cannot_name_a_site_asks_for_a_name(tmp_path: Path) -> None:
    folder = make(tmp_path / "a\nb", "Posts.xml")
    with pytest.raises(InputError, match=r"the site name 'a\\nb' contains the character U\+000A") as refused:
        find_dump_files([str(folder)])
    assert "--site NAME" in refused.value.remedy
    assert found(folder, site="b") == [("b", "Posts", "Posts.xml", False)]
    with pytest.raises(InputError, match="the site name ' ' starts or ends with a space"):
        of_archive([str(folder / "Posts.xml")], f"{tmp_path}/ .7z")


# A folder that cannot be listed is named, and never taken for an empty or absent one.

STORAGE = ObjectStorageSettings()
SEARCHES: dict[str, Callable[[Path], object]] = {
    "dumps": lambda folder: find_dump_files([str(folder)]),
    "dumps by pattern": lambda folder: find_dump_files([f"{folder}/*/*.xml"]),
    "archives": lambda folder: find_archives([str(folder)]),
    "annotated files": lambda folder: find_inputs([folder / "closed"], "train"),
    "tables": lambda folder: list(tables_at([str(folder)], ["posts"], STORAGE)),
    "files of a table": lambda folder: locate(str(folder), STORAGE),
}


@pytest.fixture(params=[errno.EACCES, errno.EIO, errno.ESTALE, errno.EMFILE])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a readable site and one that cannot be listed."""
    for name in ("open.example.org", "closed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Posts.xml").touch()

    def failing(function: Callable[..., object]) -> Callable[..., object]:
        def called(path: object = ".") -> object:
            if str(path) == str(tmp_path / "closed"):
                raise OSError(request.param, os.strerror(request.param), str(path))
            return function(path)

        return called

    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    return tmp_path


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_the_folder_is_named(folder: Path, search: Callable[[Path], object]) -> None:
    with pytest.raises(InputError, match=rf"cannot read {folder}/closed: "):
        search(folder)


@pytest.mark.parametrize("name", [".Trash", "_temporary", "lost+found"])
def test_folders_of_the_file_system_may_be_unreadable(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "closed").rename(folder / name)
    listed = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == name:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [file.site for file in find_dump_files([str(folder)])] == ["open.example.org"]


def test_a_folder_above_that_cannot_be_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stat(path: Path, **_: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", stat)
    for search in (find_dump_files, lambda paths: find_inputs(paths, "train"), lambda paths: locate(paths[0], STORAGE)):
        with pytest.raises(InputError, match=r"cannot read .*absent: Permission denied"):
            search([str(tmp_path / "absent")])


def test_relative_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").touch()
    monkeypatch.chdir(tmp_path)
    assert matching_paths("*") == [Path("a")]
