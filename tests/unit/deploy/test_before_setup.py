"""Every script says what is wrong where nothing is set up: no .venv, no .jars, no program of a cloud."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts and settings of a fresh checkout."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(ROOT / "spark-submit.sh", folder)
    for name in ("conf", "deploy", "jobs"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def called(checkout: Path, command: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(checkout)}
    return subprocess.run(shlex.split(command), cwd=checkout, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    "command",
    [
        "./spark-submit.sh --dry-run nightly --input x --lake y",
        "deploy/emr/submit --dry-run j-2AX nightly --input x --lake y",
    ],
)
def test_a_dry_run_prints_the_command(checkout: Path, command: str) -> None:
    done = called(checkout, command)
    assert (done.returncode, done.stderr, "nightly" in done.stdout) == (0, "", True)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("./spark-submit.sh nightly --input x --lake y", "run 'make setup'"),
        ("deploy/install-offline", "make offline"),
    ],
)
def test_what_is_absent_is_named_with_its_remedy(checkout: Path, command: str, told: str) -> None:
    done = called(checkout, command)
    assert (done.returncode in (1, 2), done.stdout) == (True, "")
    assert told in done.stderr


def test_no_script_fails_in_silence(checkout: Path) -> None:
    scripts = [path for path in (checkout / "deploy").rglob("*") if path.is_file() and path.stat().st_mode & 0o100]
    assert len(scripts) == 6
    for script in [checkout / "spark-submit.sh", *scripts]:
        for arguments in ("", "--dry-run", "j-2AX nightly", "c r gs://b/f", "s3://b/f", "c r nightly", "nightly"):
            done = called(checkout, f"{script} {arguments}")
            assert done.returncode == 0 or done.stderr, (script, arguments)
