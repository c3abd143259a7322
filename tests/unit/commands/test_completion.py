"""Completion in a shell that has read the script."""

import shlex
import shutil
import subprocess

import pytest

from cqa_spark.cli import main

COMPLETED = [
    (["nigh"], ["nightly"]),
    (["runs", "com"], ["compare"]),
    (["nightly", "--lake", "x", "--inp"], ["--input"]),
    (["ingest", "st"], ["stackexchange"]),
    (["ingest", "stackexchange", "--dry"], ["--dry-run"]),
    (["nightly", "a file"], []),
    (["evaluate-file", "--format", "la"], ["latex"]),
    (["run", "--systems", "best_a", "votes_then_l"], ["votes_then_length"]),
    (["evaluate-file", "g", "r", "--measures", "nDC"], ["nDCG"]),
    (["run", "--systems", "best_a", "--bas"], ["--baseline"]),
]
"""What is typed after `cqa`, and what it is completed to."""


@pytest.mark.parametrize(("typed", "completed"), COMPLETED, ids=lambda words: " ".join(words))
def test_commands_and_flags(typed: list[str], completed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    words = " ".join(map(repr, typed))
    ask = f"COMP_WORDS=(cqa {words}); COMP_CWORD={len(typed)}; _cqa; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", f"{capsys.readouterr().out}{ask}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == completed


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
@pytest.mark.parametrize(("typed", "completed"), COMPLETED, ids=lambda words: " ".join(words))
def test_fish_completes_the_same(typed: list[str], completed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "fish"]) == 0
    line = shlex.join(["cqa", *typed])
    ask = f"{capsys.readouterr().out}\ncomplete -C {shlex.quote(line)}"
    done = subprocess.run(["fish", "--no-config", "-c", ask], capture_output=True, text=True, check=True)
    assert [text.partition("\t")[0] for text in done.stdout.splitlines()] == completed


def test_zsh_runs_the_script_as_bash_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.endswith(f"bashcompinit\n{script}")
