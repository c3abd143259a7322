"""The drawing and the table of packages in docs/design.md, from imports, layers and docstrings.

PYTHONPATH=docs python -m generators.packages    # writes both into the page
"""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from generators.markdown import code, table, with_sections

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/design.md"
PACKAGE = ROOT / "cqa_spark"


def with_packages(page: str) -> str:
    """The page with the drawing and table of the present packages."""
    parts = {"drawing": drawing, "table": package_table}
    return with_sections(page, "packages", parts)


def drawing() -> str:
    """The imports between packages, as a block of code."""
    return "\n".join(["```", *arrows(package_imports()), "```"])


def package_table() -> str:
    """A row for each package, from the top layer down, with the first paragraph of its docstring."""
    rows = [[code(shown), description(name)] for layer in layers() for name, shown in layer]
    return table(["package in `cqa_spark/`", "what it holds"], rows)


def layers() -> Iterator[list[tuple[str, str]]]:
    """The names of the packages of each layer in ``pyproject.toml``, with their names on the page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (names,) = [
        contract["layers"]
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == ["cqa_spark"]
    ]
    for layer in names:
        packages = [name.strip() for name in layer.split("|")]
        yield [(name, f"{name}/" if (PACKAGE / name / "__init__.py").is_file() else f"{name}.py") for name in packages]


def description(package: str) -> str:
    """The first paragraph of the docstring of a package or module, as Markdown."""
    path = PACKAGE / package / "__init__.py"
    if not path.is_file():
        path = PACKAGE / f"{package}.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("``", "`")


def package_imports() -> dict[str, set[str]]:
    """The packages that each package imports, anywhere in its modules."""
    imports: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        package = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if package.startswith("__"):
            continue
        modules = (module.split(".") for module in imported_modules(path.read_text(encoding="utf-8")))
        imports[package] |= {parts[1] for parts in modules if parts[0] == "cqa_spark" and len(parts) > 1}
        imports[package] -= {package, "__version__"}
    return dict(imports)


def imported_modules(source: str) -> Iterator[str]:
    """The modules and names that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def arrows(imports: Mapping[str, set[str]]) -> list[str]:
    """Lines with an arrow from each package to those that it imports, without arrows that a longer way implies."""

    @cache
    def below(package: str) -> frozenset[str]:
        return frozenset(imports[package]).union(*map(below, imports[package]))

    direct = {
        package: sorted(lower for lower in lowers if not any(lower in below(between) for between in lowers))
        for package, lowers in imports.items()
    }
    lines, drawn = [], set()
    for package in sorted(direct, key=lambda name: (-len(below(name)), name)):
        line = package
        while package not in drawn and direct[package]:
            drawn.add(package)
            line += f" ──▶ {', '.join(direct[package])}"
            if len(direct[package]) == 1:
                (package,) = direct[package]
        if "▶" in line:
            lines.append(line)
    return lines


if __name__ == "__main__":
    PAGE.write_text(with_packages(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
