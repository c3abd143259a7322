"""Publishing and collecting in a bucket, with a fault at any request, and by processes that were overtaken."""

from contextlib import suppress
from uuid import uuid4

import pytest
from attacked_lakes import (
    Clock,
    Content,
    delta_rs,
    finished,
    ours,
    published,
    report,
    seen,
    taken_over,
    two_tables,  # noqa: F401
)
from fault_proxy import FaultProxy
from s3_server import S3Server
from seams import pausing, seams
from small_runs import no_spark

from cqa_spark.errors import CqaError
from cqa_spark.lake.collection import collect
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.publishing import publish

pytestmark = pytest.mark.usefixtures("two_tables")


FAULTS = ("AccessDenied", "500", "connection reset", "response lost")


def night(number: int) -> Content:
    return {"alpha": {"a": number, "b": 1}, "beta": {"a": number}}


@pytest.mark.more
def test_processes_that_pause_before_any_write_change_nothing(s3: S3Server) -> None:
    lake, clock = Lake(no_spark, s3.location("attacks", uuid4().hex), s3.settings), Clock()
    published(lake, clock, *[(f"r{number}", night(number)) for number in (1, 2)])
    happened, call = True, 0
    while happened:
        call += 1
        number = 10 * call
        with taken_over(lake, clock) as leased:
            finished(leased, f"r{number}", night(number))

        def others(number: int = number + 1) -> None:
            published(lake, clock, (f"r{number}", night(number)))
            with taken_over(lake, clock) as leased:
                collect(leased, 2)

        with (
            suppress(CqaError),
            taken_over(lake, clock) as leased,
            seams(pausing(others), call, only_writes=True) as between,
        ):
            publish(leased, f"r{number}")
            collect(leased, 2)
        happened = between.happened
        shown = number + 1 if happened else number
        assert (seen(lake), report(lake)) == (night(shown), {f"r{shown}"}), between.names
    assert call > 5


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_a_request(s3: S3Server, proxied: tuple[FaultProxy, S3Server], fault: str) -> None:
    """The kinds of faults take turns: together they meet every tenth request, those of deltalake too."""
    proxy, server = proxied
    place, clock = ("attacks", uuid4().hex), Clock()
    lake = Lake(no_spark, s3.location(*place), s3.settings)
    faulty = Lake(no_spark, server.location(*place), server.settings)
    published(lake, clock, ("r1", night(1)), ("r2", night(2)))
    first = len(proxy.requests)
    published(faulty, clock, ("r3", night(3)))
    requests = range(1 + 10 * FAULTS.index(fault), len(proxy.requests) - first, 10 * len(FAULTS))
    shown = 3
    for number, request in enumerate(requests, 4):
        with taken_over(lake, clock) as leased:
            finished(leased, f"r{number}", night(number))
        proxy.at(fault, request)
        with suppress(CqaError), taken_over(faulty, clock) as leased:
            publish(leased, f"r{number}")
            collect(leased, 2)
        assert proxy.all_happened
        possible = night(shown), night(number)
        assert ours(lake) in possible
        for name, rows in delta_rs(lake).items():
            assert rows in [content[name] for content in possible]
        with taken_over(lake, clock):
            found = seen(lake)
        assert found in possible
        shown = found["beta"]["a"]
        assert report(lake) == {f"r{shown}"}
    assert len(requests) > 1
