"""The images: checked by a linter, and in step with the project."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
DOCKERFILES = sorted((REPOSITORY / "deploy").glob("*/Dockerfile"))
HADOLINT = shutil.which("hadolint", path=str(Path(sys.executable).parent))


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="hadolint is installed on Linux and x86-64 only"
)
@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.parent.name)
def test_the_linter_finds_nothing(dockerfile: Path) -> None:
    done = subprocess.run([str(HADOLINT), "--no-color", str(dockerfile)], capture_output=True, text=True)
    assert done.stdout == ""


def test_what_the_image_copies_is_there_and_it_runs_the_demo() -> None:
    lines = (REPOSITORY / "deploy" / "docker" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY")]
    names = [name.replace("${LOCKS}", locks) for name in copied for locks in ("locks", "locks/spark4")]
    assert [name for name in names if not (REPOSITORY / name).exists()] == []
    assert lines[-2:] == ['ENTRYPOINT ["cqa"]', 'CMD ["demo"]']
