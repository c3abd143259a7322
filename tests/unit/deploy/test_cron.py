"""The script that cron calls: what it hands on, whom it tells, and that one night runs at a time."""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "deploy" / "cron" / "nightly"


@pytest.fixture
def night(tmp_path: Path):
    """Runs the script with a command of the test's and a ``mail`` that writes to files."""
    mail = tmp_path / "bin" / "mail"
    mail.parent.mkdir()
    mail.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/mail.arguments\ncat > {tmp_path}/mail.body\n')
    mail.chmod(0o755)

    def run(program: str, *arguments: str, mail_to: str = "op@example.org") -> subprocess.CompletedProcess[str]:
        command = tmp_path / "command"
        command.write_text(f"#!/bin/sh\n{program}\n")
        command.chmod(0o755)
        environment = {"PATH": f"{mail.parent}:{os.environ['PATH']}", "CQA_LOG_DIR": str(tmp_path / "logs")}
        environment |= {"CQA_COMMAND": str(command), "CQA_MAIL_TO": mail_to}
        return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, check=False)

    return run


def test_a_good_night_is_silent_and_logged(night, tmp_path: Path) -> None:
    done = night('echo "ran with $@"', "--lake", "a lake")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (log,) = (tmp_path / "logs").glob("*.log")
    assert log.read_text() == "ran with --lake a lake\n"
    assert not (tmp_path / "mail.body").exists()


@pytest.mark.parametrize(
    ("status", "told"), [(1, "failed with exit code 1"), (6, "another machine writes"), (7, "a check failed")]
)
def test_a_bad_night_is_mailed_with_the_end_of_its_log(night, tmp_path: Path, status: int, told: str) -> None:
    assert night(f"echo why; exit {status}").returncode == status
    assert told in (tmp_path / "mail.arguments").read_text()
    assert "op@example.org" in (tmp_path / "mail.arguments").read_text()
    assert (tmp_path / "mail.body").read_text().endswith("\nwhy\n")


def test_without_an_address_cron_mails_what_stands_on_standard_error(night, tmp_path: Path) -> None:
    assert "failed with exit code 3" in night("exit 3", mail_to="").stderr
    assert not (tmp_path / "mail.body").exists()


def test_a_second_night_does_not_start(night, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with (tmp_path / "logs" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert night(f"touch {tmp_path}/ran").returncode == 6
    assert not (tmp_path / "ran").exists()
    assert "the night before still runs" in (tmp_path / "mail.arguments").read_text()


@pytest.mark.parametrize("code", [3, 127])  # a program that fails, and none
def test_without_a_program_that_mails_the_message_stands_on_standard_error(night, tmp_path: Path, code: int) -> None:
    (tmp_path / "bin" / "mail").write_text(f"#!/bin/sh\nexit {code}\n")
    done = night("echo why; exit 7")
    assert done.returncode == 7
    assert "a check failed" in done.stderr
    assert done.stderr.endswith("\nwhy\n")


def test_a_lock_that_cannot_be_taken_is_not_the_night_before(night, tmp_path: Path) -> None:
    (tmp_path / "bin" / "flock").write_text("#!/bin/sh\necho no locks here >&2; exit 71\n")
    (tmp_path / "bin" / "flock").chmod(0o755)
    assert night(f"touch {tmp_path}/ran").returncode == 71
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "mail.body").read_text().endswith("\nno locks here\n")
