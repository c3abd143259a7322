"""Fingerprints of figures change with the code that computes them, and not with its place or words."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from generators.fingerprints import Sources

PROJECT = """
[project.entry-points."cqa_spark.feature_groups"]
mine_v1 = "cqa_spark.mine:MineV1"
[project.entry-points."cqa_spark.rankers"]
column = "cqa_spark.ranker:Column"
"""
RECIPE = "{name: best, task: t, about: x, feature_groups: [mine_v1], ranker: {name: column}}"
MINE = '''
"""A group."""
from cqa_spark.tools import half

LIMIT = 3

class MineV1:
    """Doc."""
    about = "mine"

    def compute(self, batch: "Batch") -> dict:
        """Doc."""
        found = half(batch.values)
        if found is None:
            raise ValueError("no values")
        return {"x": found * LIMIT}
'''
TOOLS = "from numpy import abs\n\ndef half(value):\n    return abs(value) / 2\n"
RANKER = "class Column:\n    name = 'column'\n"
UNUSED = "def unused():\n    return 1\n"


def fingerprint(root: Path, **changed: str) -> str:
    files: Mapping[str, str] = {"mine": MINE, "tools": TOOLS, "ranker": RANKER, "unused": UNUSED} | changed
    (root / "cqa_spark").mkdir(parents=True)
    (root / "conf/systems").mkdir(parents=True)
    (root / "pyproject.toml").write_text(files.get("project", PROJECT))
    (root / "conf/systems/best.yaml").write_text(files.get("recipe", RECIPE))
    for name in files.keys() - {"project", "recipe"}:
        (root / "cqa_spark" / f"{name}.py").write_text(files[name])
    return Sources(root).system("best")


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"unused": "def unused():\n    return 2\n"}, id="code that is not reached"),
        pytest.param({"mine": MINE.replace("found", "halved")}, id="name of a local variable"),
        pytest.param({"mine": MINE.replace('"mine"', '"ours"').replace("Doc.", "Other.")}, id="descriptions"),
        pytest.param({"mine": MINE.replace("no values", "none")}, id="message of an error"),
        pytest.param({"mine": MINE.replace('"Batch"', "int")}, id="annotation"),
        pytest.param(
            {"mine": MINE.replace("tools", "moved"), "moved": TOOLS, "tools": ""}, id="a function in another module"
        ),
        pytest.param(
            {"mine": MINE.replace("half", "halved"), "tools": TOOLS.replace("half", "halved")}, id="name of a function"
        ),
        pytest.param(
            {"mine": MINE.replace("from cqa_spark.tools import half", TOOLS), "tools": ""}, id="modules merged"
        ),
        pytest.param(
            {"project": PROJECT.replace("cqa_spark.ranker:", "cqa_spark.other:"), "other": RANKER}, id="another module"
        ),
        pytest.param({"recipe": RECIPE.replace("about: x", "about: y")}, id="description of the recipe"),
    ],
)
def test_the_same_computation_has_the_same_fingerprint(tmp_path: Path, changed: dict[str, str]) -> None:
    assert fingerprint(tmp_path / "changed", **changed) == fingerprint(tmp_path / "before")


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"mine": MINE.replace("LIMIT = 3", "LIMIT = 4")}, id="a constant"),
        pytest.param({"tools": TOOLS.replace("/ 2", "/ 3")}, id="a function that it imports"),
        pytest.param({"tools": TOOLS.replace("import abs", "import sqrt as abs")}, id="a function of a library"),
        pytest.param({"mine": MINE.replace("batch.values", "batch.others")}, id="an attribute"),
        pytest.param({"mine": MINE.replace('"x"', '"y"')}, id="a column"),
        pytest.param({"ranker": RANKER + "    depth = 4\n"}, id="the ranker"),
        pytest.param({"recipe": RECIPE.replace("name: column", "name: column, parameters: {a: 1}")}, id="a parameter"),
        pytest.param({"batch": "class QueryBatch:\n    size = 1\n"}, id="what all groups read"),
    ],
)
def test_another_computation_has_another_fingerprint(tmp_path: Path, changed: dict[str, str]) -> None:
    assert fingerprint(tmp_path / "changed", **changed) != fingerprint(tmp_path / "before")


def test_definitions_that_reach_each_other_are_read_once(tmp_path: Path) -> None:
    tools = "def half(value):\n    return other(value)\n\ndef other(value):\n    return value and half(value - 1)\n"
    assert fingerprint(tmp_path / "one", tools=tools) != fingerprint(tmp_path / "two")
