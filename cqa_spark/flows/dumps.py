"""The flow of reading a dump."""

from cqa_spark.corpora.source import Source
from cqa_spark.runtime.flow import Flow
from cqa_spark.steps.ingest import Ingest
from cqa_spark.steps.publish import Publish


def ingest_dump(source: Source, corpus: str, *, publish: bool) -> Flow:
    """A dump → community tables.

    Args:
        source: the dump.
        corpus: name of its format.
        publish: publish the run after checks.
    """
    return Flow("ingest", (Ingest(source, corpus), *([Publish()] if publish else [])))
