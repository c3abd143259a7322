"""``cqa similar``: the questions of an index that are most similar to a text, in seconds and without Spark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.errors import ContractError, InputError
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import JobSettings, OutputFormat, ReadRunId, RetrievalSettings
from cqa_spark.settings.values import Shown
from cqa_spark.settings.yaml import parse_yaml

if TYPE_CHECKING:
    from cqa_spark.lake.snapshot import Snapshot
    from cqa_spark.retrieval.bm25 import Bm25
    from cqa_spark.retrieval.published_index import Similar
    from cqa_spark.retrieval.shard import Vectors
    from cqa_spark.text.encoders.encoder import Encoder


class SimilarSettings(JobSettings):
    """Find the questions of a published index that are most similar to a text, without Spark."""

    examples = (
        'cqa similar --lake build/lake --text "how do I pour a stout"',
        'cqa similar --lake build/lake --in-site cs.stackexchange.com --limit 5 --text "is quicksort stable"',
        'cqa similar --lake build/lake --text "how do I pour a stout" --format json',
    )
    needs = ("text",)
    reading = ("{job.lake}: index of run {job.published_run}",)
    writing = ()

    run_id: ReadRunId = None
    text: Annotated[str, Shown("TEXT"), Field(description="question to search for")] = ""
    in_site: Annotated[str | None, Shown("SITE"), Field(description="site to search; default: all sites")] = None
    limit: Annotated[int, Field(ge=1, le=1000, description="number of questions to show")] = 10
    format: OutputFormat = "table"


def similar(settings: SimilarSettings) -> None:
    """Search and print.

    Raises:
        InputError: the run has no index, or none of the site.
    """
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.reports.kit.blocks import Cell, Table
    from cqa_spark.reports.kit.console import print_blocks
    from cqa_spark.runtime.workspace import read_lake

    index = Index(snapshot_of(read_lake(settings), settings.run_id))
    questions = index.search(settings.text, limit=settings.limit, site=settings.in_site)
    terminal = Terminal()
    if settings.format == "json":
        print(json.dumps([question._asdict() for question in questions], indent=2, ensure_ascii=False))
        return
    if not questions:
        terminal.line("no question is similar to the text")
        return
    rows = []
    for question in questions:
        bm25 = "" if question.bm25 is None else f"{question.bm25:.2f}"
        cosine = "" if question.cosine is None else f"{question.cosine:.3f}"
        rows.append((question.title, (Cell(question.site), Cell(question.question_id), Cell(bm25), Cell(cosine))))
    table = Table(
        title="Similar questions",
        about="The best by words (BM25) and by embeddings (cosine), fused by reciprocal rank.",
        headings=("question", "site", "id", "BM25", "cosine"),
        rows=tuple(rows),
    )
    print_blocks([table], terminal)


class Index:
    """The search index of a run's questions, for several searches.

    Args:
        run: a run that wrote an index.

    Raises:
        InputError: the run has no index.
    """

    def __init__(self, run: Snapshot) -> None:
        from cqa_spark.lake.schemas.retrieval import INDEX_SHARDS
        from cqa_spark.retrieval.published_index import read_index

        if not run.has(INDEX_SHARDS):
            raise InputError(
                f"run {run.record.run_id} has no index", "make one: cqa duplicates --input DUMP --lake LAKE"
            )
        self._by_site = {
            site: (index, _parameters(indexed))
            for indexed in run.runs
            if indexed.has(INDEX_SHARDS)
            for site, index in read_index(run.lake, indexed).items()
        }
        self._encoders: dict[tuple[str, str], Encoder] = {}

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites of the index."""
        return tuple(sorted(self._by_site))

    def search(self, text: str, *, limit: int = 10, site: str | None = None) -> list[Similar]:
        """The questions that are most similar to a text, best first.

        Args:
            text: the question.
            limit: number of questions.
            site: the site; None for all.

        Raises:
            InputError: the index has no such site.
            ContractError: the index has vectors of another version of the embedding model.
        """
        from cqa_spark.retrieval.published_index import most_similar

        if site is not None and site not in self._by_site:
            raise InputError(f"the index has no questions of {site}", f"sites of the index: {', '.join(self.sites)}")
        indexes = [self._by_site[name] for name in (self.sites if site is None else [site])]
        vectors = {model: self._vector(text, model) for model in {index.model for index, _ in indexes}}
        questions: list[Similar] = []
        for index, parameters in indexes:
            questions += most_similar(index, text, vectors[index.model], parameters, limit)
        return sorted(questions, key=lambda question: (-question.score, question.site))[:limit]

    def _vector(self, text: str, model: tuple[str, str] | None) -> Vectors:
        """The embedding of a text; no columns without a model."""
        import numpy as np

        from cqa_spark.retrieval.shard import as_integers
        from cqa_spark.text.encoders.encoder import load_encoder
        from cqa_spark.text.encoders.model import EmbeddingModel

        if model is None:
            return np.zeros((1, 0), np.int16)
        if model not in self._encoders:
            name, version = model
            installed = EmbeddingModel.read(name)
            if installed.version != version:
                raise ContractError(
                    f"the index has vectors of version {version} of the embedding model {name}, and "
                    f"conf/models/{name}.yaml describes version {installed.version}",
                    "restore that file, or run cqa duplicates again",
                )
            self._encoders[model] = load_encoder(installed)
        return as_integers(self._encoders[model].encode([text]))


def _parameters(run: Snapshot) -> Bm25:
    """The retrieval parameters in the run's settings."""
    from cqa_spark.retrieval.bm25 import Bm25

    settings = parse_yaml(run.record.config, f"settings of run {run.record.run_id}").value or {}
    retrieval = RetrievalSettings.model_validate(settings.get("retrieval", {}))
    return Bm25(retrieval.k1, retrieval.b)


JOBS = (
    Job(
        "similar",
        "the questions of a published index that are most similar to a text",
        "end to end",
        SimilarSettings,
        similar,
    ),
)
