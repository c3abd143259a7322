"""The source formats that are known by name; a new one is added here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pyspark.sql import SparkSession

from cqa_spark.corpora.community import CommunityTables
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.qatar_living.reader import read_qatar_living
from cqa_spark.errors import ConfigError


class CorpusReader(Protocol):
    """Reads files of one format into community tables."""

    def __call__(self, spark: SparkSession, inputs: Sequence[InputFile], site: str = ...) -> CommunityTables:
        """Read the files; what cannot be understood goes to quarantine."""


CORPORA: Mapping[str, CorpusReader] = {
    "qatar_living": read_qatar_living,
}


def corpus_reader(name: str) -> CorpusReader:
    """The reader of a format.

    Raises:
        ConfigError: there is no format of this name; the known ones are listed.
    """
    if name not in CORPORA:
        raise ConfigError(f"unknown source format: {name}", f"known formats: {', '.join(sorted(CORPORA))}")
    return CORPORA[name]
