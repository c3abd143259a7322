"""The reference of commands and settings, from the models of their settings."""

from collections.abc import Iterator, Mapping, Sequence

from cqa_spark.commands.jobs import GROUPS, Job, all_jobs
from cqa_spark.reports.kit.wording import counted
from cqa_spark.settings.command_line import Flag, flags
from cqa_spark.settings.sections import JobSettings, SettingsSection
from generators.markdown import code, folded, page, plain, sentence, table

ALWAYS = """Every command has `--dry-run`, which prints the settings, inputs and outputs, `--debug`, which prints the
traceback of an error, and `--help`. Commands that read config files take `--config FILE`, which may be repeated.
"""


def commands_page() -> str:
    """Every command with its arguments, flags and examples; sections that several commands share are linked."""
    return page("Commands", ALWAYS, *(block for group in GROUPS for block in _group(group)))


def settings_page() -> str:
    """Every setting of a config file by section, with its default and the commands that read it."""
    by_section: dict[tuple[str, ...], dict[tuple[str, ...], Flag]] = {}
    users: dict[tuple[str, ...], list[str]] = {}
    for job in all_jobs():
        model = job.settings
        if not issubclass(model, JobSettings):
            continue
        for flag in flags(model):
            by_section.setdefault(flag.key[:-1], {}).setdefault(flag.key, flag)
            readers = users.setdefault(flag.key, [])
            readers.append(job.name)
    intro = """A setting is a key of a YAML file and a flag of the command line. Later ones override earlier ones: the
defaults, `conf/base.yaml`, `conf/cluster.yaml` (under spark-submit), the files of `--config` in the given order, and
flags. `cqa COMMAND … --dry-run` prints the result. Unknown keys and wrong values are all reported
together, before Spark starts."""
    titles = sorted(by_section, key=lambda key: (key != (), key))
    blocks = [_settings_section(key, by_section[key], users) for key in titles]
    return page("Settings", intro, *blocks)


def _group(group: str) -> Iterator[str]:
    yield f"## {group[:1].upper()}{group[1:]}"
    for job in all_jobs():
        if job.group == group:
            yield from _command(job)


def _command(job: Job) -> Iterator[str]:
    model = job.settings
    found = list(flags(model))
    in_files = issubclass(model, JobSettings)
    places = [flag for flag in found if not flag.spelling.startswith("-")]
    usage = " ".join(["cqa", job.name, *[f"{flag.metavar}{' …' if flag.many else ''}" for flag in places], "[options]"])
    yield f"### cqa {job.name}"
    yield sentence(plain(job.about))
    yield f"```\n{usage}\n```"
    own = [flag for flag in found if not in_files or len(flag.key) == 1 or not _shared(flag.section)]
    if own:
        rows = [[code(_written(flag)), _meaning(flag)] for flag in own]
        yield folded(counted(len(rows), "option"), table(["argument or flag", "meaning"], rows))
    shared = dict.fromkeys(flag.key[0] for flag in found if flag not in own)
    if shared:
        linked = ", ".join(f"[{name}](settings.md#{_anchor((name,))})" for name in shared)
        yield f"Shared settings: {linked}."
    if model.examples:
        yield "```\n" + "\n".join(model.examples) + "\n```"


def _written(flag: Flag) -> str:
    """A flag with the placeholder of its value, or a positional argument."""
    if not flag.spelling.startswith("-"):
        return flag.metavar
    return flag.spelling if flag.kind is bool else f"{flag.spelling} {flag.metavar}"


def _shared(section: type[SettingsSection]) -> bool:
    """Whether more than one command reads a section."""
    users = {job.name for job in all_jobs() for flag in flags(job.settings) if flag.section is section}
    return len(users) > 1


def _settings_section(
    key: tuple[str, ...],
    declared: Mapping[tuple[str, ...], Flag],
    users: Mapping[tuple[str, ...], Sequence[str]],
) -> str:
    section = next(iter(declared.values())).section
    title = sentence(plain((section.__doc__ or "").strip().splitlines()[0])) if key else "At the top level of a file."
    heading = f"## {'.'.join(key) or 'Top level'} {{ #{_anchor(key)} }}"
    rows = [[code(".".join(flag.key)), _meaning(flag), _readers(users[flag.key])] for flag in declared.values()]
    return "\n\n".join([heading, title, table(["key", "meaning", "commands"], rows)])


def _readers(names: Sequence[str]) -> str:
    """The commands that read a setting; those that read nearly all of them are not listed."""
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct) if len(distinct) <= MANY else f"{len(distinct)} commands"


def _anchor(key: tuple[str, ...]) -> str:
    return "-".join(key).replace("_", "-") or "top-level"


def _meaning(flag: Flag) -> str:
    return plain(flag.help.replace("%%", "%"))


MANY = 6
"""A setting of more commands than these names only their number."""
