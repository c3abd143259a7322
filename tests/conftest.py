"""Fixtures of all tests, their order, and what is said about those that fail."""

import os
import shlex
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from requirements import lacking

pytest_plugins = ["golden.duplicate", "golden.preferred_answer", "golden.question_comment", "installed_wheel"]

REPOSITORY = Path(__file__).resolve().parents[1]

# Without credentials, Google's client asks the metadata of its cloud's machines. This is a closed port, also for Spark.
os.environ |= {"GCE_METADATA_HOST": "127.0.0.1:1", "NO_GCE_CHECK": "true"}

# A slow machine is no failure. The inputs of a rule's test follow from its code, so equal code gives equal results; new
# ones are tried by `make test-rules`.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same inputs", settings.get_profile("any machine"), derandomize=True)
settings.register_profile("new inputs", settings.get_profile("any machine"), max_examples=1000, print_blob=True)
settings.load_profile("same inputs")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Unit tests first: what fails there fails in seconds. Then the files with the slowest tests.

    Several processes take files in this order, and end together when the last ones are short.
    """
    minutes: dict[Path, float] = defaultdict(float)
    for item in items:
        for mark in item.iter_markers("slow"):
            minutes[item.path] = max(minutes[item.path], mark.kwargs.get("minutes", 0.2))
    items.sort(key=lambda item: ("integration" in item.path.parts, -minutes[item.path]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the command that repeats each test that failed, alone."""
    reports = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
    for nodeid in dict.fromkeys(report.nodeid for report in reports):
        terminalreporter.write_line(f"to repeat it alone: .venv/bin/pytest {shlex.quote(nodeid)}")


@pytest.fixture(scope="session")
def cqa_data() -> Path:
    """The folder with the public research data, which is not part of the repository."""
    folder = Path(os.environ.get("CQA_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        lacking("data", f"needs the research data, and {folder} is absent: set CQA_DATA to its folder")
    return folder
