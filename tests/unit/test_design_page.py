"""The page about the design: its packages are those of the code, and the modules that it names exist."""

import re
from pathlib import Path

import pytest
from generators.markdown import GENERATED
from generators.packages import PAGE, arrows, with_packages

ROOT = Path(__file__).resolve().parents[2]
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("imports", "lines"),
    [
        pytest.param({"a": {"b", "c"}, "b": {"c"}, "c": set()}, ["a ──▶ b ──▶ c"], id="an arrow that a way implies"),
        pytest.param({"a": {"b", "c"}, "b": set(), "c": set()}, ["a ──▶ b, c"], id="two below one"),
        pytest.param(
            {"a": {"c"}, "b": {"c"}, "c": {"d"}, "d": set()}, ["a ──▶ c ──▶ d", "b ──▶ c"], id="two above one"
        ),
    ],
)
def test_arrows_that_a_longer_way_implies_are_left_out(imports: dict[str, set[str]], lines: list[str]) -> None:
    assert arrows(imports) == lines


def test_the_page_has_the_packages_of_the_code() -> None:
    assert len(GENERATED.findall(TEXT)) == 2
    assert with_packages(TEXT) == TEXT, "PYTHONPATH=docs python -m generators.packages"


def test_the_files_that_the_page_names_exist() -> None:
    names = set(re.findall(r"`((?:[\w-]+/)+[\w-]+\.(?:py|css|html\.j2))`", TEXT))
    paths = [f"/{path.relative_to(ROOT)}" for top in ("cqa_spark", "tests", "docs") for path in (ROOT / top).rglob("*")]
    assert sorted(name for name in names if not any(path.endswith(f"/{name}") for path in paths)) == []
