"""The flow of reading a dump."""

from __future__ import annotations

from cqa_spark.corpora.source import Source
from cqa_spark.runtime.flow import Flow
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish


def ingest_dump(source: Source, *, publish: bool) -> Flow:
    """A dump → community tables.

    Args:
        source: the dump.
        publish: publish the run after checks.
    """
    return Flow("ingest", (Ingest(source), *([Publish()] if publish else [])))
