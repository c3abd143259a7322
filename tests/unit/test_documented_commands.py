"""Every command line that README, the documentation and ``--help`` print works in a process of its own."""

import glob
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documented_commands import (
    NOT_HERE,
    ROOT,
    commands_of,
    documented_commands,
    job_of,
    run_apart,
    write_inputs,
)

DOCUMENTED = documented_commands()
OURS = [line for line in DOCUMENTED if line.startswith("cqa ")]
SCRIPTS = [line for line in DOCUMENTED if re.match(r"\./spark-submit\.sh |deploy/", line)]
DATA = re.compile(r"conf/(semeval|sts|arabic|askubuntu)|^cqa reproduce|^cqa data check")
"""Command lines that read research data."""

QUICK = {
    "check-files", "compare-files", "completion", "corpora list", "data list", "data where", "evaluate-file",
    "features list",
    "features show", "fuse", "measures list", "new", "rankers list", "systems list", "systems show",
    "tasks list",
}  # fmt: skip
"""Commands that need no Spark and no lake, and so run as they are printed."""


def reason_not_to_run(line: str) -> str:
    return next((reason for pattern, reason in NOT_HERE.items() if re.search(pattern, line)), "")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


def test_every_line_is_a_command_or_has_a_reason_why_it_does_not_run() -> None:
    assert OURS
    assert SCRIPTS
    others = [line for line in DOCUMENTED if line not in OURS + SCRIPTS]
    assert [line for line in others if not reason_not_to_run(line)] == []
    unused = [pattern for pattern in NOT_HERE if not any(re.search(pattern, line) for line in DOCUMENTED)]
    assert unused == []


@pytest.mark.parametrize("line", OURS)
def test_a_command_line_is_understood(line: str, inputs: Path, request: pytest.FixtureRequest) -> None:
    if reason := reason_not_to_run(line):
        assert (job_of(shlex.split(line)), bool(reason)) != (None, False)
        return
    variables = {"CQA_DATA": str(request.getfixturevalue("cqa_data"))} if DATA.search(line) else {}
    for command in commands_of(line):
        if command[0] == "cqa":
            code, shown = run_apart([*expanded(command[1:], inputs), "--dry-run"], inputs, variables)
            assert code == 0, f"{DOCUMENTED[line]}: {line}\n{shown}"


@pytest.mark.parametrize("line", [line for line in OURS if (job := job_of(line.split())) and job.name in QUICK])
def test_a_command_line_without_spark_runs(line: str, inputs: Path) -> None:
    if not reason_not_to_run(line):
        code, shown = run_apart(expanded(next(commands_of(line))[1:], inputs), inputs, {})
        assert code == 0, f"{DOCUMENTED[line]}: {line}\n{shown}"


@pytest.mark.parametrize("line", SCRIPTS)
def test_a_script_resolves_its_command(line: str) -> None:
    if not reason_not_to_run(line):
        script, *arguments = shlex.split(line)
        known = ["j-2AXXXXXXGAPLF" if word == "j-…" else word for word in arguments]
        done = subprocess.run([ROOT / script, "--dry-run", *known], cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), DOCUMENTED[line]


def test_the_package_is_a_program() -> None:
    program = [sys.executable, "-m", "cqa_spark", "--version"]
    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout.startswith("cqa-spark ")


def expanded(words: list[str], folder: Path) -> list[str]:
    """The words as a shell hands them on, with the names of files in place of patterns."""
    expanded_words: list[str] = []
    for word in words:
        names = sorted(glob.glob(word, root_dir=folder)) if "*" in word else []
        expanded_words += names or [os.path.expanduser(word)]
    return expanded_words
