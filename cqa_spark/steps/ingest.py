"""dump → community tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.settings import IngestSettings
from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.corpora.inputs import InputFile, find_inputs, refuse_repeated_paths
from cqa_spark.corpora.registry import corpus_reader
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.runtime.provenance import input_records
from cqa_spark.runtime.workspace import open_job


def ingest(settings: IngestSettings) -> None:
    """Read the input files into community tables of a new run."""
    inputs = input_files(settings.inputs.by_split(), settings.object_storage)
    with open_job(settings, "ingest", resume=False) as run:
        ingest_step(run, inputs, corpus=settings.corpus, site=settings.site)


def input_files(by_split: Mapping[str, Sequence[str]], storage: ObjectStorageSettings) -> list[InputFile]:
    """The files to read, found before Spark starts.

    Raises:
        InputError: a file is missing, unreadable or named twice, or a folder holds no dump.
    """
    inputs = [found for split, paths in by_split.items() for found in find_inputs(paths, split, storage)]
    refuse_repeated_paths(inputs)
    return inputs


def ingest_step(run: Run, inputs: Sequence[InputFile], *, corpus: str, site: str) -> None:
    """Write posts, comments, users, judgments and what could not be read.

    Raises:
        ContractError: records went missing between the files and the tables.
    """
    run.add_inputs(input_records(inputs))
    with run.step("ingest") as step, corpus_reader(corpus)(run.lake.spark, inputs, site=site) as community:
        run.write(POSTS, community.posts)
        run.write(COMMENTS, community.comments)
        run.write(USERS, community.users)
        run.write(JUDGMENTS, community.judgments)
        run.write(QUARANTINE, community.quarantine)
        run.write(INGESTED_FILES, community.ingested_files)
        totals = check_accounting(run.read(INGESTED_FILES))
        step.rows_in, step.rows_out, step.rows_quarantined = totals
