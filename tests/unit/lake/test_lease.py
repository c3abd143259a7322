"""One writer at a time: the lease, and what a holder that lost it can still do, which is nothing."""

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cqa_spark.errors import AnotherWriter
from cqa_spark.lake.lease import LASTS, WATCHED_FOR, Holder, Lease, LeaseState, hold_lease, take_lease
from cqa_spark.lake.pointer import change_pointer, claim, read_pointer
from cqa_spark.lake.run_log import InputRecord, RunRecord, StepRecord
from cqa_spark.object_store.store import ObjectStore
from cqa_spark.process.signals import Stopped

NIGHT = datetime(2026, 1, 1, 3, tzinfo=UTC)
RUN = RunRecord(
    "r1", "published", "publish", "h", "task: x\n", "0", 1, (InputRecord("a.xml", "train", 3, None),),
    (StepRecord("ingest", 3, 2, 1, 0.5),), {"posts": 4}, {"report": "/r.html"}, "published", 7, NIGHT,
)  # fmt: skip


class Clock:
    def __init__(self) -> None:
        self.now = NIGHT

    def __call__(self) -> datetime:
        return self.now

    def wait(self, time: timedelta) -> None:
        self.now += time


@pytest.fixture
def clock() -> Clock:
    return Clock()


def elsewhere(job: str) -> Holder:
    return Holder(job=job, host="other", pid=42, machine="another machine", attempt=job)


def taken(store: ObjectStore, job: str, clock: Clock, meanwhile: Callable[[], object] = lambda: None) -> Lease:
    """A lease that a job elsewhere takes, with what happens while it watches the one before."""

    def sleep(seconds: float) -> None:
        clock.wait(timedelta(seconds=seconds))
        meanwhile()

    lease = take_lease(store, elsewhere(job), clock, sleep=sleep)
    claim(store, lease.token)
    return lease


def publish(store: ObjectStore, record: RunRecord, lease: Lease) -> None:
    change_pointer(store, lease.token, lambda pointer: pointer.model_copy(update={"record": record}))


def expires_at(store: ObjectStore) -> datetime:
    stored = store.read("lease.json")
    assert stored is not None
    return LeaseState.model_validate_json(stored.data).expires_at


def test_a_second_writer_is_told_who_is_first_and_until_when(store: ObjectStore, clock: Clock) -> None:
    taken(store, "nightly", clock)
    clock.wait(timedelta(seconds=30))
    with pytest.raises(AnotherWriter) as refused:
        taken(store, "ingest", clock)
    assert refused.value.problem == (
        f"{store.root} is being written by nightly, process 42 on other, "
        "until 2026-01-01 03:02:00 UTC unless it renews its lease"
    )
    assert refused.value.exit_code == 6


def test_a_lease_that_was_given_back_is_free_and_its_token_grows(store: ObjectStore, clock: Clock) -> None:
    first = taken(store, "a", clock)
    first.release()
    second = taken(store, "b", clock)
    assert (first.token, second.token, second.left_behind) == (1, 2, None)


def test_a_renewed_lease_is_held_for_longer(store: ObjectStore, clock: Clock) -> None:
    lease = taken(store, "a", clock)
    clock.wait(LASTS / 2)
    lease.renew()
    clock.wait(LASTS / 2)
    with pytest.raises(AnotherWriter):
        taken(store, "b", clock)
    lease.renew()


def test_an_old_holder_that_wakes_up_can_do_nothing(store: ObjectStore, clock: Clock) -> None:
    sleeper = taken(store, "sleeper", clock)
    publish(store, RUN, sleeper)
    clock.wait(LASTS)
    second = taken(store, "second", clock)
    assert second.left_behind == elsewhere("sleeper")
    late = replace(RUN, run_id="late")
    with pytest.raises(AnotherWriter, match="not published: writer 2 has taken the lake over from this one, writer 1"):
        publish(store, late, sleeper)
    for _ in range(2):
        with pytest.raises(AnotherWriter, match="another process has taken the lease"):
            sleeper.renew()
    sleeper.release()
    second.renew()
    assert read_pointer(store).record == RUN


def test_an_old_holder_that_wakes_up_alone_goes_on(store: ObjectStore, clock: Clock) -> None:
    sleeper = taken(store, "sleeper", clock)
    clock.wait(10 * LASTS)
    sleeper.renew()
    with pytest.raises(AnotherWriter):
        taken(store, "second", clock)


def test_an_expired_lease_is_watched_before_it_is_taken(store: ObjectStore, clock: Clock) -> None:
    taken(store, "gone", clock)
    clock.wait(LASTS)
    second = taken(store, "second", clock)
    assert second.left_behind == elsewhere("gone")
    assert clock.now == NIGHT + LASTS + WATCHED_FOR
    assert expires_at(store) == clock.now + LASTS


@pytest.mark.parametrize("ahead", [LASTS, timedelta(days=1), -timedelta(seconds=1), -timedelta(days=1)], ids=str)
def test_a_holder_that_renews_keeps_the_lease_whatever_the_clock_of_another(
    store: ObjectStore, clock: Clock, ahead: timedelta
) -> None:
    holder, others = taken(store, "holder", clock), Clock()
    others.wait(ahead)
    with pytest.raises(AnotherWriter, match="is being written by holder, process 42 on other"):
        taken(store, "second", others, meanwhile=holder.renew)
    holder.renew()


@pytest.mark.parametrize("jump", [timedelta(hours=1), -timedelta(hours=1)], ids=["forwards", "backwards"])
def test_a_holder_whose_clock_jumps_keeps_the_lease(store: ObjectStore, clock: Clock, jump: timedelta) -> None:
    holder, others = taken(store, "holder", clock), Clock()
    clock.wait(jump)
    holder.renew()
    assert expires_at(store) == NIGHT + jump + LASTS
    clock.wait(timedelta(seconds=1))
    with pytest.raises(AnotherWriter):
        taken(store, "second", others, meanwhile=holder.renew)
    publish(store, RUN, holder)


@pytest.mark.parametrize("ahead", [timedelta(days=365), -timedelta(days=365)], ids=["ahead", "behind"])
def test_a_holder_that_died_with_a_wrong_clock_locks_nobody_out(
    store: ObjectStore, clock: Clock, ahead: timedelta
) -> None:
    clock.wait(ahead)
    taken(store, "gone", clock)
    second = taken(store, "second", Clock())
    assert (second.token, second.left_behind) == (2, elsewhere("gone"))


def test_of_two_who_watch_the_same_lease_one_takes_it(store: ObjectStore, clock: Clock) -> None:
    taken(store, "gone", clock)
    clock.wait(LASTS)
    first: list[Lease] = []
    with pytest.raises(AnotherWriter, match="is being written by first"):
        taken(store, "second", clock, meanwhile=lambda: first.append(taken(store, "first", clock)))
    first[0].renew()


def test_a_lease_that_somebody_removed_costs_no_lake(store: ObjectStore, clock: Clock) -> None:
    taken(store, "a", clock).release()
    store.delete("lease.json")
    again = take_lease(store, elsewhere("b"), clock, after=read_pointer(store).token)
    assert again.token == 2
    claim(store, again.token)


def test_of_many_who_start_at_once_one_holds_the_lake(store: ObjectStore, clock: Clock) -> None:
    start, held = threading.Barrier(8), []

    def attempt(number: int) -> None:
        start.wait()
        with suppress(AnotherWriter):
            held.append(take_lease(store, elsewhere(f"job {number}"), clock))

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [lease.token for lease in held] == [1]


def test_a_holder_of_this_machine_that_died_is_not_waited_for(store: ObjectStore, clock: Clock) -> None:
    living = Holder.of_this_process("nightly")
    dead = living.model_copy(update={"pid": 2**22 + 1})  # beyond Linux's largest number of a process
    assert (living.is_dead(), dead.is_dead()) == (False, True)
    take_lease(store, dead, clock)
    assert take_lease(store, living, clock).left_behind == dead
    with pytest.raises(AnotherWriter):
        take_lease(store, elsewhere("b"), clock)


def test_the_lease_is_given_back_when_the_work_fails(store: ObjectStore, clock: Clock) -> None:
    with pytest.raises(RuntimeError), hold_lease(store, elsewhere("a"), clock):
        raise RuntimeError("bad luck")
    with hold_lease(store, elsewhere("b"), clock) as lease:
        assert (lease.token, lease.left_behind) == (2, None)


def test_a_holder_that_leaves_work_to_the_next_one_does_not_give_the_lease_back(
    store: ObjectStore, clock: Clock
) -> None:
    holder = elsewhere("nightly")
    with suppress(ZeroDivisionError), hold_lease(store, holder, clock) as lease:
        lease.is_kept = True
        raise ZeroDivisionError
    with pytest.raises(AnotherWriter):
        taken(store, "run", clock)
    clock.wait(LASTS)
    assert taken(store, "run", clock).left_behind == holder


def test_a_stop_says_that_the_lease_was_released(store: ObjectStore, clock: Clock) -> None:
    with pytest.raises(Stopped) as stopped, hold_lease(store, elsewhere("nightly"), clock):
        raise Stopped(signal.SIGTERM)
    assert stopped.value.__notes__ == [f"the lease of {store.root} is released"]
