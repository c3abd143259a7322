"""Servers of objects, and proxies before them that see every request, and can let it go wrong."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fault_proxy import FaultProxy, fault_proxy
from http_servers import CLOUDS, HttpServer, of_s3
from s3_server import S3Server

MORE = [pytest.param(kind, marks=pytest.mark.more) for kind in CLOUDS]


@pytest.fixture(scope="session", params=["s3", *MORE])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server of every kind of storage, one after the other."""
    if request.param == "s3":
        yield of_s3(request.getfixturevalue("s3"))
        return
    with CLOUDS[request.param](tmp_path_factory.mktemp(request.param)) as started:
        yield started


@pytest.fixture(scope="session")
def proxy(server: HttpServer) -> Iterator[tuple[FaultProxy, str]]:
    """A proxy before the server, and its address."""
    with fault_proxy(server.endpoint) as started:
        yield started


@pytest.fixture(scope="session")
def proxied(s3: S3Server) -> Iterator[tuple[FaultProxy, S3Server]]:
    """The proxy, and the server as it is reached through it."""
    with fault_proxy(str(s3.settings.endpoint)) as (proxy, endpoint):
        yield proxy, replace(s3, settings=s3.settings.model_copy(update={"endpoint": endpoint}))
