"""The settings of ``duplicates``, and of the retrieval of candidates, which nights and searches read as well."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.sections import (
    Baseline,
    EvaluationSettings,
    FeatureSettings,
    InputFormat,
    Report,
    SettingsSection,
    Systems,
    TrackedSettings,
    baseline_not_run,
)
from cqa_spark.settings.values import EmbeddingModelName, NotHashed


class RetrievalSettings(SettingsSection):
    """Retrieval of candidates."""

    k1: float = Field(default=1.2, ge=0, description="BM25: saturation of the term frequency")
    b: float = Field(default=0.75, ge=0, le=1, description="BM25: strength of the length normalization")
    embeddings: EmbeddingModelName | None = Field(
        default=None, description="embedding model for dense retrieval in addition to BM25; default: BM25 only"
    )
    candidates: int = Field(default=50, ge=1, le=1000, description="candidates per question and retrieval method")
    shard_size: int = Field(
        default=100_000, ge=1, description="questions in a shard of the index; does not affect candidates or scores"
    )
    queries: Literal["all", "annotated"] = Field(
        default="all",
        description="questions to find duplicates for: all, or only those with a known duplicate, if the list of "
        "duplicates is a sample",
    )


class DuplicatesSettings(DumpJobSettings, TrackedSettings):
    """Find duplicates of questions among the earlier ones: index, retrieve, train, rank, evaluate and publish."""

    examples = (
        "cqa duplicates --config conf/duplicates.yaml --input cs.stackexchange.com/ --lake build/lake",
        "cqa duplicates --config conf/duplicates.yaml --input dumps/*.7z --lake build/lake",
    )
    needs = ("dumps.input", "systems")

    dump_format: InputFormat = None
    systems: Systems = ()
    baseline: Baseline = "given_order"
    retrieval: RetrievalSettings = RetrievalSettings()
    features: FeatureSettings = FeatureSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    publish: Annotated[bool, NotHashed(), Field(description="publish after checks")] = True
    report: Report = None

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """A baseline that is not run."""
        return baseline_not_run(given, "given_order")

    def writes(self) -> list[str]:
        """The tables of the run, and the report."""
        published = "published" if self.publish else "not published"
        return [f"{self.lake}: tables of run {self.run_id or '(new)'}, {published}"]
