"""What the start of a task does in a Python worker; each test runs in a process of its own."""

import importlib
import inspect
import re
import socket
import subprocess
import sys
import zipfile
from io import BufferedReader
from pathlib import Path

import pytest

from cqa_spark.spark.python_daemon import ErrorsOfWorkers
from cqa_spark.spark.task_start import Acknowledged

SHORTENED = "from cqa_spark.spark.task_start import shorten_task_starts; shorten_task_starts()\n"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "packages.zip"
    with zipfile.ZipFile(path, "w") as written:
        written.writestr("first/__init__.py", "")
        written.writestr("first/one.py", "VALUE = 1")
        written.writestr("first/other.py", "VALUE = 2")
    return path


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", "import gc, importlib, sys, zipimport\n" + code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_archives_are_not_read_again_and_modules_are_still_found(archive: Path) -> None:
    code = (
        "sys.path.append(sys.argv[1]); import first.one\n"
        "read = []; zipimport._read_directory = read.append\n"
        "importlib.invalidate_caches(); import first.other\n"
        "print(len(read), first.one.VALUE, first.other.VALUE)"
    )
    assert run(SHORTENED + code, str(archive)) == "0 1 2\n"


def test_new_files_in_folders_are_still_found(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "sys.path.append(sys.argv[1])\n"
        "try: import late\n"
        "except ImportError: print('absent')\n"
        "Path(sys.argv[1], 'late.py').write_text('VALUE = 3')\n"
        "importlib.invalidate_caches(); import late; print(late.VALUE)"
    )
    assert run(SHORTENED + code, str(tmp_path)) == "absent\n3\n"


def test_modules_are_kept_out_of_collections_and_values_are_not() -> None:
    code = (
        "importlib.invalidate_caches(); before = gc.get_freeze_count()\n"
        "kept = [[] for _ in range(10000)]; importlib.invalidate_caches(); print(gc.get_freeze_count() - before)\n"
        "import wave; importlib.invalidate_caches(); print(gc.get_freeze_count() > before)"
    )
    assert run(SHORTENED + code) == "0\nTrue\n"


@pytest.mark.parametrize(
    ("first", "plain", "number"),
    [("import pyspark.worker\n", "", 1), ("import pyspark.worker\n", "1", 0), ("import pyspark\n", "", 0)],
)
def test_importing_the_package_shortens_the_starts_in_workers_only(
    monkeypatch: pytest.MonkeyPatch, first: str, plain: str, number: int
) -> None:
    monkeypatch.setenv("CQA_PLAIN_SPARK", plain)
    code = "import cqa_spark; print(sum(type(finder).__name__ == 'TaskStart' for finder in sys.meta_path))"
    assert run(first + code) == f"{number}\n"


ON_LINUX = pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="Linux alone acknowledges on demand")


@ON_LINUX
def test_what_a_worker_has_read_is_acknowledged_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as sender:
        worker, _ = server.accept()
        with worker, worker.makefile("rb") as received, BufferedReader(Acknowledged(received)) as acknowledged:
            sender.sendall(b"what the task is")
            assert acknowledged.read(16) == b"what the task is"
            worker.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)  # as an answer does
            sender.sendall(b"its rows")
            assert acknowledged.read(8) == b"its rows"
            assert worker.getsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK) == 1
            sender.close()
            assert acknowledged.read() == b""


def test_what_comes_by_a_unix_socket_is_read_as_it_is() -> None:
    sender, worker = socket.socketpair()
    with sender, worker, worker.makefile("rb") as received, BufferedReader(Acknowledged(received)) as acknowledged:
        sender.sendall(b"a task")
        assert acknowledged.read(6) == b"a task"


@ON_LINUX
def test_the_daemon_of_spark_runs_tasks_so() -> None:
    code = (
        "import pyspark.worker as worker; sys.modules['__main__'].worker_main = worker.main\n"
        "import cqa_spark; print(worker.main.__name__, worker_main is worker.main)"
    )
    assert run(code) == "run_acknowledged True\n"


def test_the_daemon_of_spark_finds_all_that_it_uses_of_tracebacks() -> None:
    source = inspect.getsource(importlib.import_module("pyspark.daemon"))
    used = {*re.findall(r"\btraceback\.(\w+)", source)}
    assert "print_exc" in used
    assert [name for name in used if not hasattr(ErrorsOfWorkers, name)] == []
