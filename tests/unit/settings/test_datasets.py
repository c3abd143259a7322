from pathlib import Path

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.settings.conf_files import OVERLAY, conf_files, project_root
from cqa_spark.settings.datasets import read_data_set
from cqa_spark.systems.system import known_systems, read_system

CONF = project_root() / "conf"
PUBLISHED = [
    name for name in known_systems() if "data_set:" in (CONF / "systems" / f"{name}.yaml").read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", sorted(path.stem for path in (CONF / "datasets").glob("*.yaml")))
def test_the_data_sets_can_be_read_and_their_training_files_are_distinct(name: str) -> None:
    found = read_data_set(name)
    assert len(set(found.train)) == len(found.train)
    assert set(found.unannotated) <= set(found.paths())
    assert not set(found.unannotated) & set(found.train)
    assert found.parts
    assert not {"train", "unannotated", "mean"} & set(found.parts)


def test_an_unknown_data_set_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown data set semeval") as caught:
        read_data_set("semeval")
    known = ", ".join(sorted(path.stem for path in (CONF / "datasets").glob("*.yaml")))
    assert caught.value.remedy.endswith(f"? known names: {known}")


@pytest.mark.parametrize("name", ["../datasets/semeval2016", "./semeval2016", str(CONF / "datasets" / "semeval2016")])
def test_a_path_is_no_data_set(name: str) -> None:
    with pytest.raises(ConfigError, match="unknown data set"):
        read_data_set(name)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: mine\ntrain: []\n", " is invalid:\n  - about: Field required\n"),
        ("", " is invalid:\n  - the file: Input should be a valid dictionary"),
        ("a: [", ", line 1, column 5: invalid YAML: "),
        ("a: !!int abc", ", line 1, column 4: 'abc' is not !!int"),
    ],
)
def test_a_data_set_with_mistakes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    monkeypatch.setenv(OVERLAY, str(tmp_path))
    path = tmp_path / "datasets" / "mine.yaml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_data_set("mine")
    assert caught.value.problem.startswith(f"{path}{problem}")


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_system_says_where_its_figures_come_from_and_what_it_lacks(name: str) -> None:
    recipe = read_system(name)
    data_sets = map(read_data_set, conf_files("datasets"))
    parts = {data.name: {f"{data.name}_{part}" for part in [*data.parts, "mean"]} for data in data_sets}
    assert set(recipe.expected) <= set().union(*parts.values())
    assert not recipe.expected or set(recipe.expected) & parts[str(recipe.data_set)]
    assert recipe.paper is not None
    assert recipe.paper.table
    assert recipe.faithfulness == "faithful" or recipe.replaces or recipe.missing
    assert recipe.reproduces
    for expected in recipe.expected.values():
        assert expected.source
        assert all(0 <= value <= 1 for value in expected.measures.values())
