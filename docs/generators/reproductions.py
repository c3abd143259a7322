"""The page of published and reproduced scores, from the recipes and the scores that ``cqa reproduce`` wrote."""

from collections.abc import Collection, Iterator, Mapping
from typing import cast

from cqa_spark.commands.reproduced_scores import MEAN
from cqa_spark.evaluation.files.semeval import JudgedPopulation, in_words
from cqa_spark.experiments.retraining import seeds_of
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED
from cqa_spark.reports.kit.wording import MISSING, points, signed_points
from cqa_spark.reports.sections.reproduction import MEASURE
from cqa_spark.settings.conf_files import conf_files
from cqa_spark.settings.datasets import DataSet, read_data_set
from cqa_spark.systems.reproduced_figures import ERRORS, POPULATIONS, Scores, reproduced_figures, reproduced_scores
from cqa_spark.systems.system import System, known_systems, read_recipe
from generators.markdown import page, plain, table
from generators.provenance import is_stale

LABELLED = ("dev", CROSS_VALIDATED)
"""The parts of a data set whose labels are distributed: its development set or, without one, its training queries."""

SHOWN = ("MAP@10", "AvgRec@10", "MRR@10", "Pearson")
"""The measures shown of recipes whose paper reports no score."""

HEADINGS = ("system", "part", "measure", "published", "ours", "ours on dev", "kind")

INTRO = """Each row compares a published score with ours; scores are percent. The command below the name of a data
set, with `--data FOLDER`, trains a recipe and computes ours, with standard errors. A recipe is *faithful* if it has
all of the published system but resources trained on text of the same kind, *partial* if it has its main method and
not all of its parts, and a *surrogate*, with a name that begins with `like_`, if other methods take the place of the
main ones; its score says little about the published system. A *modern substitute* uses a pretrained model that was
published after the system: a higher score than the published one is that of the model, and no reproduction.
[Systems](systems.md) lists what each recipe reproduces, replaces and lacks."""

NOT_MEASURED = f"""{MISSING}: not measured. The labels of the official test sets are not part of the distributed files
that the scores here were computed from; with them, the same command gives the column *ours*, with its difference from
the published score. Columns without any value are left out.
The column *ours on dev* is our score on the development set, whose labels are distributed. It does not compare with a
score on the test set: the given order of subtask A reaches 53.84 on the development set of 2016, and 59.53 on the
test set. In subtask D it is the score on the 150 training questions, each ranked by models of the other folds.
Systems of STS have no development set of their year; they were also trained and evaluated on data sets with labels,
those of earlier years and the STS Benchmark.
[Provenance](provenance.md) has commit, inputs and command of each score; the code that computes *stale* ones has
changed since."""


def reproductions_page() -> str:
    """A command and a table for each data set, a row for each published measure of each recipe."""
    scores = reproduced_scores()
    recipes = [read_recipe(name) for name in known_systems()]
    sets = (read_data_set(name) for name in conf_files("datasets"))
    shown = [(data, rows) for data in sets if (rows := _shown_rows(data, recipes, scores))]
    blocks = (
        block
        for data, rows in shown
        for block in (f"## {data.name}", f"`cqa reproduce SYSTEM --data-set {data.name}`", _table(data, rows, scores))
    )
    return page("Reproductions", INTRO, NOT_MEASURED, *blocks)


def _shown_rows(data: DataSet, systems: list[System], scores: Scores) -> list[tuple[System, str]]:
    """The recipes to show with a data set, each with a part of it."""
    return [(system, part) for system in systems for part in _parts(system, data, scores.get(system.name, {}))]


def _table(data: DataSet, shown: list[tuple[System, str]], scores: Scores) -> str:
    """A row for each published measure, without columns that no row fills; below, where the scores were published."""
    columns = zip(HEADINGS, *(row for system, part in shown for row in _rows(data, part, system, scores)), strict=True)
    headings, *rows = zip(*(column for column in columns if {*column[1:]} != {MISSING}), strict=True)
    sources: dict[str, list[str]] = {}
    for system, part in shown:
        if part in system.expected:
            sources.setdefault(system.expected[part].source, []).append(system.name)
    published = [f"- {plain(source)}: {', '.join(dict.fromkeys(names))}" for source, names in sources.items()]
    populations = [f"- {part}: {in_words(of_queries, MEASURE)}" for part, of_queries in _populations(data)]
    lists = (("What the scores compare with:", populations), ("Published in:", published))
    return "\n\n".join(
        [table(headings, rows), *(block for title, lines in lists if lines for block in (title, "\n".join(lines)))]
    )


def _populations(data: DataSet) -> Iterator[tuple[str, JudgedPopulation]]:
    """The measured parts of a data set with their tasks, and their populations."""
    for key, of_queries in reproduced_figures()[POPULATIONS].items():
        parts = [part for part in (*data.parts, CROSS_VALIDATED) if key.startswith(f"{data.name}_{part}_")]
        for part in parts:
            task = key.removeprefix(f"{data.name}_{part}_")
            yield f"{part}, {task.replace('_', ' ')}", cast(JudgedPopulation, of_queries)


def _parts(system: System, data: DataSet, measured: Collection[str]) -> list[str]:
    """The parts to show, named with their data set.

    Those with published scores; of the recipe's own data set, or else the official one; of others, also those measured.
    """
    official = [f"{data.name}_{part}" for part in ([MEAN] if data.mean else data.parts)]
    published = [part for part in system.expected if part.removeprefix(f"{data.name}_") in (*data.parts, MEAN)]
    if system.data_set == data.name:
        return published or official[-1:]
    return [*published, *(part for part in official if part in measured and part not in published)]


def _rows(data: DataSet, part: str, system: System, scores: Scores) -> Iterator[list[str]]:
    of_system, errors = scores.get(system.name, {}), reproduced_figures()[ERRORS].get(system.name, {})
    dev = next((key for each in LABELLED if (key := f"{system.data_set}_{each}") in of_system), "")
    ours, on_dev = of_system.get(part, {}), of_system.get(dev, {})
    published = system.expected[part].measures if part in system.expected else {}
    notes = [f"seed {seed}" for seed in seeds_of(system.ranker).values()]
    if is_stale(system.name, part if ours else dev):
        notes.append("*stale*")
    kind = ", ".join([system.faithfulness or MISSING, *notes])
    measures = list(published) or [measure for measure in SHOWN if measure in {**ours, **on_dev}] or [MISSING]
    for measure in measures:
        yield [
            f"[{system.name}](systems.md#{system.name})",
            part.removeprefix(f"{data.name}_"),
            measure,
            _shown(published.get(measure)),
            _shown(ours.get(measure), errors.get(part, {}).get(measure)) + _difference(ours, published, measure),
            _shown(on_dev.get(measure), errors.get(dev, {}).get(measure)),
            kind,
        ]


def _shown(value: float | None, error: float | None = None) -> str:
    """A score, with its standard error if that is known."""
    return MISSING if value is None else points(value) + ("" if error is None else f" ± {points(error)}")


def _difference(ours: Mapping[str, float], published: Mapping[str, float], measure: str) -> str:
    """The difference of our score from the published one."""
    both = measure in ours and measure in published
    return f" ({signed_points(ours[measure] - published[measure])})" if both else ""
