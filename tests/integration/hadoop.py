"""HDFS and YARN on loopback, in one process of Java."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from requirements import lacking
from versitygw import REPOSITORY

PATIENCE_SECONDS = 240
OPENED = ("java.lang", "java.lang.reflect", "java.net", "java.util", "java.util.concurrent")
"""Packages of Java that Hadoop 3.3 reaches by reflection."""


@dataclass(frozen=True)
class Hadoop:
    """A running cluster.

    Attributes:
        folder: its files; ``conf`` is what ``HADOOP_CONF_DIR`` names.
        process: all of it.
    """

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def conf(self) -> Path:
        """The configuration of its clients."""
        return self.folder / "conf"

    @property
    def hdfs(self) -> str:
        """The address of its files."""
        settings = ElementTree.parse(self.conf / "core-site.xml").iter("property")
        return {setting.findtext("name"): setting.findtext("value") for setting in settings}["fs.defaultFS"] or ""

    def yarn(self, *arguments: str) -> str:
        """What ``yarn application`` prints."""
        command = [*_java(), "org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", *arguments]
        environment = os.environ | {"CLASSPATH": f"{self.conf}:{_classes()}"}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


@contextmanager
def hadoop(folder: Path, nodes: int = 0, megabytes: int = 6144, cores: int = 4) -> Iterator[Hadoop]:
    """The cluster for as long as the block lasts; the test is skipped where it is not installed.

    Args:
        folder: of its files.
        nodes: node managers of YARN; 0 for HDFS alone.
        megabytes: memory of each.
        cores: of each.
    """
    if not _installed() or shutil.which("java") is None:
        lacking("hadoop", "no HDFS and YARN: run `make servers`, which needs Maven and a JDK")
    command = [
        *_java(),
        "-Xmx768m",
        "-cp",
        _classes(),
        "MiniCluster",
        str(folder),
        *map(str, (nodes, megabytes, cores)),
    ]
    # Nodes have no credentials of their own: tasks get those of the driver.
    inherited = {variable: os.environ[variable] for variable in os.environ if not variable.startswith("AWS_")}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=inherited, stdout=log, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (folder / "conf").exists():
            assert process.poll() is None, f"Hadoop ended at once; see {folder / 'log'}"
            assert time.monotonic() < deadline, f"Hadoop has not started; see {folder / 'log'}"
            time.sleep(0.5)
        yield Hadoop(folder, process)
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _installed() -> list[Path]:
    return sorted((REPOSITORY / ".tools").glob("hadoop-*/classes"))


def _classes() -> str:
    home = _installed()[-1].parent
    return f"{REPOSITORY / 'tests' / 'servers' / 'hadoop'}:{home / 'classes'}:{home / 'lib' / '*'}"


def _java() -> list[str]:
    return ["java", *(option for package in OPENED for option in ("--add-opens", f"java.base/{package}=ALL-UNNAMED"))]
