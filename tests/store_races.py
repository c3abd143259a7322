"""Many who write one object of a store at once."""

from concurrent.futures import ThreadPoolExecutor

from cqa_spark.object_store.store import AlreadyThere, Changed, ObjectStore


def creations(store: ObjectStore) -> int:
    """How many of 40 attempts to create an object succeed, eight at a time."""

    def create(number: int) -> bool:
        try:
            store.create("lease", str(number).encode())
        except AlreadyThere:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        return sum(pool.map(create, range(40)))


def increments(store: ObjectStore, number: int) -> int:
    """The value of a counter after so many increments, four at a time."""
    store.create("count", b"0 first")

    def increment(who: int) -> None:
        while True:
            stored = store.read("count")
            assert stored is not None
            try:
                store.replace("count", b"%d %d" % (int(stored.data.split()[0]) + 1, who), stored.version)
            except Changed:
                continue
            return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(increment, range(number)))
    counted = store.read("count")
    assert counted is not None
    return int(counted.data.split()[0])
