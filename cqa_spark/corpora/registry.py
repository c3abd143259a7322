"""The registry of source formats, each a package.

Annotated files are given by split; dumps are complete sites, which are read again if a file has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cqa_spark.config.dump_settings import DumpJobSettings
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.cqa_md.ingest import CqaMdFiles
from cqa_spark.corpora.qatar_living.ingest import QatarLivingFiles
from cqa_spark.corpora.question_list.ingest import QuestionList, question_lists
from cqa_spark.corpora.source import Source
from cqa_spark.corpora.stackexchange.ingest.ingest import StackExchangeDump, stackexchange_dumps
from cqa_spark.corpora.text_pairs.ingest import QuestionPairFiles, StsFiles
from cqa_spark.errors import ConfigError


@dataclass(frozen=True)
class DumpFormat:
    """A format of dumps.

    Attributes:
        source: creates the source of one dump per site.
        find: finds the dumps named in a job's settings; several dumps of a site are in order of time.
    """

    source: Callable[..., Source]
    find: Callable[..., Sequence[Source]]


FILES: Mapping[str, Callable[[Mapping[str, Sequence[str]], str, ObjectStorageSettings], Source]] = {
    "qatar_living": QatarLivingFiles,
    "cqa_md": CqaMdFiles,
    "sts": StsFiles,
    "question_pairs": QuestionPairFiles,
}
DUMPS: Mapping[str, DumpFormat] = {
    "stackexchange": DumpFormat(StackExchangeDump, stackexchange_dumps),
    "question_list": DumpFormat(QuestionList, question_lists),
}


def file_source(
    corpus: str, by_split: Mapping[str, Sequence[str]], *, site: str, storage: ObjectStorageSettings
) -> Source:
    """Annotated files of a format.

    Args:
        corpus: name of the format.
        by_split: paths of files and folders by split.
        site: the community of the rows.
        storage: object storage settings.

    Raises:
        ConfigError: unknown format; the known ones are listed.
    """
    _require(corpus, FILES)
    return FILES[corpus](by_split, site, storage)


def dump_sources(corpus: str, settings: DumpJobSettings, *, full: bool = False) -> Sequence[Source]:
    """The dumps of a format named in the settings; several dumps of a site are in order of time.

    Args:
        corpus: name of the format.
        settings: location of the dumps, and tables to read.
        full: also read sites whose files the published run has read.

    Raises:
        ConfigError: unknown format; the known ones are listed.
        InputError: there is no dump, or one cannot be read.
    """
    _require(corpus, DUMPS)
    return DUMPS[corpus].find(settings, full=full)


def dump_before_search(corpus: str, settings: DumpJobSettings) -> Source:
    """A dump of a format before its files are searched; it only declares its tables.

    Raises:
        ConfigError: unknown format; the known ones are listed.
    """
    _require(corpus, DUMPS)
    return DUMPS[corpus].source((), settings)


def require_file_format(corpus: str) -> None:
    """Check the name of a format of annotated files.

    Raises:
        ConfigError: unknown format; the known ones are listed.
    """
    _require(corpus, FILES)


def require_dump_format(dump_format: str) -> None:
    """Check the name of a format of dumps.

    Raises:
        ConfigError: unknown format; the known ones are listed.
    """
    _require(dump_format, DUMPS)


def _require(corpus: str, known: Mapping[str, object]) -> None:
    if corpus not in known:
        raise ConfigError(f"unknown source format: {corpus}", f"known formats: {', '.join(sorted(known))}")
