"""Source formats by name: annotated files, which are given by split, and dumps, which are complete sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cqa_spark.config.dump_settings import DumpJobSettings
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.annotated_files import AnnotatedFiles
from cqa_spark.corpora.source import DumpFormat, Source
from cqa_spark.errors import ConfigError
from cqa_spark.plugins import PluginKind

CORPORA: PluginKind[type[AnnotatedFiles] | DumpFormat] = PluginKind("corpora", "source format")


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
    return require_file_format(corpus)(by_split, site, storage)


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
    return require_dump_format(corpus).find(settings, full=full)


def dump_before_search(corpus: str, settings: DumpJobSettings) -> Source:
    """A dump of a format before its files are searched; it only declares its tables.

    Raises:
        ConfigError: unknown format; the known ones are listed.
    """
    return require_dump_format(corpus).source((), settings)


def require_file_format(corpus: str) -> type[AnnotatedFiles]:
    """The format of annotated files of this name.

    Raises:
        ConfigError: unknown format; the known ones are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    source = CORPORA.load(corpus) if corpus in CORPORA.names() else None
    if source is None or isinstance(source, DumpFormat):
        raise _unknown(corpus, dumps=False)
    return source


def require_dump_format(dump_format: str) -> DumpFormat:
    """The format of dumps of this name; errors as for ``require_file_format``."""
    source = CORPORA.load(dump_format) if dump_format in CORPORA.names() else None
    if not isinstance(source, DumpFormat):
        raise _unknown(dump_format, dumps=True)
    return source


def _unknown(name: str, *, dumps: bool) -> ConfigError:
    known = [known for known, source in CORPORA.load_all().items() if isinstance(source, DumpFormat) == dumps]
    return ConfigError(f"unknown source format: {name}", f"known formats: {', '.join(known)}")
