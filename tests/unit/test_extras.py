"""The base package works without the libraries of its extras, and what needs them names the extra."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from test_project_files import PROJECT, ROOT

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.failures import absent_library, require_extra

WITHOUT_EXTRAS = """
import importlib.metadata
import sys
from importlib.abc import MetaPathFinder
from importlib.metadata import packages_distributions, requires
from packaging.requirements import Requirement

base, waiting = set(), ["cqa-spark"]
while waiting:
    base.add(name := waiting.pop())
    needed = [need for need in map(Requirement, requires(name) or []) if not need.marker or need.marker.evaluate()]
    waiting += {need.name.lower() for need in needed} - base
absent = {
    module
    for module, packages in packages_distributions().items()
    if not {package.lower().replace("_", "-") for package in packages} & base
}


class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def distribution(name, known=importlib.metadata.distribution):
    if name.lower().replace("_", "-") not in base:
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)


sys.meta_path.insert(0, Absent())
importlib.metadata.distribution = distribution
"""
"""Makes every installed package absent that the base package does not bring."""

COMMAND = "import cqa_spark.cli\nsys.exit(cqa_spark.cli.main(sys.argv[1:]))"


def without_extras(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_EXTRAS + program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "old.run").write_text("q1 Q0 b 1 2.0 old\nq1 Q0 a 2 1.0 old\n")
    (tmp_path / "new.run").write_text("q1 Q0 a 1 2.0 new\nq1 Q0 b 2 1.0 new\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("evaluate-file gold.qrels old.run --measures MRR@10 nDCG@10 --format csv", "old.run,1,0.5,0.63"),
        ("compare-files gold.qrels old.run new.run --measures RR --format csv", "new.run"),
        ("data list", "semeval2016"),
        ("data where semeval2016_task3", "looked for in"),
        ("systems list", "best_a"),
        ("nightly --help", "--input"),
    ],
)
def test_the_base_package_evaluates_and_describes(folder: Path, command: str, shown: str) -> None:
    done = without_extras(folder, COMMAND, *command.split())
    assert (done.returncode, shown in done.stdout) == (0, True), done


def test_python_evaluates_and_names_the_extra_of_a_lake(folder: Path) -> None:
    program = """
import cqa_spark as cqa
print(cqa.evaluate("gold.qrels", "old.run", ["RR"]))
cqa.compare("gold.qrels", {"old": "old.run", "new": "new.run"})
cqa.open_lake("lake")
"""
    done = without_extras(folder, program)
    assert done.stdout.startswith("{'RR': 0.5}")
    assert done.stderr.splitlines()[-1].endswith("pip install 'cqa-spark[all]'")


@pytest.mark.parametrize("command", ["runs list --lake .", "ingest --input gold.qrels --lake lake"])
def test_a_job_names_the_extra_that_it_needs(folder: Path, command: str) -> None:
    done = without_extras(folder, COMMAND, *command.split())
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        4,
        "  → install it with all that jobs need: pip install 'cqa-spark[all]'",
    )


def test_the_doctor_works_without_the_libraries_that_it_looks_for(folder: Path) -> None:
    done = without_extras(folder, COMMAND, "doctor")
    assert "ok      Java: " in done.stdout
    assert "FAILED  packages: " in done.stdout
    assert "pyspark (absent)" in done.stdout
    assert "jars: " not in done.stdout
    assert "MLflow is not installed" in done.stdout
    assert done.stderr == "cqa: jobs will fail here: packages\n  → follow the remedies above\n"


@pytest.mark.parametrize(("extra", "advised"), [("mlflow", "all"), ("learning", "all"), ("neural", "all,neural")])
def test_the_advised_extras_bring_all_that_jobs_need(extra: str, advised: str) -> None:
    with pytest.raises(EnvironmentProblem) as problem:
        require_extra(extra, ["no_such_library"], "this")
    assert problem.value.remedy == f"install it with all that jobs need: pip install 'cqa-spark[{advised}]'"


def imported_libraries() -> set[str]:
    """Top-level modules of others that the package imports anywhere."""
    names = set()
    for path in (ROOT / "cqa_spark").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.add(node.module)
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"cqa_spark", "_typeshed"}


PACKAGES = {"yaml": "pyyaml", "pydantic_core": "pydantic"}
"""The base package that brings a module of another name."""


def test_every_imported_library_is_of_the_base_or_of_an_extra() -> None:
    base = {canonicalize_name(Requirement(declared).name) for declared in PROJECT["dependencies"]}
    unnamed = {name for name in imported_libraries() if not absent_library(f"No module named {name!r}")}
    assert {PACKAGES.get(name, canonicalize_name(name)) for name in unnamed} == base


def test_a_module_of_nobody_is_a_defect() -> None:
    assert absent_library("No module named 'their_plugin'") is None
    assert absent_library("division by zero") is None
