"""Plug-ins of other packages: found by their metadata, in folders and in zip files, and refused with their origins."""

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import cloudpickle

from cqa_spark import plugins
from cqa_spark.checks.check import RunUnderReview, Verdict
from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.features import registry
from cqa_spark.features.registry import group_class
from cqa_spark.lake.table import DataFile, TableFiles
from cqa_spark.plugins import PluginKind, Registration, origin_of, plugins_of_others
from cqa_spark.rankers.registry import RANKERS as RANKERS_BY_NAME
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.reports.kit.blocks import Text
from cqa_spark.runtime.workspace import code_version, package_version
from cqa_spark.settings.conf_files import OVERLAY
from cqa_spark.settings.sections import CheckSettings
from cqa_spark.systems.system import read_system

ROOT = Path(__file__).resolve().parents[2]
RANKERS: PluginKind[object] = PluginKind("rankers", "ranker")
OURS = (
    "tasks", "corpora", "analysers", "encoders", "feature_groups", "rankers", "measures", "checks",
    "report_sections", "object_stores",
)  # fmt: skip

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a package on Python's path: a distribution, the lines of its entry points, and the text of its module."""
    before = set(sys.modules)

    def put(distribution: str, module: str, text: str, *entries: str) -> Path:
        folder = tmp_path / distribution
        metadata = folder / f"{distribution}-1.2.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
        (metadata / "entry_points.txt").write_text("\n".join(["[cqa_spark.rankers]", *entries]))
        (folder / f"{module}.py").write_text(text)
        monkeypatch.syspath_prepend(str(folder))
        return folder

    yield put
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize("group", OURS)
def test_ours_can_be_imported_and_are_registered_under_their_own_names(group: str) -> None:
    kind: PluginKind[object] = PluginKind(group, "plug-in")
    assert kind.names()
    for name in kind.names():
        plugin = kind.load(name)
        named = group not in ("corpora", "analysers", "encoders", "object_stores")
        assert not named or getattr(plugin, "name", getattr(plugin, "__name__", None)) == name


def test_every_module_of_a_feature_group_or_measure_is_registered() -> None:
    registered = {
        entry.target.partition(":")[0]
        for kind in (PluginKind[object]("feature_groups", "group"), PluginKind[object]("measures", "measure"))
        for entry in map(kind.registration, kind.names())
    }
    folders = ("evaluation/measures", "features/groups")
    files = [file for folder in folders for file in (ROOT / "cqa_spark" / folder).rglob("*.py")]
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files if file.stem != "__init__"}
    shared = {name for name in modules if not any(_declares(name, suffix) for suffix in ("columns", "aggregate"))}
    assert modules - shared - registered == set()


def _declares(module: str, attribute: str) -> bool:
    members = vars(import_module(module)).values()
    return any(
        isinstance(m, type) and m.__module__ == module and "name" in vars(m) and hasattr(m, attribute) for m in members
    )


def test_a_plugin_of_another_package_is_listed_without_importing_it_and_loaded_by_name(install: Install) -> None:
    install("coins", "coin_toss", "raise_if_imported = None\nclass CoinToss: ...", "coin_toss = coin_toss:CoinToss")
    assert "coin_toss" in RANKERS.names()
    assert "coin_toss" not in sys.modules
    assert RANKERS.registration("coin_toss") == Registration("coin_toss", "coin_toss:CoinToss", "coins 1.2")
    assert RANKERS.load("coin_toss") is import_module("coin_toss").CoinToss


def test_two_plugins_of_one_name_are_refused_with_both_origins(install: Install) -> None:
    install("coins", "coin_toss", "", "boosted_trees = coin_toss:CoinToss")
    with pytest.raises(ConfigError) as caught:
        RANKERS.names()
    assert caught.value.problem == (
        "two ranker plug-ins are named boosted_trees: cqa_spark.rankers.boosted_trees:BoostedTreesRanker of "
        "cqa-spark 0.1.0, and coin_toss:CoinToss of coins 1.2"
    )


def test_of_two_copies_of_a_distribution_the_first_on_the_path_counts(install: Install, tmp_path: Path) -> None:
    copy = install("coins", "coin_toss", "", "coin_toss = coin_toss:CoinToss")
    (tmp_path / "later").symlink_to(copy)
    sys.path.append(str(tmp_path / "later"))
    try:
        assert [entry.name for entry in plugins_of_others()] == ["coin_toss"]
    finally:
        sys.path.remove(str(tmp_path / "later"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import nothing_of_the_sort", "ModuleNotFoundError: No module named 'nothing_of_the_sort'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("", "AttributeError: module 'coin_toss' has no attribute 'CoinToss'"),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_named_and_the_others_work(
    install: Install, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    install("coins", "coin_toss", text, "coin_toss = coin_toss:CoinToss")
    with pytest.raises(EnvironmentProblem) as caught:
        RANKERS.load("coin_toss")
    assert (
        caught.value.problem
        == f"the ranker coin_toss of coins 1.2 cannot be imported from coin_toss:CoinToss: {reason}"
    )
    assert set(RANKERS.names()) - set(RANKERS.load_all()) == {"coin_toss"}
    assert "warning: the ranker coin_toss of coins 1.2 cannot be imported" in capsys.readouterr().err


def test_an_error_is_the_defect_of_the_plugin_that_was_running(install: Install) -> None:
    install("coins", "coin_toss", "def toss(): 1 / 0", "coin_toss = coin_toss:toss")
    with pytest.raises(ZeroDivisionError) as caught:
        import_module("coin_toss").toss()
    assert origin_of(caught.value) == "coins 1.2"
    with pytest.raises(AttributeError) as ours:
        group_class(None)  # type: ignore[arg-type]
    assert origin_of(ours.value) == "cqa-spark"


def test_the_modules_on_the_page_are_plugins() -> None:
    page = (ROOT / "docs" / "how-to" / "add-your-own.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for module in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(module, names)
    posts = TableFiles(files=(DataFile("a", 9, 99),))
    verdict = names["enough_posts"](RunUnderReview({}, {}, "s", "MAP", files={"posts": posts}), CheckSettings())
    assert verdict == Verdict("enough posts", False, 99, 100, "posts of all sites")
    section, run = names["SECTION"], SimpleNamespace(journal={"ingested_files": [{}, {}]})
    assert section.blocks(section.data(run)) == [Text("The run read 2 files.")]
    assert names["Letters"](None, b"", b"ab\n").vector("abba, no") @ [1, 10] == 22


def test_an_unknown_name_is_answered_with_those_of_all_packages(install: Install) -> None:
    install("coins", "coin_toss", "", "coin_toss = coin_toss:CoinToss")
    with pytest.raises(ConfigError) as caught:
        RANKERS.load("coin_tos")
    assert caught.value.remedy.startswith("did you mean coin_toss or ")
    assert caught.value.remedy.endswith(f"? cqa rankers list lists all {len(RANKERS.names())} rankers")


def test_the_code_version_of_a_run_changes_with_the_sources_of_plugins(install: Install) -> None:
    assert code_version() == package_version()
    folder = install("coins", "coin_toss", "class CoinToss: ...", "coin_toss = coin_toss:CoinToss")
    first = code_version()
    (folder / "coin_toss.py").write_text("class CoinToss:\n    sides = 2")
    assert first.startswith(f"{package_version()}+")
    assert code_version() not in (first, package_version())


def test_the_zip_file_for_executors_lists_the_plugins_of_the_checkout(tmp_path: Path) -> None:
    package = tmp_path / "cqa_spark.zip"
    subprocess.run([sys.executable, str(ROOT / "deploy" / "zip_package.py"), str(package)], check=True)
    coins = tmp_path / "coins-1.2-py3-none-any.whl"
    with zipfile.ZipFile(coins, "w") as wheel:
        wheel.writestr("coins-1.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: coins\nVersion: 1.2\n")
        wheel.writestr("coins-1.2.dist-info/entry_points.txt", "[cqa_spark.rankers]\ncoin_toss = coin_toss:CoinToss\n")
        wheel.writestr("coin_toss.py", "class CoinToss: ...")
    program = (
        f"import sys; sys.path[:0] = {[str(package), str(coins)]!r}\n"
        "from cqa_spark import plugins\n"
        "kinds = [plugins.PluginKind(group, group) for group in sys.argv[1:]]\n"
        "print(plugins.__file__, *[','.join(kind.names()) for kind in kinds], kinds[-1].load('coin_toss').__name__)"
    )
    groups = [group for group in OURS if group != "rankers"]
    done = subprocess.run(
        [sys.executable, "-c", program, *groups, "rankers"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    ours = [",".join(PluginKind[object](group, group).names()) for group in groups]
    rankers = ",".join(sorted([*RANKERS.names(), "coin_toss"]))
    assert done.stdout.split() == [f"{package}/cqa_spark/plugins.py", *ours, rankers, "CoinToss"]


BY_SIZE = "{name: 'shoes:BySize', parameters: {column: shoe_size_v1__size}}"
CALIBRATED = f"{{name: calibrated, parameters: {{member: {BY_SIZE}}}}}"


@pytest.mark.parametrize(
    ("ranker", "name"),
    [
        (BY_SIZE, "by_size"),
        (f"{{name: average, parameters: {{members: [{{name: logistic_regression}}, {CALIBRATED}]}}}}", "average"),
    ],
)
def test_a_recipe_may_name_a_group_and_a_ranker_by_their_modules(
    ranker: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "shoes", raising=False)
    group_class.cache_clear()
    for kind in (registry.FEATURE_GROUPS, RANKERS_BY_NAME):
        monkeypatch.setattr(kind, "_added", {})
    monkeypatch.setattr(plugins, "_ADDED", set())
    (tmp_path / "shoes.py").write_text(GROUP_AND_RANKER)
    recipe = tmp_path / "shod.yaml"
    recipe.write_text(
        f"name: shod\ntask: question_comment\nabout: By shoes.\nfeature_groups: ['shoes:ShoeSize']\nranker: {ranker}\n"
    )
    monkeypatch.setenv(OVERLAY, str(recipe))
    before = code_version()
    system = read_system("shod")
    assert (system.feature_groups, system.ranker.name) == (("shoe_size_v1",), name)
    assert group_class("shoe_size_v1").columns[0].name == "size"
    assert "by_size" in str(system.ranker)
    assert build_ranker("by_size", {"column": "shoe_size_v1__size"}).__class__.__module__ == "shoes"
    assert system.build().parameters.needs_features() == ("shoe_size_v1__size",)
    assert code_version() != before
    assert b"centimetres" in cloudpickle.dumps(group_class("shoe_size_v1")), "sent by value: executors lack its module"


GROUP_AND_RANKER = """
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.rankers.column import ColumnRanker


class ShoeSize(QueryGroup):
    name = "shoe_size_v1"
    family = "body"
    about = "shoes"
    entity = Entity.AUTHOR
    columns = (FeatureColumn("size", "centimetres", "ours"),)

    def compute(self, batch):
        return {"size": [27.0] * len(batch)}


class BySize(ColumnRanker):
    name = "by_size"
"""
