"""Command lines that read a lake, as README, the documentation and ``--help`` print them: each starts Spark itself."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documented_commands import commands_of, documented_commands, job_of
from golden.run import GoldenRun

READERS = {
    "explain", "export", "export dataset", "export trec", "inspect", "lake register", "runs gc", "runs keep",
    "runs list", "runs publish", "runs show",
}  # fmt: skip
"""Commands that read the lake of any run; the others need nights, a run or a corpus of their own."""

ONE_OF_EACH = [
    "cqa explain --lake build/lake --thread 42",
    "cqa inspect --lake build/lake",
    "cqa export trec --lake build/lake build/trec",
]
"""Those whose tests are quick enough for every change."""

pytestmark = pytest.mark.slow

LINES = [line for line in documented_commands() if (job := job_of(line.split())) and job.name in READERS]


def _marked(line: str) -> object:
    return line if line in ONE_OF_EACH else pytest.param(line, marks=pytest.mark.more)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("line", [_marked(line) for line in LINES if "s3a://" not in line and "s3://" not in line])
def test_a_documented_line_reads_the_lake(line: str, question_comment_run: GoldenRun, tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    question_comment_run.copy(tmp_path / "build")
    done = subprocess.run(
        [sys.executable, "-m", "cqa_spark", *_of_this_lake(line)[1:]], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.usefixtures("at_home")
def test_python_explains_whatever_spark_the_machine_has(question_comment_run: GoldenRun, tmp_path: Path) -> None:
    program = "import sys, cqa_spark as cqa; print(cqa.open_lake(sys.argv[1]).explain(sys.argv[2]).system)"
    command = [sys.executable, "-c", program, question_comment_run.root, "Q9_R1"]
    another = {
        "SPARK_HOME": "/opt/another-spark",
        "PYSPARK_SUBMIT_ARGS": "--master yarn pyspark-shell",
        "PYSPARK_PYTHON": "/opt/another-spark/python3",
    }
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | another, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "learned\n"), done.stderr


def _of_this_lake(line: str) -> list[str]:
    """The first command of a line, with the names of this lake's run, thread, system and site."""
    ours = {"build/beer": "build/lake", "beer.stackexchange.com": "qatarliving.com", "best_a": "learned"}
    ours |= {"metadata_boosted_snapshot": "learned"}
    ours |= dict.fromkeys(("8", "42", "Q42_R4"), "Q9_R1") | dict.fromkeys(("mine", "beer", "RUN"), "r1")
    words = [ours.get(word, word) for word in next(commands_of(line))]
    if words[1] == "export" and words[2] not in ("dataset", "trec") and "--system" not in words:
        words += ["--system", "learned"]  # the settings of a night name the one that ranks, those of this run do not
    return [re.sub(r"^\d{8}T\w+-\w+$", "r1", word) for word in words]
