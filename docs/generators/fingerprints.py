"""Fingerprints of figures: hashes of the recipes, features, rankers and measures that they were computed with.

It covers the code that a recipe's definitions reach, read from the sources without importing them, so that it can be
computed for any commit. It does not change if definitions move between modules, are renamed or described
otherwise: a name counts as what it stands for, and docstrings, annotations, messages of errors and names of local
variables do not count. What a method of an argument does is not followed, except for the batches that all groups read.
"""

import ast
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

PACKAGE = "cqa_spark"
SHARED = ("QueryBatch", "AuthorBatch", "Texts", "clustered_mean", "bootstrap_indices")
"""Definitions that figures depend on without naming them: what groups read, and intervals. Absent ones are left out."""

MEASURES = ("Accuracy", "AvgRec", "F1", "MAP", "MRR", "P", "Pearson", "R", "RR", "TMAP")
"""The measures that pages print."""

COMPUTES = ("task", "feature_groups", "ranker", "upstream")
"""The fields of a recipe that its scores depend on."""

_PROSE = frozenset({"about", "caution", "description", "source", "noun", "is_as_of", "as_of_dump"})
"""Attributes of classes and keywords of calls that only describe, or declare what audits test."""

_DESCRIBED = {"FeatureColumn": (1, 2)}
"""Positional arguments of calls that only describe."""

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

Place = tuple[str, str]
"""A module of the package, and a name that it defines."""


class Sources:
    """The sources of the package in a checkout.

    Args:
        root: the folder of the checkout.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[Place, tuple[str, list[Place]]] = {}

    def system(self, name: str) -> str:
        """The fingerprint of a system's figures.

        Args:
            name: its recipe.

        Raises:
            KeyError: there is no such recipe.
        """
        recipes = [name, *self._recipes[name].get("upstream", ())]
        plugins = [("measures", measure) for measure in MEASURES]
        for recipe in map(self._recipes.__getitem__, recipes):
            plugins += [("feature_groups", group) for group in recipe.get("feature_groups", ())]
            plugins += [("rankers", ranker) for ranker in _rankers(recipe["ranker"])]
        targets = [self._plugins.get(kind, {}).get(plugin, plugin).partition(":") for kind, plugin in plugins]
        roots = [(module, attribute) for module, colon, attribute in targets if colon]
        computed = [{field: self._recipes[recipe].get(field) for field in COMPUTES} for recipe in recipes]
        return _hash([computed, self.reached([*roots, *self._shared])])

    def reached(self, roots: Iterable[Place]) -> list[str]:
        """The hashes of all definitions that definitions reach, themselves included, in order."""
        waiting, hashes = [*roots], dict[Place, str]()
        while waiting:
            place = waiting.pop()
            if place not in hashes:
                hashes[place], references = self._definition(place)
                waiting += references
        return sorted(hashes.values())

    def _definition(self, place: Place) -> tuple[str, list[Place]]:
        """The hash of a definition, in which other definitions have numbers in place of names, and these."""
        if place not in self._read:
            module, name = place
            reader = _Reader(self, module)
            content = [reader.read(node) for node in self.trees[module].body if name in _bound(node)]
            self._read[place] = _hash(content), [*reader.references]
        return self._read[place]

    def resolve(self, module: str, name: str) -> Place | str:
        """Where a name at the top of a module is defined: in the package, or what it is called outside."""
        tree = self.trees.get(module)
        if tree is None:
            return f"{module}.{name}"
        for node in tree.body:
            if isinstance(node, ast.ImportFrom | ast.Import):
                for alias in node.names:
                    if (alias.asname or alias.name.partition(".")[0]) == name:
                        return self.imported(node, alias)
            elif name in _bound(node):
                return module, name
        return name

    def imported(self, node: ast.ImportFrom | ast.Import, alias: ast.alias) -> Place | str:
        """Where an imported name is defined."""
        if isinstance(node, ast.Import):
            return alias.name
        parent = str(node.module)
        if f"{parent}.{alias.name}" in self.trees:
            return f"{parent}.{alias.name}"
        return self.resolve(parent, alias.name) if parent in self.trees else f"{parent}.{alias.name}"

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        """The modules of the package, by name."""
        trees = {}
        for path in sorted((self.root / PACKAGE).rglob("*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            trees[name] = ast.parse(path.read_text(encoding="utf-8"))
        return trees

    @cached_property
    def _shared(self) -> list[Place]:
        bound = ((module, name) for module, tree in self.trees.items() for node in tree.body for name in _bound(node))
        return sorted({(module, name) for module, name in bound if name in SHARED})

    @cached_property
    def _recipes(self) -> Mapping[str, Any]:
        files = sorted((self.root / "conf/systems").glob("*.yaml"))
        return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in files}

    @cached_property
    def _plugins(self) -> Mapping[str, Mapping[str, str]]:
        project = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return {kind.rpartition(".")[2]: names for kind, names in project.get("entry-points", {}).items()}


class _Reader:
    """Reads a definition of a module as nested lists."""

    def __init__(self, sources: Sources, module: str) -> None:
        self.sources, self.module = sources, module
        self.locals: dict[str, str | int] = {}
        self.references: dict[Place, int] = {}

    def read(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self.read(item) for item in node if not _only_describes(item)]
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Raise):
            return "raise"
        if isinstance(node, _FUNCTIONS | ast.ClassDef):
            self._declare(node)
        fields = dict(ast.iter_fields(node))
        for skipped in ("annotation", "returns", "ctx", "type_comment", "type_params", "kind", "lineno"):
            fields.pop(skipped, None)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.col_offset == 0:
            fields.pop("name")
        if isinstance(node, ast.arg):
            return self._name(node.arg)
        if isinstance(node, ast.Call):
            described = _DESCRIBED.get(getattr(node.func, "id", ""), ())
            fields["args"] = [argument for index, argument in enumerate(node.args) if index not in described]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            place = self._place(node.value.id)
            if isinstance(place, str) and place in self.sources.trees:
                return self._placed(self.sources.resolve(place, node.attr))
        return [type(node).__name__, *(self.read(value) for value in fields.values())]

    def _declare(self, node: ast.AST) -> None:
        """Number the names that a function binds, and follow the imports in it."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.ImportFrom | ast.Import):
                for alias in inner.names:
                    place = self.sources.imported(inner, alias)
                    self.locals[alias.asname or alias.name] = self._placed(place)
        for function in (inner for inner in ast.walk(node) if isinstance(inner, _FUNCTIONS)):
            for inner in ast.walk(function):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    self.locals.setdefault(inner.id, len(self.locals))
                elif isinstance(inner, ast.arg):
                    self.locals.setdefault(inner.arg, len(self.locals))

    def _name(self, name: str) -> Any:
        if name in self.locals:
            return self.locals[name]
        return self._placed(self._place(name))

    def _place(self, name: str) -> Place | str:
        return name if name in self.locals else self.sources.resolve(self.module, name)

    def _placed(self, place: Place | str) -> str:
        if isinstance(place, str):
            return place
        return f"definition {self.references.setdefault(place, len(self.references))}"


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement at the top of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name))


def _only_describes(node: Any) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword):
        return node.arg in _PROSE
    return isinstance(node, ast.Assign | ast.AnnAssign) and any(name in _PROSE for name in _bound(node))


def _rankers(spec: Mapping[str, Any]) -> Iterator[str]:
    """The rankers of a recipe, members included."""
    yield spec["name"]
    for value in (spec.get("parameters") or {}).values():
        for member in value if isinstance(value, list) else [value]:
            if isinstance(member, dict) and "name" in member:
                yield from _rankers(member)


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
