"""versitygw on loopback, with made-up credentials, as the tests and the benchmark of storage need it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from cqa_spark.config.object_storage_settings import ObjectStorageSettings

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = "127.0.0.1"
ACCESS_KEY, SECRET_KEY = "cqa-tests-made-up", "MadeUp+Secret/OfTheTests0123456789abcdef"
PATIENCE_SECONDS = 30


def program() -> Path:
    """Where `make versitygw` puts the version that the Makefile pins."""
    found = re.search(r"^VERSITYGW := (\S+)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert found is not None
    return REPOSITORY / ".tools" / f"versitygw-{found[1]}"


@contextmanager
def versitygw(folder: Path, *options: str | Path) -> Iterator[ObjectStorageSettings]:
    """The server for as long as the block lasts.

    Args:
        folder: where it keeps its objects and its log.
        options: more for its command line.

    Yields:
        How it is reached.
    """
    for name in ("data", "sidecar"):
        (folder / name).mkdir()
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        port = probe.getsockname()[1]
    command = [program(), "--port", f"{HERE}:{port}", "--keep-alive", *options, "posix"]
    command += ["--sidecar", folder / "sidecar", folder / "data"]
    secrets = {"ROOT_ACCESS_KEY_ID": ACCESS_KEY, "ROOT_SECRET_ACCESS_KEY": SECRET_KEY}
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(command, env=os.environ | secrets, stdout=log, stderr=subprocess.STDOUT)
    try:
        settings = ObjectStorageSettings(endpoint=f"http://{HERE}:{port}", path_style=True, tls=False, timeout=20)
        _wait_for(str(settings.endpoint), running)
        yield settings
    finally:
        running.terminate()
        running.wait()


def _wait_for(endpoint: str, running: subprocess.Popen[bytes]) -> None:
    """Wait until the server refuses us, which is an answer."""
    for _ in range(PATIENCE_SECONDS * 10):
        try:
            urlopen(endpoint, timeout=1)
        except HTTPError:
            return
        except (URLError, OSError):
            assert running.poll() is None, "versitygw ended at once"
            time.sleep(0.1)
    raise AssertionError(f"versitygw does not answer at {endpoint}")
