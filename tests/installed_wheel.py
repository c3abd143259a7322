"""The wheel, installed for programs that run in an empty folder."""

import os
import shutil
import site
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cqa_spark.settings.conf_files import jars_folder

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("cqa_spark", "conf", "jobs", "pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs a program in an empty folder; its environment has the wheel, and the tests' dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "sources").mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / "sources" / name)
    uv = [shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") or "uv"]
    build = [*uv, "build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*build, "--out-dir", str(folder), str(folder / "sources")], check=True)
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(folder / "venv")], check=True)
    (wheel,) = folder.glob("*.whl")
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run([*uv, "pip", "install", "--quiet", "--no-deps", "--python", python, str(wheel)], check=True)
    (packages,) = (folder / "venv").glob("lib/*/site-packages")
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()))
    (folder / "cache" / "cqa-spark").mkdir(parents=True)
    (folder / "cache" / "cqa-spark" / "jars").symlink_to(jars_folder())
    (folder / "empty").mkdir()
    environment = {name: value for name, value in os.environ.items() if name not in ("CQA_HOME", "PYTHONPATH")}
    environment["XDG_CACHE_HOME"] = str(folder / "cache")

    def run(program: str, *arguments: str, **variables: str) -> str:
        done = subprocess.run(
            [str(folder / "venv" / "bin" / program), *arguments],
            cwd=folder / "empty",
            env=environment | variables,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
