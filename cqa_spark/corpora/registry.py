"""Source formats by name: annotated files, which are given by split, and dumps, which are complete sites."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from cqa_spark.config.dump_settings import DumpJobSettings
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.annotated_files import AnnotatedFiles
from cqa_spark.corpora.source import DumpFormat, Source
from cqa_spark.corpora.stackexchange.dump_files import find_archives, is_dump_table
from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError
from cqa_spark.plugins import PluginKind
from cqa_spark.process.terminal import Terminal

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
        InputError: a path holds a dump.
    """
    source = require_file_format(corpus)
    refuse_dumps(corpus, [path for paths in by_split.values() for path in paths])
    return source(by_split, site, storage)


def refuse_dumps(corpus: str, paths: Iterable[str]) -> None:
    """Refuse dumps of Stack Exchange as annotated files.

    Args:
        corpus: name of a format of annotated files.
        paths: of files and folders; addresses are not looked at.

    Raises:
        InputError: one of them is, or holds, a table of a dump.
    """
    for path in filter(lambda path: not is_remote(path), paths):
        files = Path(path).iterdir() if Path(path).is_dir() else [Path(path)]
        if table := next((file for file in files if is_dump_table(file.name)), None):
            raise InputError(
                f"{table} is a table of a Stack Exchange dump, and files of {corpus} are expected",
                "rank dumps with a system for them: cqa nightly --system night_answers; cqa systems list has others",
            )


def dump_sources(source_format: str, settings: DumpJobSettings, *, full: bool = False) -> Sequence[Source]:
    """The input that the settings name: dumps, of which several of a site are in order of time, or annotated files.

    Args:
        source_format: its name; annotated files are those of one site, and their queries are in the split test.
        settings: location of the input, and tables to read.
        full: also read sites whose files the published run has read.

    Raises:
        ConfigError: unknown format; the known ones are listed. Or annotated files without the name of a site.
        InputError: there is no input, or it cannot be read.
    """
    source = require_format(source_format)
    if isinstance(source, DumpFormat):
        return source.find(settings, full=full)
    return [
        file_source(
            source_format,
            {"test": settings.dumps.input},
            site=site_of(source_format, settings),
            storage=settings.object_storage,
        )
    ]


def one_dump(source_format: str, settings: DumpJobSettings, *, full: bool = False) -> Source:
    """The input of a job that takes one dump of each site; the arguments are those of ``dump_sources``.

    Raises:
        InputError: a site has several dumps.
    """
    sources = dump_sources(source_format, settings, full=full)
    if len(sources) > 1:
        raise InputError(f"{len(sources)} dumps of one site", "name one of them with --input; the job takes one dump")
    return sources[0]


def planned_dump(source_format: str, settings: DumpJobSettings, *, full: bool = False) -> Source:
    """The input as ``one_dump`` finds it, for a dry run, which unpacks and writes nothing.

    Archives, and files in object storage that does not answer, are only declared.

    Raises:
        InputError: as for ``one_dump``, as far as listings and the ends of local files show it.
    """
    source = require_format(source_format)
    if not isinstance(source, DumpFormat):
        refuse_dumps(source_format, settings.dumps.input)
        return source({}, "", settings.object_storage)
    source.check(settings)
    try:
        if not find_archives(settings.dumps.input, settings.object_storage):
            return one_dump(source_format, settings, full=full)
        reason = "archives are unpacked by the job"
    except EnvironmentProblem as error:
        if not any(map(is_remote, settings.dumps.input)):
            raise
        reason = error.problem
    Terminal(stderr=True).line(f"warning: the input was not searched: {reason}")
    return source.source((), settings)


def site_of(source_format: str, settings: DumpJobSettings) -> str:
    """The site of annotated files: that of the settings, or that of the format.

    Raises:
        ConfigError: neither names one.
    """
    site = settings.dumps.site or require_file_format(source_format).default_site
    if not site:
        raise ConfigError(f"the files of {source_format} name no site", "name it with --site")
    return site


def is_of_dumps(source_format: str) -> bool:
    """Whether a format is one of dumps, not of annotated files; errors as for ``require_format``."""
    return isinstance(require_format(source_format), DumpFormat)


def require_format(name: str) -> type[AnnotatedFiles] | DumpFormat:
    """The format of this name.

    Raises:
        ConfigError: unknown format; the known ones are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    return CORPORA.load(name)


def require_file_format(corpus: str) -> type[AnnotatedFiles]:
    """The format of annotated files of this name.

    Raises:
        ConfigError: unknown format, or one of dumps; the known ones are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    source = CORPORA.load(corpus)
    if isinstance(source, DumpFormat):
        known = [name for name, other in CORPORA.load_all().items() if not isinstance(other, DumpFormat)]
        raise ConfigError(f"{corpus} is a format of dumps", f"formats of annotated files: {', '.join(known)}")
    return source
