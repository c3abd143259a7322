"""The wheel, installed without a checkout: ``conf/`` travels in it, and the commands work from any folder."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import nbformat
import pytest

from cqa_spark.runtime.workspace import package_version

ROOT = Path(__file__).resolve().parents[2]

Cqa = Callable[..., str]


@pytest.fixture(scope="module")
def cqa(installed: Callable[..., str]) -> Cqa:
    """Runs the installed command."""
    return partial(installed, "cqa")


@pytest.fixture(scope="module")
def sample(cqa: Cqa) -> None:
    """The inputs of ``conf/demo.yaml``, in the folder where the command runs."""
    cqa("synth", "qatar-living", "--output", "build/sample", "--threads", "3", "--dev-threads", "2")


def test_it_has_all_systems_and_groups(cqa: Cqa) -> None:
    listed = cqa("systems", "list")
    assert all(path.stem in listed for path in (ROOT / "conf" / "systems").glob("*.yaml"))
    assert "lexicon_v2" in cqa("features", "list")
    assert json.loads(cqa("systems", "show", "night_answers", "--format", "json"))["card"]["version"]


@pytest.mark.usefixtures("sample")
def test_the_demo_is_planned_in_an_empty_folder(cqa: Cqa) -> None:
    planned = cqa("run", "--config", "conf/demo.yaml", "--dry-run")
    assert "build/sample/train.xml" in planned
    assert "evaluate" in planned.partition("steps:")[2]
    assert "cqa_spark/conf/demo.yaml" in cqa("demo", "--dry-run")


def test_its_jars_are_in_the_cache_of_the_user(cqa: Cqa) -> None:
    assert "cache/cqa-spark/jars" in cqa("setup", "--dry-run")


def test_its_code_version_is_that_of_the_checkout(cqa: Cqa) -> None:
    assert cqa("--version") == f"cqa-spark {package_version()}\n"


def test_another_home_has_its_own_systems(cqa: Cqa, tmp_path: Path) -> None:
    (tmp_path / "conf" / "systems").mkdir(parents=True)
    shutil.copy(ROOT / "conf" / "systems" / "random.yaml", tmp_path / "conf" / "systems")
    listed = cqa("systems", "list", CQA_HOME=str(tmp_path))
    assert "random" in listed
    assert "best_a" not in listed


@pytest.mark.usefixtures("sample")
def test_the_page_on_plugins_works_without_a_checkout(cqa: Cqa, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "add-your-own.md").read_text(encoding="utf-8")
    commands = re.findall("^cqa (new .*)$", page, re.MULTILINE)
    written = "".join(cqa(*command.split(), "--output", str(tmp_path)) for command in commands)
    assert (len(commands), "shoe_size/shoe_size/feature_group.py" in written) == (11, True)
    build = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--no-build-isolation"]
    subprocess.run([*build, "--python", sys.executable, str(tmp_path / "shoe_size")], check=True)
    (wheel,) = (tmp_path / "shoe_size" / "dist").glob("*.whl")
    (group,) = [
        group
        for group in json.loads(cqa("features", "list", "--format", "json", PYTHONPATH=str(wheel)))
        if group["name"] == "shoe_size_v1"
    ]
    assert group["origin"] == "shoe_size 0.1.0"
    recipe = str(tmp_path / "mine.yaml")
    planned = cqa("run", "--config", "conf/demo.yaml", "--systems", "given_order", recipe, "--dry-run")
    assert "- mine\n" in planned


@pytest.mark.parametrize(("name", "cells"), [("write-a-feature-group", 3), ("compare-two-systems", 4)])
def test_a_notebook_runs_in_an_empty_folder(installed: Callable[..., str], name: str, cells: int) -> None:
    notebook = nbformat.read(ROOT / "docs" / "notebooks" / f"{name}.ipynb", as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    package = installed("python", "-c", "\n".join([*code, "import cqa_spark", "print(cqa_spark.__file__)"]))
    assert (len(code), "site-packages" in package) == (cells, True)
