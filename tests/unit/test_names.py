"""Names say what they stand for: a public class stands once, and words that could stand for anything are no names."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import cqa_spark

PACKAGE = Path(cqa_spark.__file__).parent
TREES = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}

VAGUE = {"each", "found", "kept", "known", "place", "written"}
"""Words that hide what they stand for: the thing of a loop, a result, a position, a participle without its noun."""

FACES = {"Job": "api/job.py", "Lake": "api/lake.py", "Run": "api/lake.py"}
"""Classes of the Python interface, which bear the names of what they show, and their modules."""

UNFINISHED = {
    "api", "commands", "corpora", "doctor", "evaluation", "examples", "features", "flows", "lake", "model_folder",
    "rankers", "reports", "steps", "systems", "tasks",
}  # fmt: skip
"""Packages in which vague words are left; it only shrinks."""


def test_a_public_class_stands_once() -> None:
    modules = defaultdict(list)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and FACES.get(node.name) != path:
                modules[node.name].append(path)
    repeated = {name: sorted(paths) for name, paths in modules.items() if len(paths) > 1}
    # A step of the experiment is called as what it does, and has another name in the flow.
    assert repeated == {"Measure": ["evaluation/measure.py", "tasks/preferred_answer/xu_2018.py"]}


def vague_names(tree: ast.Module) -> Iterator[str]:
    """The vague words among the names that a module gives: of variables, arguments, functions and classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name: str | None = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            name = node.name
        elif isinstance(node, ast.alias):
            name = node.asname
        else:
            continue
        if name and name.strip("_") in VAGUE:
            yield name


def test_a_vague_name_is_seen_wherever_it_is_given() -> None:
    source = "def found(place, *, kept=1):\n  return [each for each in known if (written := each)]\nimport os as known"
    assert sorted(vague_names(ast.parse(source))) == ["each", "found", "kept", "known", "place", "written"]


@pytest.mark.parametrize("package", sorted({path.split("/")[0] for path in TREES} - UNFINISHED))
def test_no_name_is_a_vague_word(package: str) -> None:
    names = {path: sorted(vague_names(tree)) for path, tree in TREES.items() if path.split("/")[0] == package}
    assert {path: vague for path, vague in names.items() if vague} == {}


def test_packages_without_vague_names_are_not_excepted() -> None:
    vague = {path.split("/")[0] for path, tree in TREES.items() if any(vague_names(tree))}
    assert vague == UNFINISHED
