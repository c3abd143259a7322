"""The list of what a lake has forgotten."""

from pathlib import Path

import pytest

from cqa_spark.corpora import erasure
from cqa_spark.corpora.erasure import Forgotten, add_forgotten, forgotten_version, of_site, read_forgotten
from cqa_spark.errors import AnotherWriter, ContractError
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import ObjectStore

USER = Forgotten(site="beer.example.org", kind="user", id="7")
POST = Forgotten(site="beer.example.org", kind="post", id="7", attempt=3)
OTHER = Forgotten(site="wine.example.org", kind="post", id="7")


@pytest.fixture
def store(tmp_path: Path) -> Folder:
    return Folder(str(tmp_path / "lake"))


def test_the_list_grows_and_has_each_user_and_post_once(store: ObjectStore) -> None:
    assert read_forgotten(store) == ()
    for named in (USER, OTHER, POST, USER.model_copy(update={"attempt": 5})):
        add_forgotten(store, named)
    assert read_forgotten(store) == (POST, OTHER, USER.model_copy(update={"attempt": 5}))
    assert of_site(read_forgotten(store), "wine.example.org") == [OTHER]


@pytest.mark.parametrize("before", [(), (POST,)])
def test_of_two_processes_that_change_the_list_one_fails(
    store: ObjectStore, before: tuple[Forgotten, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for named in before:
        add_forgotten(store, named)
    read = erasure._read

    def read_and_be_overtaken(objects: ObjectStore) -> object:
        stored = read(objects)
        monkeypatch.setattr(erasure, "_read", read)
        add_forgotten(objects, OTHER)
        return stored

    monkeypatch.setattr(erasure, "_read", read_and_be_overtaken)
    with pytest.raises(AnotherWriter, match=r"has just written .*/forgotten\.json"):
        add_forgotten(store, USER)
    assert read_forgotten(store) == (*before, OTHER)


def test_a_damaged_list_is_an_error(store: ObjectStore) -> None:
    store.put(erasure.KEY, b'[{"site": "a", "kind": "tag", "id": "1"}]')
    with pytest.raises(ContractError, match=r"forgotten\.json is damaged: 0\.kind"):
        read_forgotten(store)


def test_the_version_differs_with_what_is_forgotten_and_not_with_the_attempt() -> None:
    versions = [forgotten_version(each) for each in ((), (USER,), (POST,), (USER, POST))]
    assert len({*versions}) == 4
    assert versions[0] == ""
    assert forgotten_version((POST, USER.model_copy(update={"attempt": 9}))) == versions[3]
    assert "7" not in versions[1].replace(versions[1].rpartition("=")[2], "")
