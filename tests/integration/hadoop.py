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
        return self._setting("fs.defaultFS")

    @property
    def resource_manager(self) -> str:
        """The address of YARN's page."""
        return f"http://{self._setting('yarn.resourcemanager.webapp.address')}"

    def _setting(self, name: str) -> str:
        settings = ElementTree.parse(self.conf / "core-site.xml").iter("property")
        return {setting.findtext("name"): setting.findtext("value") for setting in settings}[name] or ""


@contextmanager
def hadoop(folder: Path, nodes: int = 0, megabytes: int = 6144, cores: int = 4) -> Iterator[Hadoop]:
    """The cluster for as long as the block lasts; the test is skipped where it is not installed.

    Args:
        folder: of its files.
        nodes: node managers of YARN; 0 for HDFS alone.
        megabytes: memory of each.
        cores: of each.
    """
    installed = sorted((REPOSITORY / ".tools").glob("hadoop-*/classes"))
    if not installed or shutil.which("java") is None:
        lacking("hadoop", "no HDFS and YARN: run `make servers`, which needs Maven and a JDK")
    home = installed[-1].parent
    opens = [option for package in OPENED for option in ("--add-opens", f"java.base/{package}=ALL-UNNAMED")]
    classes = f"{REPOSITORY / 'tests' / 'servers' / 'hadoop'}:{home / 'classes'}:{home / 'lib' / '*'}"
    command = ["java", "-Xmx768m", *opens, "-cp", classes, "MiniCluster"]
    command += [str(folder), *map(str, (nodes, megabytes, cores))]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=os.environ, stdout=log, stderr=subprocess.STDOUT)
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
