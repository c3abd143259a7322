"""Published tables: transcribed right, and the ranks of runs among them."""

import json
from pathlib import Path

import pytest

from cqa_spark.cli import main
from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.published import PublishedTable, read_published_table, standing
from cqa_spark.settings.conf_files import OVERLAY, conf_files
from cqa_spark.systems.system import known_systems, read_recipe

TASK_3 = [f"semeval{year}_{subtask}" for year in (2016, 2017) for subtask in "abcd"]
PAIRS_2016 = {"answer-answer": 254, "headlines": 249, "plagiarism": 230, "postediting": 244, "question-question": 209}


def of_all(table: PublishedTable) -> dict[str, tuple[float | None, ...]]:
    return {**table.ranked, **table.further, **table.baselines}


@pytest.mark.parametrize("name", conf_files("published"))
def test_ranked_runs_are_in_the_order_of_the_official_measure(name: str) -> None:
    table = read_published_table(name)
    official = [*table.values(table.ranked, table.columns[0]).values()]
    assert official == sorted(official, reverse=True)
    assert all(values != (None,) * len(values) for values in of_all(table).values())


@pytest.mark.parametrize(
    ("names", "primary", "contrastive"), [(TASK_3[:4], 38, 57), (TASK_3[4:], 36, 49)], ids=["2016", "2017"]
)
def test_all_runs_of_the_overviews_of_task_3_are_there(names: list[str], primary: int, contrastive: int) -> None:
    tables = [read_published_table(name) for name in names]
    assert sum(len(table.ranked) for table in tables) == primary
    assert sum(len(table.further) for table in tables) == contrastive
    assert all(len(table.baselines) == 4 for table in tables)


@pytest.mark.parametrize("name", TASK_3)
def test_f1_is_the_harmonic_mean_of_the_precision_and_recall_of_its_row(name: str) -> None:
    table = read_published_table(name)
    for run, values in {**of_all(table), **table.ours}.items():
        precision, recall, f1 = values[3:6]
        if precision and recall and f1:
            assert 2 * precision * recall / (precision + recall) == pytest.approx(f1, abs=0.011), run


def test_means_of_sts_2016_are_those_of_their_rows() -> None:
    english, crosslingual = read_published_table("sts2016"), read_published_table("sts2016_crosslingual")
    assert english.queries == PAIRS_2016
    assert crosslingual.queries == {"news": 301, "multisource": 294}
    for table, pairs in ((english, [*PAIRS_2016.values()]), (crosslingual, [301, 294])):
        for run, (mean, *sets) in of_all(table).items():
            known = [value for value in sets if value is not None]
            if len(known) == len(pairs):
                of_sets = sum(value * count for value, count in zip(known, pairs, strict=True)) / sum(pairs)
                assert of_sets == pytest.approx(mean, abs=2e-5), run


@pytest.mark.parametrize(
    ("name", "run", "ranks"),
    [
        ("semeval2016_a", "Kelp-primary", [1, 1, 1, 1, 8, 5, 2]),
        ("semeval2016_c", "SLS-primary", [6, 3, 3, 2, 8, 7, 2]),
        ("semeval2017_a", "ECNU-primary", [4, 4, 3, 6, 4, 1, 1]),
        ("semeval2017_b", "LS2N-primary", [13, 13, 11, 2, 12, 7, 1]),
        ("semeval2017_c", "bunji-primary", [2, 4, 2, 1, 4, 1, 2]),
    ],
)
def test_a_published_run_has_the_rank_that_the_paper_prints_for_each_measure(
    name: str, run: str, ranks: list[int]
) -> None:
    table = read_published_table(name)
    ours = [
        standing(table, column, run, *[table.values(table.ranked, column)[run] / 100] * 3).rank
        for column in table.columns
    ]
    assert ours == ranks


def test_a_contrastive_run_stands_between_the_primary_runs() -> None:
    row = standing(read_published_table("semeval2016_c"), "MAP@10", "ours", 0.55579, 0.47, 0.64)
    assert (row.rank, row.of, row.best_rank, row.worst_rank) == (1, 10, 1, 9)
    assert (row.rank_of_all, row.all_runs) == (1, 28)
    assert (row.above, row.equal, row.below) == ("", "", "SUper team-primary 55.41")
    row = standing(read_published_table("sts2016"), "weighted mean", "ours", 0.757310, 0.75731, 0.75731)
    assert (row.rank, row.equal, row.above) == (2, "UWB sup-general", "Samsung Poland NLP Team EN1 0.77807")


SUBTASKS = {"question_comment": "a", "question_question": "b", "external_comment": "c", "arabic_pair": "d"}


def test_the_figures_of_recipes_are_those_of_the_tables() -> None:
    compared = 0
    for recipe in map(read_recipe, known_systems()):
        for part, expected in recipe.expected.items():
            name = f"{part.removesuffix('_test').removesuffix('_d')}_{SUBTASKS.get(recipe.task)}"
            if not part.endswith("_test") or name not in TASK_3:
                continue
            table = read_published_table("xu2018_semeval" if recipe.name.startswith("xu2018") else name)
            of_runs = (dict(zip(table.columns, values, strict=True)) for values in of_all(table).values())
            figures = {measure: round(100 * value, 2) for measure, value in expected.measures.items()}
            assert any(figures.items() <= of_run.items() for of_run in of_runs), recipe.name
            compared += 1
    assert compared > 50


TABLE = """
name: small
about: two questions of a test
source: a paper, Table 1
transcribed_from: the paper
task: ranking
unit: percent
queries: 2
ranked_runs: primary runs
columns: [MAP@10, Accuracy]
ranked: {best: [90.00, 70.25], worst: [60.00, null]}
further: {second try: [80.00, 60.00]}
baselines: {given order: [75.00, null]}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (tmp_path / "conf" / "published").mkdir(parents=True)
    (tmp_path / "conf" / "published" / "small.yaml").write_text(TABLE)
    monkeypatch.setenv(OVERLAY, str(tmp_path / "conf"))
    gold = ["Q1\tC1\t1\t0.5\ttrue", "Q1\tC2\t2\t0.3\tfalse", "Q2\tC3\t1\t0.5\ttrue", "Q2\tC4\t2\t0.3\tfalse"]
    run = ["Q1\tC1\t0\t0.9\ttrue", "Q1\tC2\t0\t0.3\tfalse", "Q2\tC3\t0\t0.1\tfalse", "Q2\tC4\t0\t0.3\ttrue"]
    (tmp_path / "gold").write_text("\n".join(gold) + "\n")
    (tmp_path / "run").write_text("\n".join(run) + "\n")
    return [str(tmp_path / "gold"), str(tmp_path / "run")]


def test_evaluate_file_gives_the_rank_of_a_run(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate-file", *files, "--against", "small", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "file": files[1],
            "measure": "MAP@10",
            "value": 0.75,
            "low": 0.5,
            "high": 1.0,
            "rank": 2,
            "of": 2,
            "best_rank": 1,
            "worst_rank": 3,
            "rank_of_all": 3,
            "all_runs": 3,
            "above": "best 90.00",
            "equal": "given order",
            "below": "worst 60.00",
        }
    ]
    assert main(["evaluate-file", *files, "--against", "small", "--measures", "Accuracy", "--format", "markdown"]) == 0
    cells = ["run", "Accuracy", "50.00", "[0.00, 100.00]", "2 beside 1 primary runs (95 %: 1 to 2)", "3 beside 2"]
    assert capsys.readouterr().out.splitlines()[2] == f"| {' | '.join([*cells, 'best 70.25', '', ''])} |"


def test_a_table_of_other_queries_is_refused(files: list[str]) -> None:
    assert main(["evaluate-file", *files, "--against", "semeval2016_a"]) == InputError.exit_code
    assert main(["evaluate-file", *files, "--against", "sts2016"]) == ConfigError.exit_code
    assert main(["evaluate-file", *files, "--against", "small", "--measures", "MRR@10"]) == InputError.exit_code
    assert main(["evaluate-file", *files, "--against", "smal"]) == ConfigError.exit_code
    assert main(["evaluate-file", *files, "--against", "small", "--per-query"]) == ConfigError.exit_code


def test_evaluate_file_gives_the_rank_on_each_set_of_sentence_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TABLE.replace("ranking", "sts").replace("queries: 2", "queries: {news: 3}")
    table = table.replace("[MAP@10, Accuracy]", "[weighted mean, news]")
    (tmp_path / "conf" / "published").mkdir(parents=True)
    (tmp_path / "conf" / "published" / "small.yaml").write_text(table)
    monkeypatch.setenv(OVERLAY, str(tmp_path / "conf"))
    (tmp_path / "STS.gs.news.txt").write_text("1\n2\n3\n")
    (tmp_path / "STS.output.news.txt").write_text("1\n2\n3\n")
    files = [str(tmp_path / "STS.gs.news.txt"), str(tmp_path / "STS.output.news.txt")]
    assert main(["evaluate-file", *files, "--task", "sts", "--against", "small", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["measure"], row["value"], row["rank"], row["below"]) == ("news", 1.0, 1, "best 70.25")
