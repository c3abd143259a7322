"""One module alone uses what is private in Spark, and Spark has it."""

import ast
from pathlib import Path

from pyspark import SparkContext

import cqa_spark

PACKAGE = Path(cqa_spark.__file__).parent
OF_OTHERS = {"_asdict", "_fields", "_make", "_replace", "_exit", "_ArgumentGroup", "_Element"}
"""The interface of named tuples, ``os._exit``, and names of types in argparse and lxml."""

OF_SUBCLASSES = {"_copyValues", "_dummy", "_resetUid", "_set", "_setDefault"}
"""What PySpark's estimators and models leave to their subclasses."""


def private_names(source: str) -> set[str]:
    """Private attributes that a module reads or writes of objects."""
    nodes = ast.walk(ast.parse(source))
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return {name for name in names if name.startswith("_") and not name.endswith("__")}


def declared_names(source: str) -> set[str]:
    """Private names of functions, fields and variables that a module defines, for itself or for its classes."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            names.add(node.attr)
    return names


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def test_rows_are_persisted_only_where_they_are_released() -> None:
    keeps = {"cache", "checkpoint", "localCheckpoint", "persist", "unpersist"}
    called = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in keeps
    }
    assert called == {"spark/frames.py"}


def test_only_one_module_uses_private_attributes_of_libraries() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    own = OF_OTHERS.union(OF_SUBCLASSES, *map(declared_names, sources.values()))
    foreign = {
        path.relative_to(PACKAGE).as_posix(): sorted(private_names(text) - own) for path, text in sources.items()
    }
    assert {path: names for path, names in foreign.items() if names} == {
        "spark/internals.py": [
            "_active_spark_context", "_ensure_initialized", "_gateway", "_jdf", "_jsc", "_jsparkSession", "_jvm",
        ],
    }  # fmt: skip


def test_pyspark_has_what_it_uses() -> None:
    assert callable(SparkContext._ensure_initialized)
    assert hasattr(SparkContext, "_active_spark_context")
    assert hasattr(SparkContext, "_gateway")
    assert ".egg" in SparkContext.PACKAGE_EXTENSIONS


def test_arrow_schemas_are_asked_of_the_module_that_knows_the_lines_of_spark() -> None:
    sources = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    theirs = {path for path, text in sources.items() if "pyspark.sql.pandas.types import to_arrow_schema" in text}
    assert theirs == set()
