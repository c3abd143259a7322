"""Runs all checks, and prints their findings as text or JSON."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import partial
from uuid import uuid4

from cqa_spark.doctor.finding import Finding
from cqa_spark.doctor.machine import examine_machine
from cqa_spark.doctor.services import examine_storage, examine_tracking
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.locations import open_store
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.inspection import DoctorSettings

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


def _findings(settings: DoctorSettings) -> Iterator[Finding]:
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
        from cqa_spark.doctor.cluster import examine_cluster  # needs PySpark, which the machine may lack
        from cqa_spark.spark.session import session_of

        start = partial(session_of, settings)
        yield from examine_cluster(settings.spark.master, start, trial_table, settings.object_storage)
    yield from examine_tracking(settings.tracking)


def _sound(findings: Iterable[Finding]) -> bool:
    return all(finding.verdict != "failed" for finding in findings)
