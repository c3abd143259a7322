"""``cqa doctor``: checks of the environment; each tests a requirement of jobs, and gives a remedy if it fails."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import CqaError, EnvironmentProblem, message_of
from cqa_spark.process.disks import nearest_folder
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.conf_files import jars_folder, project_root
from cqa_spark.settings.sections import OptionalLake, OutputFormat, TrackedSettings
from cqa_spark.settings.values import is_remote

if TYPE_CHECKING:
    from packaging.requirements import Requirement


class DoctorSettings(TrackedSettings):
    """Check the environment: Java, Python, packages, jars, disk, storage, Spark and MLflow."""

    examples = (
        "cqa doctor --lake build/lake",
        "cqa doctor --lake s3a://bucket/lake --object-storage.endpoint https://s3.example.org --format json",
        "cqa doctor --lake s3a://bucket/lake --spark.master spark://host:7077",
    )
    reading = ()

    is_always_tracked = True

    lake: OptionalLake = ""
    format: OutputFormat = "table"

    def writes(self) -> list[str]:
        """Temporary objects and a temporary table."""
        return [f"{self.lake}/cqa-doctor-… (temporary)"] if self.lake else []


MARKS = {"ok": "ok      ", "warning": "warning ", "failed": "FAILED  "}


def consult(settings: DoctorSettings) -> None:
    """Run all checks and print their findings.

    Raises:
        EnvironmentProblem: a check failed; all findings have been printed.
    """
    findings = print_findings(_findings(settings), as_json=settings.format == "json")
    failed = [finding.check for finding in findings if finding.verdict == "failed"]
    if failed:
        raise EnvironmentProblem(f"jobs will fail here: {', '.join(failed)}", "follow the remedies above")


def _findings(settings: DoctorSettings) -> Iterator[Finding]:
    from cqa_spark.commands.doctor_services import examine_cluster, examine_storage, examine_tracking
    from cqa_spark.object_store.locations import open_store

    machine = list(examine_machine(settings.lake))
    yield from machine
    trial = f"cqa-doctor-{uuid4().hex}"
    trial_table = None
    if settings.lake:
        storage = list(
            examine_storage(open_store(settings.lake, settings.object_storage), trial, settings.object_storage)
        )
        yield from storage
        trial_table = f"{settings.lake.rstrip('/')}/{trial}" if _sound(storage) else None
    if _sound(machine):
        from cqa_spark.spark.session import session_of  # needs PySpark, which the machine may lack

        start = partial(session_of, settings)
        yield from examine_cluster(settings.spark.master, start, trial_table, settings.object_storage)
    yield from examine_tracking(settings.tracking)


def _sound(findings: Iterable[Finding]) -> bool:
    return all(finding.verdict != "failed" for finding in findings)


def print_findings(findings: Iterable[Finding], *, as_json: bool) -> list[Finding]:
    """Print findings, as text one by one; return them."""
    printed = []
    terminal = Terminal()
    for finding in findings:
        printed.append(finding)
        if not as_json:
            terminal.line(f"{MARKS[finding.verdict]}{finding.check}: {finding.found}")
            if finding.remedy:
                terminal.line(f"          → {finding.remedy}")
    if as_json:
        print(json.dumps([asdict(finding) for finding in printed], indent=2))
    return printed


Verdict = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    Attributes:
        check: name of the check.
        verdict: ok, warning or failed; jobs run despite warnings.
        found: description of the finding.
        remedy: what to do; empty without a problem.
    """

    check: str
    verdict: Verdict
    found: str
    remedy: str = ""


class Doubt(CqaError):
    """A problem that does not stop jobs."""


def examine(check: str, probe: Callable[[], str]) -> Finding:
    """Run a check.

    Args:
        check: name of the check.
        probe: returns a description; raises a ``Doubt`` for a warning, and any other exception for a failure.
    """
    try:
        return Finding(check, "ok", probe())
    except Doubt as doubt:
        return Finding(check, "warning", doubt.problem, doubt.remedy)
    except CqaError as error:
        return Finding(check, "failed", error.problem, error.remedy)
    except Exception as error:  # Java, MLflow and sockets raise many types
        first_line = (message_of(error).strip() or "no reason given").splitlines()[0]
        return Finding(
            check, "failed", f"{type(error).__name__}: {first_line}", "see the message; no temporary files are left"
        )


EXTRAS = ("spark", "learning")
"""The extras that jobs need."""


LITTLE, TOO_LITTLE = 10 * 10**9, 10**9
"""Bytes of free space below which the check warns, and below which it fails."""


def examine_machine(lake: str) -> Iterator[Finding]:
    """Check this machine.

    Args:
        lake: location of the lake; empty if not configured.
    """
    from cqa_spark.spark.jars import HASHES

    yield examine("Java", _java)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit has started the Spark that it was told to
        yield examine("environment", environment)
    yield examine("Python", lambda: python_version(platform.python_version()))
    yield examine("packages", lambda: packages(_needed()))
    if _installed("pyspark"):  # which says of what line they are to be
        yield examine("jars", lambda: jars(jars_folder(), (project_root() / HASHES).read_text(encoding="utf-8")))
    yield examine("temporary space", lambda: space(Path(tempfile.gettempdir())))
    if lake and not is_remote(lake):
        yield examine("space for the lake", lambda: space(nearest_folder(lake)))


def _java() -> str:
    from cqa_spark.spark.jars import JAVA, check_java

    check_java()
    return f"Java {JAVA}"


def environment() -> str:
    """Check that no variable of the environment names another Spark than the installed PySpark."""
    from cqa_spark.spark.jars import variables_of_another_spark

    if variables := variables_of_another_spark():
        raise Doubt(
            "; ".join(f"{name}={value} is of another Spark" for name, value in variables.items()),
            f"local jobs use the installed PySpark and leave {' and '.join(variables)} aside; for a job on another "
            "Spark: ./spark-submit.sh",
        )
    return "no variable of another Spark"


def python_version(version: str) -> str:
    """Check the version of the running Python."""
    from packaging.specifiers import SpecifierSet

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


def _needed() -> list[Requirement]:
    """The packages that jobs need, without those that only some systems do."""
    from packaging.requirements import Requirement

    declared = map(Requirement, requires("cqa-spark") or [])
    return [
        requirement
        for requirement in declared
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in EXTRAS)
    ]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def jars(folder: Path, expected: str) -> str:
    """Check that all jars are present, with the recorded hashes.

    Args:
        folder: the folder of the jars.
        expected: the content of ``HASHES``.
    """
    from cqa_spark.spark.jars import LINE, check_hashes

    check_hashes(folder, expected)
    return f"{len(expected.splitlines())} for Spark {LINE} in {folder}"


def space(folder: Path) -> str:
    """Check the free space of a folder's disk."""
    free = shutil.disk_usage(folder).free
    available = f"{free / 1e9:,.1f} GB free in {folder}"
    if free < TOO_LITTLE:
        raise EnvironmentProblem(available, "free disk space; a job needs at least a few times the size of its input")
    if free < LITTLE:
        raise Doubt(available, "free disk space before large jobs; they need a few times the size of their input")
    return available


JOBS = (Job("doctor", "check Java, packages, jars, disk, storage, Spark and MLflow", "setup", DoctorSettings, consult),)
