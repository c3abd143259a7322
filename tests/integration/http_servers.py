"""Servers that stand in for the storage of clouds, on loopback: S3's (versitygw), Google's and Azure's (Azurite).

No test reaches a cloud: Google's client is told an address, and that of Google's metadata is closed (`conftest.py`).
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from requirements import lacking
from s3_server import S3Server
from standalone import free_port, wait_for_port
from versitygw import HERE, REPOSITORY

from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.requests import Requests
from cqa_spark.object_store.s3 import s3_client
from cqa_spark.object_store.s3_requests import S3Requests

CONTAINER = "cqa-tests"
ATTEMPTS = 6
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account's key that Azurite's manual tells; it opens nothing else."""


@dataclass(frozen=True)
class HttpServer:
    """A running server.

    Attributes:
        endpoint: its address.
        scheme: of addresses of its objects.
        requests: to a prefix of its bucket, through an endpoint: the server's own, or that of a proxy before it.
    """

    endpoint: str
    scheme: str
    requests: Callable[[str, str], Requests]

    def store(self, prefix: str, endpoint: str | None = None) -> RemoteStore:
        """A store that never really waits."""
        return RemoteStore(self.requests(endpoint or self.endpoint, prefix), attempts=ATTEMPTS, sleep=lambda _: None)

    def location(self, *parts: str) -> str:
        """An address that only one test uses."""
        return "/".join([f"{self.scheme}://{CONTAINER}/{uuid4().hex}", *parts])


def of_s3(server: S3Server) -> HttpServer:
    """A server of S3, which its tests reach by its settings, too."""

    def requests(endpoint: str, prefix: str) -> Requests:
        settings = server.settings.model_copy(update={"endpoint": endpoint})
        return S3Requests(s3_client(settings), server.bucket, f"{server.run}/{prefix}")

    return HttpServer(str(server.settings.endpoint), "s3a", requests)


@contextmanager
def gcs_server(folder: Path) -> Iterator[HttpServer]:
    """Google's storage, in memory; the process reaches it while the block lasts."""
    program = REPOSITORY / ".tools" / "gcs-server"
    if not program.exists():
        lacking("gcs", "no server of Google's storage: run `make servers`, which needs Go")
    pytest.importorskip("google.cloud.storage", reason="needs the extra gcs")
    from cqa_spark.object_store.gcs import gcs_client

    address = f"{HERE}:{free_port()}"
    with _running([program, address], folder / "gcs.log", address), pytest.MonkeyPatch.context() as patched:
        patched.setenv("STORAGE_EMULATOR_HOST", f"http://{address}")
        patched.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
        gcs_client.cache_clear()
        gcs_client().create_bucket(CONTAINER)
        yield HttpServer(f"http://{address}", "gs", _gcs_requests)
        gcs_client.cache_clear()


def _gcs_requests(endpoint: str, prefix: str) -> Requests:
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.storage import Client

    from cqa_spark.object_store.gcs_requests import GcsRequests

    client = Client("cqa", credentials=AnonymousCredentials(), client_options={"api_endpoint": endpoint})
    return GcsRequests(client, CONTAINER, prefix, timeout=20)


@contextmanager
def azure_server(folder: Path) -> Iterator[HttpServer]:
    """Azure's storage, in memory; the process reaches it while the block lasts."""
    [*installed] = (REPOSITORY / ".tools").glob("azurite-*/node_modules/.bin/azurite-blob")
    if not installed or shutil.which("node") is None:
        lacking("azure", "no server of Azure's storage: run `make servers`, which needs npm")
    pytest.importorskip("azure.storage.blob", reason="needs the extra azure")
    from cqa_spark.object_store.azure import CONNECTION, azure_client

    port = free_port()
    options = ["--inMemoryPersistence", "--silent", "--disableTelemetry", "--skipApiVersionCheck"]
    command = [installed[0], *options, "--blobHost", HERE, "--blobPort", str(port)]
    with _running(command, folder / "azurite.log", f"{HERE}:{port}"), pytest.MonkeyPatch.context() as patched:
        patched.setenv(CONNECTION, _connection(f"http://{HERE}:{port}"))
        azure_client.cache_clear()
        azure_client(20.0).create_container(CONTAINER)
        yield HttpServer(f"http://{HERE}:{port}", "az", _azure_requests)
        azure_client.cache_clear()


def _azure_requests(endpoint: str, prefix: str) -> Requests:
    from azure.storage.blob import BlobServiceClient

    from cqa_spark.object_store.azure_requests import AzureRequests

    client = BlobServiceClient.from_connection_string(_connection(endpoint), retry_total=0, read_timeout=20)
    return AzureRequests(client, CONTAINER, prefix)


def _connection(endpoint: str) -> str:
    account = "devstoreaccount1"
    protocol = f"DefaultEndpointsProtocol={urlsplit(endpoint).scheme}"
    return f"{protocol};AccountName={account};AccountKey={KEY};BlobEndpoint={endpoint}/{account};"


@contextmanager
def _running(command: list[Any], log: Path, address: str) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=os.environ, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for_port(address, process)
        yield
    finally:
        process.terminate()
        process.wait()


CLOUDS: dict[str, Callable[[Path], AbstractContextManager[HttpServer]]] = {"gcs": gcs_server, "azure": azure_server}
"""What starts the servers of storage that Spark has no connector for."""
