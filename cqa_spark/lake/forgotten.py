"""What a lake must forget: users and posts whose rows are left out of all later runs, whatever the dumps contain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from cqa_spark.lake.table_files import fingerprint_of
from cqa_spark.object_store.store import ObjectStore, damaged, first_mistake

KEY = "forgotten.json"


class Forgotten(BaseModel):
    """A user or a post of a site.

    Attributes:
        site: the site.
        kind: what it is.
        id: its id on the site.
    """

    model_config = ConfigDict(frozen=True)

    site: str
    kind: Literal["user", "post"]
    id: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id} of {self.site}"


_LIST = TypeAdapter(tuple[Forgotten, ...])


def read_forgotten(store: ObjectStore) -> tuple[Forgotten, ...]:
    """The users and posts that the lake has forgotten.

    Raises:
        ContractError: the list is damaged.
    """
    stored = store.read(KEY)
    if stored is None:
        return ()
    try:
        return _LIST.validate_json(stored.data)
    except ValidationError as error:
        raise damaged(store.root, KEY, first_mistake(error)) from error


def write_forgotten(store: ObjectStore, forgotten: Iterable[Forgotten]) -> None:
    """Replace the list; only the holder of the lake's lease does.

    Args:
        store: the lake's objects.
        forgotten: the users and posts, in any order.
    """
    store.put(KEY, _LIST.dump_json(tuple(sorted(set(forgotten), key=str)), indent=2))


def of_site(forgotten: Iterable[Forgotten], site: str) -> list[Forgotten]:
    """Those of a site."""
    return [each for each in forgotten if each.site == site]


def forgotten_version(forgotten: Iterable[Forgotten]) -> str:
    """A text that names what is forgotten, without telling it; empty for nothing."""
    named = sorted(map(str, forgotten))
    return f" forgotten={fingerprint_of(*named)[:12]}" if named else ""
