"""What a lake must forget: users and posts whose rows are left out of all later runs, whatever the dumps contain."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.table_files import fingerprint_of
from cqa_spark.object_store.store import Changed, ObjectStore, damaged, first_mistake

KEY = "forgotten.json"


class Forgotten(BaseModel):
    """A user or a post of a site.

    Attributes:
        site: the site.
        kind: what it is.
        id: its id on the site.
        attempt: number of the attempt that removed it; earlier ones may still have its data.
    """

    model_config = ConfigDict(frozen=True)

    site: str
    kind: Literal["user", "post"]
    id: str
    attempt: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.id} of {self.site}"


_LIST = TypeAdapter(tuple[Forgotten, ...])


def read_forgotten(store: ObjectStore) -> tuple[Forgotten, ...]:
    """The users and posts that the lake has forgotten.

    Raises:
        ContractError: the list is damaged.
    """
    return _read(store)[0]


def add_forgotten(store: ObjectStore, named: Forgotten) -> None:
    """Add a user or a post to the list, in place of an earlier entry of it.

    Args:
        store: the lake's objects, whose lease this process holds.
        named: the user or post.

    Raises:
        AnotherWriter: another process has just changed the list.
    """
    listed, version = _read(store)
    others = [each for each in listed if str(each) != str(named)]
    data = _LIST.dump_json(tuple(sorted([*others, named], key=str)), indent=2)
    try:
        store.create_or_replace(KEY, data, version)
    except Changed as error:
        raise AnotherWriter(f"another process has just written {store.root}/{KEY}", "run the job again") from error


def of_site(forgotten: Iterable[Forgotten], site: str) -> list[Forgotten]:
    """Those of a site."""
    return [each for each in forgotten if each.site == site]


def forgotten_version(forgotten: Iterable[Forgotten]) -> str:
    """A text that differs if something else is forgotten, without telling it; empty for nothing."""
    named = sorted(map(str, forgotten))
    return f" forgotten={fingerprint_of(*named)[:12]}" if named else ""


def _read(store: ObjectStore) -> tuple[tuple[Forgotten, ...], str | None]:
    stored = store.read(KEY)
    if stored is None:
        return (), None
    try:
        return _LIST.validate_json(stored.data), stored.version
    except ValidationError as error:
        raise damaged(store.root, KEY, first_mistake(error)) from error
