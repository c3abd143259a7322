"""The lists of feature groups and systems, in a narrow terminal and as JSON."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from cqa_spark.cli import main
from cqa_spark.commands.catalogue import card_tables, group_table, groups_table, systems_table
from cqa_spark.features.registry import described, known_groups
from cqa_spark.process.terminal import Terminal, TextTable
from cqa_spark.settings.conf_files import OVERLAY
from cqa_spark.systems.model_card import CardFigure, LearnedSite, ModelCard
from cqa_spark.systems.system import known_systems, read_recipe

ROOT = Path(__file__).resolve().parents[3]
CONF = ROOT / "conf"


def lines_of(table: TextTable) -> list[str]:
    printed = StringIO()
    Terminal(Console(file=printed, width=80, force_terminal=True, color_system=None)).table(table)
    return printed.getvalue().splitlines()


def test_every_group_has_a_line_in_80_columns() -> None:
    lines = lines_of(groups_table([described(name) for name in known_groups()]))
    assert {name: sum(line.startswith(f"{name} ") for line in lines) for name in known_groups()} == dict.fromkeys(
        known_groups(), 1
    )
    assert max(map(len, lines)) <= 80


def test_every_system_has_a_line_in_80_columns() -> None:
    names = known_systems()
    lines = lines_of(systems_table([read_recipe(name) for name in names]))
    assert {name: sum(line.startswith(f"{name} ") for line in lines) for name in names} == dict.fromkeys(names, 1)
    assert max(map(len, lines)) <= 80


def test_a_group_fits_80_columns() -> None:
    group = lines_of(group_table(described("overlap_v1")))
    assert any(line.startswith("family: similarity; entity: pair; learns from: nothing") for line in group)
    assert max(map(len, group)) <= 80


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("features list", {"name": "answer_markup_asof_v1", "entity": "pair"}),
        ("systems list", {"name": "all_false_a", "task": "question_comment", "origin": "cqa-spark"}),
        ("tasks list", {"name": "arabic_pair", "origin": "cqa-spark 0.1.0"}),
        ("corpora list", {"name": "community_tables", "origin": "cqa-spark 0.1.0"}),
        ("encoders list", {"name": "averaged_words", "origin": "cqa-spark 0.1.0"}),
        ("analysers list", {"name": "rules", "origin": "cqa-spark 0.1.0"}),
        ("rankers list", {"name": "average", "origin": "cqa-spark 0.1.0"}),
        ("measures list", {"name": "Accuracy", "origin": "cqa-spark 0.1.0"}),
        ("checks list", {"name": "complete_queries", "origin": "cqa-spark 0.1.0"}),
        (
            "object-stores list",
            {
                "name": "az",
                "about": "Azure Blob Storage (needs the extra `azure`)",
                "origin": "cqa-spark 0.1.0",
            },
        ),
        (
            "report-sections list",
            {"name": "cautions", "about": "The cautions of the run's systems.", "origin": "cqa-spark 0.1.0"},
        ),
    ],
)
def test_lists_as_json(capsys, command, first) -> None:
    assert main([*command.split(), "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert first.items() <= listed[0].items()


def test_a_system_as_json(capsys) -> None:
    assert main(["systems", "show", "length", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranker"]["name"] == "column"


def test_a_system_as_yaml_with_published_and_reproduced_scores(capsys) -> None:
    assert main(["systems", "show", "kelp_2016_a"]) == 0
    shown = yaml.safe_load(capsys.readouterr().out)
    assert shown["expected"]["semeval2016_test"]["measures"]["MAP@10"] == 0.7919
    assert shown["reproduced"]["semeval2016_dev"]["MAP@10"] == 0.69
    assert shown["ranker"]["parameters"]["member"] == {"name": "linear_svm", "parameters": {"l2": 0.001}}


def test_the_card_of_a_shipped_model_is_a_comment_below_its_recipe(capsys) -> None:
    assert main(["systems", "show", "night_answers"]) == 0
    shown = capsys.readouterr().out
    assert yaml.safe_load(shown)["ranker"]["name"] == "cross_fitted"
    assert "\n# order, on all nights " in shown


def test_an_unknown_system_is_refused(capsys) -> None:
    assert main(["systems", "show", "lenght"]) == 2
    assert "unknown system lenght\n  → did you mean length" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["features list", "features show lexicon_v2", "systems list", "systems show best_a"]
)
def test_lists_start_without_the_libraries_that_compute(command) -> None:
    code = (
        "import sys; from cqa_spark.cli import main; main(sys.argv[1:])\n"
        "print(sorted({'pandas', 'sklearn', 'scipy', 'sparknlp', 'pyspark.ml', 'xgboost', 'boto3'} & set(sys.modules)),"
        " file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command.split()], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == "[]\n"


def test_systems_are_listed_without_spark() -> None:
    code = (
        "import sys; from cqa_spark.cli import main; main(sys.argv[1:])\n"
        "print(sorted({'pyspark', 'numpy', 'pyarrow'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, "systems", "list"], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == "[]\n"


def test_what_others_add_says_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(OVERLAY, "")  # put back at the end, because the command sets it for its process
    (tmp_path / "systems").mkdir()
    recipe = tmp_path / "systems" / "mine.yaml"
    recipe.write_text("name: mine\ntask: question_comment\nabout: Mine.\nranker: {name: random_order}\n")
    assert main(["systems", "list", "--format", "json", "--overlay", str(tmp_path)]) == 0
    origins = {system["name"]: system["origin"] for system in json.loads(capsys.readouterr().out)}
    assert (origins["mine"], origins["best_a"]) == (str(recipe), "cqa-spark")


# Cards of trained systems.

SITES = (
    LearnedSite(site="a.example.org", newest=date(2020, 1, 2), threads=10, labels=4, queries=9),
    LearnedSite(site="b.example.org", newest=date(2021, 3, 4), threads=5, labels=2, queries=3, licences=("CC0",)),
)
FIGURE = CardFigure(
    order="mine", reference="simple", population="nights", band="all", measure="P@1", value=0.751, low=0.7, high=0.8,
    difference=0.032, low_difference=0.011, high_difference=0.053, p_value=0.003, nights=12, threads=6,
)  # fmt: skip


def shown(card: ModelCard, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    for table in card_tables(card):
        Terminal().table(table)
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_a_card_shows_what_was_learned_and_what_it_is_worth(capsys: pytest.CaptureFixture[str]) -> None:
    older = replace(FIGURE, band="older", difference=-0.01)
    card = ModelCard(version="1.0", sites=SITES, features="0", licence="CC BY-SA", figures=(FIGURE, older))
    assert shown(card, capsys) == [
        ["learned", "from", "to", "threads", "with", "a", "label", "nights"],
        ["a.example.org", "2020-01-02", "10", "4", "9"],
        ["b.example.org", "2021-03-04", "5", "2", "3"],
        ["all", "15", "6", "12"],
        ["version", "1.0;", "licence", "of", "the", "data:", "CC", "BY-SA"],
        ["order,", "on", "all", "nights", "P@1", "difference", "95", "%", "p", "from"],
        ["mine", "75.1", "+3.2", "+1.1", "to", "+5.3", "0.003", "simple"],
        ["mine,", "by", "nights", "nights", "threads", "P@1", "difference", "95", "%", "p"],
        ["all", "12", "6", "75.1", "+3.2", "+1.1", "to", "+5.3", "0.003"],
        ["older", "12", "6", "75.1", "-1.0", "+1.1", "to", "+5.3", "0.003"],
    ]
    assert card.labels == 6


def test_a_card_without_figures_shows_what_was_learned(capsys: pytest.CaptureFixture[str]) -> None:
    card = ModelCard(version="1.0", sites=SITES, features="0", licence="CC BY-SA")
    assert len(shown(card, capsys)) == 5
