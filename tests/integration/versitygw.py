"""versitygw on loopback, with made-up credentials, as the tests and the benchmark of storage need it."""

import json
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

from cqa_spark.object_store.s3 import s3_client
from cqa_spark.settings.sections import ObjectStorageSettings

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = "127.0.0.1"
ACCESS_KEY, SECRET_KEY = "cqa-tests-made-up", "MadeUp+Secret/OfTheTests0123456789abcdef"
READER_ACCESS_KEY, READER_SECRET_KEY = "cqa-tests-reader", "MadeUp+Secret/OfTheReader0123456789abcdef"
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
    for name in ("data", "sidecar", "users"):
        (folder / name).mkdir()
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        port = probe.getsockname()[1]
    command = [program(), "--port", f"{HERE}:{port}", "--keep-alive", "--iam-dir", folder / "users", *options]
    command += ["posix", "--sidecar", folder / "sidecar", folder / "data"]
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


def create_reader(settings: ObjectStorageSettings, bucket: str) -> dict[str, str]:
    """Create a user who may list and read a bucket, and nothing else.

    Returns:
        The user's credentials, as variables of the environment.
    """
    endpoint = str(settings.endpoint)
    admin = [str(program()), "admin", "--access", ACCESS_KEY, "--secret", SECRET_KEY, "--endpoint-url", endpoint]
    user = ["--access", READER_ACCESS_KEY, "--secret", READER_SECRET_KEY, "--role", "user"]
    subprocess.run([*admin, "create-user", *user], check=True, capture_output=True)
    arn, who = f"arn:aws:s3:::{bucket}", {"Effect": "Allow", "Principal": {"AWS": [READER_ACCESS_KEY]}}
    statements = [
        {**who, "Action": "s3:ListBucket", "Resource": arn},
        {**who, "Action": "s3:GetObject", "Resource": f"{arn}/*"},
    ]
    policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
    s3_client(settings).put_bucket_policy(Bucket=bucket, Policy=policy)
    return {"AWS_ACCESS_KEY_ID": READER_ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": READER_SECRET_KEY}


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
