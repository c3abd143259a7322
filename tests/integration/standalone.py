"""A standalone cluster on loopback."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pyspark

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
HERE = "127.0.0.1"
PATIENCE_SECONDS = 180
SHORT_LIVED = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Of Java processes that end before thorough compiling pays."""


@dataclass(frozen=True)
class Cluster:
    """A standalone master and its workers."""

    url: str
    workers: Sequence[subprocess.Popen[bytes]]

    def signal_executors(self, worker: int, number: signal.Signals) -> None:
        """Send a signal to the executors of a worker, which starts others in place of those that end."""
        for thread in Path(f"/proc/{self.workers[worker].pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                os.kill(int(child), number)


@contextmanager
def standalone_cluster(
    folder: Path, workers: int, *, memory: str = "1g", java: Mapping[str, str] = SHORT_LIVED
) -> Iterator[Cluster]:
    """Start a cluster that ends with the block.

    Args:
        folder: of logs and of the workers' files.
        workers: their number; each has one core.
        memory: of each worker.
        java: environment variables of all its Java processes.
    """
    port, page = free_port(), free_port()
    url = f"spark://{HERE}:{port}"
    with ExitStack() as running:
        running.enter_context(
            daemon(folder / "master.log", java, "master.Master", "--port", str(port), "--webui-port", str(page))
        )
        found = []
        for number in range(workers):
            size = ("--cores", "1", "--memory", memory, "--webui-port", "0")
            work = ("--work-dir", str(folder / f"worker{number}"))
            worker = daemon(folder / f"worker{number}.log", java, "worker.Worker", *size, *work, url)
            found.append(running.enter_context(worker))
        wait_for_workers(f"http://{HERE}:{page}/json/", workers, folder)
        yield Cluster(url, found)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return probe.getsockname()[1]


def wait_for_port(address: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    """Wait until a process accepts connections at HOST:PORT."""
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None, f"{process.args!r} ended at once"
            time.sleep(0.1)
    raise TimeoutError(f"nothing accepts connections at {address}")


@contextmanager
def daemon(log: Path, java: Mapping[str, str], name: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    # Machines of a cluster have no credentials of their own: tasks get those of the driver.
    inherited = {variable: os.environ[variable] for variable in os.environ if not variable.startswith("AWS_")}
    variables = {"SPARK_LOCAL_IP": HERE, "SPARK_DAEMON_MEMORY": "512m", "PYSPARK_PYTHON": sys.executable}
    command = [str(SPARK_CLASS), f"org.apache.spark.deploy.{name}", "--host", HERE, *options]
    with (
        log.open("w") as output,
        subprocess.Popen(
            command, env={**inherited, **java, **variables}, stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()


def wait_for_workers(page: str, workers: int, logs: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            with urlopen(page) as answer:
                if json.load(answer)["aliveworkers"] == workers:
                    return
        except (URLError, ConnectionError):
            pass  # the master is still starting
        time.sleep(0.5)
    raise TimeoutError(f"the cluster did not start within {PATIENCE_SECONDS} s; its logs are in {logs}")
