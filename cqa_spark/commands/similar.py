"""``cqa similar``: the questions of an index that are most similar to a text, in seconds and without Spark."""

from __future__ import annotations

from cqa_spark.config.duplicates_settings import RetrievalSettings
from cqa_spark.config.settings import SimilarSettings
from cqa_spark.config.yaml_files import parse_yaml
from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import Snapshot, snapshot_of
from cqa_spark.lake.schemas.retrieval import INDEX_SHARDS
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports.kit.console import print_grid
from cqa_spark.reports.kit.grid import Cell, Grid
from cqa_spark.retrieval.bm25 import Bm25
from cqa_spark.retrieval.published_index import Similar, most_similar, read_shards
from cqa_spark.runtime.workspace import read_lake


def similar(settings: SimilarSettings) -> None:
    """Search and print.

    Raises:
        InputError: the run has no index, or none of the site.
    """
    lake = read_lake(settings)
    found = search_index(snapshot_of(lake, settings.run_id), settings.text, settings.limit, settings.in_site)
    rows = tuple((each.title, (Cell(each.site), Cell(each.question_id), Cell(f"{each.score:.2f}"))) for each in found)
    terminal = Terminal()
    if not rows:
        terminal.line("no question shares a word with the text")
        return
    print_grid(
        Grid(
            title="Similar questions",
            about="By BM25, whose scores compare questions of one site.",
            headings=("question", "site", "id", "score"),
            rows=rows,
        ),
        terminal,
    )


def search_index(run: Snapshot, text: str, limit: int, site: str | None) -> list[Similar]:
    """The most similar questions of each site of a run's index, best first.

    Args:
        run: a run that wrote an index.
        text: the question.
        limit: number of questions.
        site: the site; None for all.

    Raises:
        InputError: the run has no index, or none of the site.
    """
    if not run.has(INDEX_SHARDS):
        raise InputError(f"run {run.record.run_id} has no index", "make one: cqa duplicates --input DUMP --lake LAKE")
    by_site = read_shards(run.lake, run)
    if site is not None and site not in by_site:
        raise InputError(f"the index has no questions of {site}", f"sites of the index: {', '.join(sorted(by_site))}")
    chosen, parameters = by_site if site is None else [site], _parameters(run)
    found = [each for name in chosen for each in most_similar(name, by_site[name], text, parameters, limit)]
    return sorted(found, key=lambda each: (-each.score, each.site))[:limit]


def _parameters(run: Snapshot) -> Bm25:
    """The retrieval parameters in the run's settings."""
    settings = parse_yaml(run.record.config, f"settings of run {run.record.run_id}").value or {}
    retrieval = RetrievalSettings.model_validate(settings.get("retrieval", {}))
    return Bm25(retrieval.k1, retrieval.b)
