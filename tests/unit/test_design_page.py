"""The page about the design: its picture is that of the imports, and the modules that it names exist."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import cqa_spark

PACKAGE = Path(cqa_spark.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")


def imported_modules(source: str) -> Iterator[str]:
    """The modules of this package that a source imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def package_imports() -> dict[str, set[str]]:
    """The packages that each package imports."""
    imports: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        package = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if package != "__init__":
            names = (module.split(".") for module in imported_modules(path.read_text(encoding="utf-8")))
            imports[package] |= {name[1] for name in names if name[0] == "cqa_spark" and len(name) > 1}
            imports[package] -= {package, "__version__"}
    return dict(imports)


def picture(imports: dict[str, set[str]]) -> list[str]:
    """Lines with an arrow from each package to those below it, without arrows that a longer way makes superfluous."""

    @cache
    def below(package: str) -> frozenset[str]:
        return frozenset(imports[package]).union(*map(below, imports[package]))

    direct = {
        package: sorted(lower for lower in lowers if not any(lower in below(other) for other in lowers))
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


def test_a_picture_has_no_superfluous_arrow() -> None:
    imports = {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d", "e"}, "d": set(), "e": set(), "f": {"d"}}
    assert picture(imports) == ["a ──▶ b ──▶ c ──▶ d, e", "f ──▶ d"]


def test_the_picture_of_the_packages_is_that_of_the_imports() -> None:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (drawn,) = [block.splitlines() for block in blocks if block.startswith("api ──▶")]
    assert drawn == picture(package_imports())


def test_the_modules_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`((?:[\w-]+/)+[\w-]+\.(?:py|css|html\.j2))`", PAGE))
    assert len(named) > 60
    stored = [f"/{path.relative_to(ROOT)}" for path in (*PACKAGE.rglob("*"), *(ROOT / "tests").rglob("*.py"))]
    assert sorted(name for name in named if not any(path.endswith(f"/{name}") for path in stored)) == []


def test_a_comment_passes_stations_that_are_modules() -> None:
    way = PAGE.partition("## The way of a comment")[2].partition("\n## ")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (\d+ \|.*) \|$", way, re.MULTILINE)]
    assert [row[0] for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
    assert len(rows) >= 10
    assert [row for row in rows if not re.search(r"`[\w/]+\.py`", row[2])] == []
