"""Checks this machine: Java, Python, locked packages, jars, disk space."""

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from cqa_spark.doctor.finding import Doubt, Finding, examine
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.disks import nearest_folder
from cqa_spark.settings.conf_files import jars_folder, project_root
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.jars import HASHES, JAVA, check_hashes, check_java, variables_of_another_spark

JOBS = ("spark", "learning")
"""The extras that jobs need."""

LITTLE, TOO_LITTLE = 10 * 10**9, 10**9
"""Bytes of free space below which the check warns, and below which it fails."""


def examine_machine(lake: str) -> Iterator[Finding]:
    """Check this machine.

    Args:
        lake: location of the lake; empty if not configured.
    """
    yield examine("Java", _java)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit has started the Spark that it was told to
        yield examine("environment", environment)
    yield examine("Python", lambda: python_version(platform.python_version()))
    yield examine("packages", lambda: packages(_needed()))
    yield examine("jars", lambda: jars(jars_folder(), (project_root() / HASHES).read_text(encoding="utf-8")))
    yield examine("temporary space", lambda: space(Path(tempfile.gettempdir())))
    if lake and not is_remote(lake):
        yield examine("space for the lake", lambda: space(nearest_folder(lake)))


def _java() -> str:
    check_java()
    return f"Java {JAVA}"


def environment() -> str:
    """Check that no variable of the environment names another Spark than the installed PySpark."""
    if variables := variables_of_another_spark():
        raise Doubt(
            "; ".join(f"{name}={value} is of another Spark" for name, value in variables.items()),
            f"jobs use the installed PySpark and leave {' and '.join(variables)} aside; for a job on another Spark: "
            "./spark-submit.sh",
        )
    return "no variable of another Spark"


def python_version(version: str) -> str:
    """Check the version of the running Python."""
    supported = metadata("cqa-spark")["Requires-Python"]
    if version not in SpecifierSet(supported):
        raise EnvironmentProblem(
            f"Python {version} instead of {supported}",
            "install cqa-spark in an environment of such a Python; in a checkout: make setup",
        )
    return f"Python {version}, {sys.executable}"


def packages(needed: Sequence[Requirement]) -> str:
    """Check that the installed packages have versions that the requirements allow.

    Args:
        needed: the packages, with ranges of versions.
    """
    installed = {requirement: _installed(requirement.name) for requirement in needed}
    wrong = [
        f"{requirement.name} {version or '(absent)'} instead of {requirement.specifier}"
        for requirement, version in installed.items()
        if version is None or not requirement.specifier.contains(version, prereleases=True)
    ]
    if wrong:
        raise EnvironmentProblem(
            ", ".join(wrong), "pip install 'cqa-spark[all]' brings supported versions; in a checkout: make setup"
        )
    return f"all {len(needed)} at supported versions"


def jars(folder: Path, expected: str) -> str:
    """Check that all jars are present, with the recorded hashes.

    Args:
        folder: the folder of the jars.
        expected: the content of ``conf/spark/jars.sha256``.
    """
    check_hashes(folder, expected)
    return f"{len(expected.splitlines())} jars in {folder}"


def space(folder: Path) -> str:
    """Check the free space of a folder's disk."""
    free = shutil.disk_usage(folder).free
    available = f"{free / 1e9:,.1f} GB free in {folder}"
    if free < TOO_LITTLE:
        raise EnvironmentProblem(available, "free disk space; a job needs at least a few times the size of its input")
    if free < LITTLE:
        raise Doubt(available, "free disk space before large jobs; they need a few times the size of their input")
    return available


def _needed() -> list[Requirement]:
    """The packages that jobs need, without those that only some systems do."""
    declared = map(Requirement, requires("cqa-spark") or [])
    return [
        requirement
        for requirement in declared
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in JOBS)
    ]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
