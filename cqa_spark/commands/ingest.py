"""``cqa ingest``, ``ingest stackexchange`` and ``ingest tables``: files, dumps and tables → community tables."""

from cqa_spark import flows
from cqa_spark.corpora.source import dump_sources
from cqa_spark.corpora.stackexchange.ingest import check_dumps
from cqa_spark.corpora.tables import CommunityFiles
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.workspace import new_run_id, run_flow, run_flow_in, write_lake
from cqa_spark.settings.dumps import IngestStackExchangeSettings
from cqa_spark.settings.ingest_tables import IngestTablesSettings
from cqa_spark.settings.run import IngestSettings


def ingest(settings: IngestSettings) -> None:
    """Read annotated files into community tables of a new run."""
    run_flow(flows.ingest(settings), settings)


def dump_flows(settings: IngestStackExchangeSettings) -> list[Flow]:
    """A flow for each dump of a site, the earlier one first."""
    check_dumps(settings)  # before Spark starts, and in a dry run
    sources = dump_sources("stackexchange", settings)
    return [flows.ingest_dump(source, "stackexchange", publish=settings.publish) for source in sources]


def ingest_stackexchange(settings: IngestStackExchangeSettings) -> None:
    """Read dumps into community tables, and publish them.

    If a site has several dumps, each becomes a separate run, the earlier one first.
    """
    planned = dump_flows(settings)
    first_id = settings.run_id or new_run_id(settings)
    with write_lake(settings, "ingest stackexchange") as lake:
        for number, flow in enumerate(planned, start=1):
            run_id = first_id if number == 1 else f"{first_id}-{number}"
            run_flow_in(lake, flow, settings.model_copy(update={"run_id": run_id}))
            Terminal().line(f"run: {run_id}{', published' if settings.publish else ''}")
    Terminal().line(f"look at it: cqa inspect --lake {settings.lake}")


def tables_flow(settings: IngestTablesSettings) -> Flow:
    """The flow of ``cqa ingest tables``."""
    given = settings.tables
    source = CommunityFiles(given.given(), given.site, settings.object_storage, given.max_bad_fraction)
    return flows.ingest_dump(source, "community_tables", publish=settings.publish)


def ingest_tables(settings: IngestTablesSettings) -> None:
    """Read tables into community tables, and publish them."""
    run_id = settings.run_id or new_run_id(settings)
    flow = tables_flow(settings)
    with write_lake(settings, "ingest tables") as lake:
        run_flow_in(lake, flow, settings.model_copy(update={"run_id": run_id}))
    Terminal().line(f"run: {run_id}{', published' if settings.publish else ''}")
    Terminal().line(f"look at it: cqa inspect --lake {settings.lake}")
