"""The pointer to the published run: who may change it, and which formats of a lake are read."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cqa_spark.errors import AnotherWriter, ConfigError, ContractError
from cqa_spark.lake.pointer import KEY, Pointer, change_pointer, claim, read_pointer
from cqa_spark.lake.run_log import InputRecord, RunRecord, StepRecord
from cqa_spark.object_store.folder import Folder

RUN = RunRecord(
    "r1", "published", "publish", "h", "task: x\n", "0", 3, (InputRecord("a.xml", "train", 3, None),),
    (StepRecord("ingest", 3, 2, 1, 0.5),), {"posts": 4}, {"report": "/r.html"}, "published", 7,
    datetime(2026, 1, 1, 3, tzinfo=UTC),
)  # fmt: skip


def shown(record: RunRecord | None) -> Callable[[Pointer], Pointer]:
    return lambda pointer: pointer.model_copy(update={"record": record})


def test_a_lake_without_a_pointer_has_published_nothing(store: Folder) -> None:
    assert read_pointer(store) == Pointer(format=2, token=0, record=None, kept=(), collected=())
    assert list(store.keys()) == []


def test_what_was_written_is_read(store: Folder) -> None:
    claim(store, 1)
    changed = change_pointer(
        store, 1, lambda pointer: pointer.model_copy(update={"record": RUN, "kept": ("r0",), "collected": ("r2.5",)})
    )
    assert changed == read_pointer(store) == Pointer(token=1, record=RUN, kept=("r0",), collected=("r2.5",))


def test_who_claims_keeps_everything_else_and_shuts_out_earlier_holders(store: Folder) -> None:
    claim(store, 1)
    change_pointer(store, 1, shown(RUN))
    assert claim(store, 4) == Pointer(token=4, record=RUN)
    for late in (lambda: claim(store, 1), lambda: change_pointer(store, 1, shown(None))):
        with pytest.raises(AnotherWriter) as refused:
            late()
        assert refused.value.problem == ("not published: writer 4 has taken the lake over from this one, writer 1")
    assert read_pointer(store).record == RUN


def test_a_holder_that_never_claimed_changes_nothing(store: Folder) -> None:
    claim(store, 1)
    with pytest.raises(AnotherWriter):
        change_pointer(store, 2, shown(RUN))
    assert read_pointer(store).record is None


class Overtaken(Folder):
    """Another process changes the pointer between the reading of this one and its first writing."""

    def __init__(self, root: str, meanwhile: Callable[[], object]) -> None:
        super().__init__(root)
        self._meanwhile = [meanwhile]

    def create(self, key: str, data: bytes) -> str:
        self._happen()
        return super().create(key, data)

    def replace(self, key: str, data: bytes, version: str) -> str:
        self._happen()
        return super().replace(key, data, version)

    def _happen(self) -> None:
        while self._meanwhile:
            self._meanwhile.pop()()


@pytest.mark.parametrize("is_new", [True, False])
def test_a_claim_keeps_what_an_earlier_holder_published_in_between(store: Folder, is_new: bool) -> None:
    def publish() -> None:
        claim(store, 1)
        change_pointer(store, 1, shown(RUN))

    if not is_new:
        claim(store, 1)
    assert claim(Overtaken(store.root, publish), 2) == Pointer(token=2, record=RUN)


def test_a_holder_that_is_shut_out_between_reading_and_writing_publishes_nothing(store: Folder) -> None:
    claim(store, 1)
    overtaken = Overtaken(store.root, lambda: claim(store, 2))
    with pytest.raises(AnotherWriter, match="writer 2 has taken the lake over from this one, writer 1"):
        change_pointer(overtaken, 1, shown(RUN))
    assert read_pointer(store) == Pointer(token=2)


def test_artifacts_follow_a_lake_that_moves(store: Folder, tmp_path: Path) -> None:
    claim(store, 1)
    change_pointer(store, 1, shown(replace(RUN, artifacts={"report": f"{store.root}/runs/r1.3/report.html"})))
    Path(store.root).rename(tmp_path / "moved")
    record = read_pointer(Folder(str(tmp_path / "moved"))).record
    assert record is not None
    assert record.artifacts == {"report": f"{tmp_path}/moved/runs/r1.3/report.html"}


@pytest.mark.parametrize(
    ("content", "version", "remedy"),
    [
        ({"token": 3, "record": None}, "an older version", "read the dumps again into a new lake: --lake NEW"),
        ({"format": 1, "published": "r1"}, "an older version", "read the dumps again into a new lake: --lake NEW"),
        ({"format": 3, "token": "of a new kind"}, "a newer version", "update cqa-spark"),
    ],
)
def test_a_lake_of_another_format_is_refused(
    store: Folder, content: dict[str, object], version: str, remedy: str
) -> None:
    store.put(KEY, json.dumps(content).encode())
    for reads in (read_pointer, lambda store: claim(store, 9)):
        with pytest.raises(ConfigError) as refused:
            reads(store)
        assert (refused.value.problem, refused.value.remedy) == (
            f"the lake at {store.root} was written by {version} of cqa-spark; nothing was written",
            remedy,
        )
    stored = store.read(KEY)
    assert stored is not None
    assert json.loads(stored.data) == content


@pytest.mark.parametrize(
    "content", [b"", b"{}{", b'{"format": 2, "token": "x"}', b"[]", b"\xff\xfe", b'{"format": 2, "record": {}}']
)
def test_a_damaged_pointer_is_named(store: Folder, content: bytes) -> None:
    store.put(KEY, content)
    with pytest.raises(ContractError) as damaged:
        read_pointer(store)
    assert damaged.value.problem.startswith(f"{store.root}/{KEY} is damaged: ")
