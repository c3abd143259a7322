"""Checks the lake's storage: writing, reading, listing, and conditional writes."""

from collections.abc import Iterator
from functools import partial

from cqa_spark.doctor.finding import Finding, examine
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore

USE_ANOTHER = "use a storage that honours If-None-Match and If-Match, such as Amazon S3; publishing needs both"


def examine_storage(store: ObjectStore, name: str) -> Iterator[Finding]:
    """Try every operation on one object; stop at the first failure.

    Args:
        store: store of the lake.
        name: unique key of an object that is deleted at the end.
    """
    steps = {
        "write": _write, "read": _read, "list": _list, "create once": _create_once, "replace once": _replace_once,
        "delete": _delete,
    }  # fmt: skip
    for what, step in steps.items():
        finding = examine(f"storage: {what}", partial(step, store, name))
        yield finding
        if finding.verdict == "failed":
            return


def _write(store: ObjectStore, name: str) -> str:
    store.put(name, b"written")
    return f"an object in {store.root}"


def _read(store: ObjectStore, name: str) -> str:
    stored = store.read(name)
    if stored is None or stored.data != b"written":
        raise EnvironmentProblem(f"{store.root} does not return an object that was just written", "use another storage")
    return "what was written"


def _list(store: ObjectStore, name: str) -> str:
    if list(store.keys(name)) != [name]:
        raise EnvironmentProblem(f"{store.root} does not list an object that was just written", "use another storage")
    return "what was written"


def _create_once(store: ObjectStore, name: str) -> str:
    store.delete(name)
    store.create(name, b"first")
    try:
        store.create(name, b"second")
    except AlreadyThere:
        return "a second writer is refused"
    raise EnvironmentProblem(f"{store.root} lets two writers create one object", USE_ANOTHER)


def _replace_once(store: ObjectStore, name: str) -> str:
    stored = store.read(name)
    assert stored is not None, "it was just created"
    store.replace(name, b"third", stored.version)
    try:
        store.replace(name, b"fourth", stored.version)
    except Changed:
        return "a writer with an old version is refused"
    raise EnvironmentProblem(f"{store.root} lets a writer replace a version that it has not read", USE_ANOTHER)


def _delete(store: ObjectStore, name: str) -> str:
    store.delete(name)
    if store.read(name) is not None:
        raise EnvironmentProblem(f"{store.root} keeps deleted objects", "use another storage")
    return "nothing is left"
