"""The S3 server through a proxy that sees every request, and can let it go wrong."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fault_proxy import FaultProxy, fault_proxy
from s3_server import S3Server


@pytest.fixture(scope="session")
def proxied(s3: S3Server) -> Iterator[tuple[FaultProxy, S3Server]]:
    """The proxy, and the server as it is reached through it."""
    with fault_proxy(str(s3.settings.endpoint)) as (proxy, endpoint):
        yield proxy, replace(s3, settings=s3.settings.model_copy(update={"endpoint": endpoint}))
