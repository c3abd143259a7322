"""The command line of a job, derived from its settings.

A flag is the YAML key of a setting with hyphens: ``allow_shared_threads`` is ``--allow-shared-threads``, and ``seed``
in the section ``evaluation`` is ``--evaluation.seed``.
"""

import argparse
import shlex
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from cqa_spark.settings.layers import Key, SettingsLayer, nested
from cqa_spark.settings.sections import Command, SettingsSection
from cqa_spark.settings.suggestions import did_you_mean, near_names
from cqa_spark.settings.values import Positional, Shown
from cqa_spark.settings.yaml import Problem

METAVARS = {int: "N", float: "X", str: "TEXT"}

_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True)
class Flag:
    """A setting on the command line.

    Attributes:
        key: its YAML keys, outermost section first.
        spelling: the flag, or the bare name of a positional argument.
        section: the model that declares it.
        field: its declaration.
    """

    key: Key
    spelling: str
    section: type[SettingsSection]
    field: FieldInfo

    @property
    def kind(self) -> Any:
        """The type of one value."""
        return _element(self.field.annotation)[0]

    @property
    def many(self) -> bool:
        """Whether the flag takes several values."""
        return _element(self.field.annotation)[2]

    @property
    def shown(self) -> Shown | None:
        """How a value is shown; None if its type tells."""
        metadata = [*self.field.metadata, *_element(self.field.annotation)[1]]
        return next((metadatum for metadatum in metadata if isinstance(metadatum, Shown)), None)

    @property
    def metavar(self) -> str:
        """The placeholder of a value in the help text."""
        if not self.spelling.startswith("-"):
            return self.spelling.upper()
        if get_origin(self.kind) is Literal:
            return f"{{{','.join(get_args(self.kind))}}}"
        return self.shown.metavar if self.shown else METAVARS.get(self.kind, "VALUE")

    @property
    def is_common(self) -> bool:
        """Whether ``--help`` lists it: all but flags with the name of a section, and rare ones."""
        return "." not in self.spelling and self.key[-1] not in self.section.rare

    @property
    def help(self) -> str:
        """The setting's description with its default."""
        default = None if self.field.is_required() else self.field.get_default(call_default_factory=True)
        shown = " ".join(map(str, default)) if isinstance(default, tuple) else default
        text = str(shown).lower() if isinstance(shown, bool) else "" if shown is None else str(shown)
        return f"{self.field.description}{f' (default: {text})' if text else ''}".replace("%", "%%")


def flags(model: type[SettingsSection], key: Key = (), prefix: str = "") -> Iterator[Flag]:
    """The flags of a model; the flags of its sections follow its own."""
    sections: list[Iterator[Flag]] = []
    for name, field in model.model_fields.items():
        spelled = name.replace("_", "-")
        if section := section_of(field):
            inner = f"{prefix}{spelled}." if section.flag_prefix is None else section.flag_prefix
            sections.append(flags(section, (*key, name), inner))
        elif any(isinstance(metadatum, Positional) for metadatum in field.metadata):
            yield Flag((*key, name), name, model, field)
        else:
            yield Flag((*key, name), f"--{prefix}{spelled}", model, field)
    yield from chain(*sections)


def section_of(field: FieldInfo) -> type[SettingsSection] | None:
    """The model of a field that is a section; None for a plain setting."""
    kind = _element(field.annotation)[0]
    return kind if isinstance(kind, type) and issubclass(kind, SettingsSection) else None


def build_parser(
    program: str, model: type[Command], *, with_files: bool, only_common: bool = False
) -> argparse.ArgumentParser:
    """The parser of a command; values stay strings, which the model validates.

    Args:
        program: name of the command, such as ``cqa run``.
        model: its settings.
        with_files: whether ``--config`` is accepted.
        only_common: whether the help text leaves out flags that are not common, except required ones.
    """
    known_flags = list(flags(model))
    left_out = {flag for flag in known_flags if only_common and not (flag.is_common or is_required(flag, model))}
    parser = argparse.ArgumentParser(
        program,
        usage=f"{program} {_origins(model)}[options]",
        description=_first_line(model),
        epilog="\n".join(_epilogue(program, model, left_out)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    always = parser.add_argument_group("options")
    if with_files:
        always.add_argument(
            "--config",
            action="append",
            default=[],
            metavar="FILE",
            help="YAML file of settings, may be repeated; overrides conf/base.yaml and earlier ones, flags override it",
        )
    always.add_argument("--dry-run", action="store_true", help="print the settings, inputs and outputs, and exit")
    always.add_argument("--debug", action="store_true", help="print the traceback of every error")
    always.add_argument("-h", "--help", action="help", help="print the common settings and exit")
    always.add_argument("--help-all", action="help", help="print all settings and exit")
    groups: dict[type[SettingsSection], argparse._ArgumentGroup] = {}
    for flag in known_flags:
        if flag.section not in groups:
            title = "settings" if flag.section is model else _first_line(flag.section)
            groups[flag.section] = parser.add_argument_group(title)
        text = f"{flag.help}{' (required)' if is_required(flag, model) else ''}"
        _add(groups[flag.section], flag, argparse.SUPPRESS if flag in left_out else text)
    return parser


def is_required(flag: Flag, model: type[Command]) -> bool:
    """Whether the setting of a flag must be given, whatever the others are."""
    return flag.field.is_required() or ".".join(flag.key) in model.needs


def _epilogue(program: str, model: type[Command], left_out: Collection[Flag]) -> Iterator[str]:
    """The flags that a help text leaves out, and the examples."""
    if left_out:
        sections = sorted({f"{flag.spelling.rpartition('.')[0]}.…" for flag in left_out if "." in flag.spelling})
        yield from textwrap.wrap(f"{program} --help-all: {len(left_out)} more settings, {', '.join(sections)}")
        yield ""
    if model.examples:
        yield from ("examples:", *(f"  {example}" for example in model.examples))


def read_flags(
    parser: argparse.ArgumentParser, model: type[Command], arguments: Sequence[str]
) -> tuple[argparse.Namespace, SettingsLayer, list[Problem]]:
    """Parse the command line into arguments, settings and problems.

    argparse stops at the first error. The flag at fault is reported and removed, and the rest is parsed again.
    """
    problems: list[Problem] = []
    left = list(arguments)
    while True:
        try:
            parsed, unknown = parser.parse_known_intermixed_args(left)
            break
        except argparse.ArgumentError as error:
            names = (error.argument_name or "").split("/")
            wrong = [argument for argument in left if argument.split("=")[0] in names]
            name, _, value = next(iter(wrong), names[0]).partition("=")
            problem = Problem(f"flag {name}", "", error.message, f"see {parser.prog} --help", meant=(name,))
            problems.append(_value_of_switch(name, value) or problem if len(names) > 1 else problem)
            left = [argument for argument in left if argument not in wrong]
    known_flags = list(flags(model))
    given = {
        flag.key: value for flag in known_flags if (value := getattr(parsed, _destination(flag))) not in (None, [])
    }
    origins = {
        flag.key: f"flag {flag.spelling}" if flag.spelling.startswith("-") else "command line" for flag in known_flags
    }
    layer = SettingsLayer("command line", nested(given), {key: origins[key] for key in given})
    problems += _unknown_flags(unknown, parser, known_flags)
    first_unknown = next((index for index, word in enumerate(unknown) if word.startswith("-")), len(unknown))
    if stray := unknown[:first_unknown]:  # words after an unknown flag are its values
        missing = [flag for flag in known_flags if is_required(flag, model) and flag.key not in given]
        problems.append(_stray_words(stray, left, parser.prog, _origins(model), known_flags, missing))
    return parsed, layer, problems


def _add(group: argparse._ArgumentGroup, flag: Flag, text: str) -> None:
    destination = _destination(flag)
    if not flag.spelling.startswith("-"):
        group.add_argument(destination, nargs="*" if flag.many else "?", metavar=flag.metavar, help=text)
    elif flag.kind is bool:
        group.add_argument(flag.spelling, dest=destination, action=argparse.BooleanOptionalAction, help=text)
    elif flag.many:
        group.add_argument(flag.spelling, dest=destination, nargs="+", action="extend", metavar=flag.metavar, help=text)
    else:
        group.add_argument(flag.spelling, dest=destination, metavar=flag.metavar, help=text)


def _destination(flag: Flag) -> str:
    return ".".join(flag.key)


def _origins(model: type[Command]) -> str:
    """The positional arguments and the required flags, for the usage line."""
    named = [flag for flag in flags(model) if not flag.spelling.startswith("-")]
    needed = [flag for flag in flags(model) if flag.spelling.startswith("-") and is_required(flag, model)]
    words = [f"{flag.metavar} ... " if flag.many else f"{flag.metavar} " for flag in named]
    return "".join([*words, *(f"{flag.spelling} {flag.metavar} " for flag in needed)])


def _first_line(model: type[SettingsSection]) -> str:
    return (model.__doc__ or "").strip().splitlines()[0].rstrip(".")


def _unknown_flags(
    unknown: Sequence[str], parser: argparse.ArgumentParser, known_flags: Sequence[Flag]
) -> Iterator[Problem]:
    spellings = [flag.spelling for flag in known_flags] + ["--config", "--dry-run", "--debug", "--help", "--help-all"]
    positional = {f"--{flag.spelling.replace('_', '-')}": flag for flag in known_flags if flag.spelling[0] != "-"}
    for name in (argument.split("=")[0] for argument in unknown if argument.startswith("-")):
        meant: tuple[str, ...] = tuple(near_names(name, spellings))
        remedy = did_you_mean(name, spellings, f"{parser.prog} --help-all lists all flags")
        if name in positional:
            meant = (positional[name].spelling,)
            remedy = f"give it without the flag: {parser.prog} {positional[name].metavar}"
        yield Problem(f"flag {name}", "", "unknown flag", remedy, meant=meant)


def _stray_words(
    stray: Sequence[str],
    arguments: Sequence[str],
    program: str,
    origins: str,
    known_flags: Sequence[Flag],
    missing: Sequence[Flag],
) -> Problem:
    """The problem of words that belong to no flag.

    Args:
        stray: the words.
        arguments: the command line with them.
        program: name of the command.
        origins: its positional arguments and required flags.
        known_flags: flags of the command.
        missing: required ones that are not given.
    """
    before = arguments[: arguments.index(stray[0])]
    name, _, value = next((word for word in reversed(before) if word.startswith("-")), "").partition("=")
    if before and before[-1] == name and (problem := _value_of_switch(name, stray[0])):
        return problem
    flag = next((flag for flag in known_flags if flag.spelling == name), None)
    has_positional = any(not flag.spelling.startswith("-") for flag in known_flags)
    takes_text = flag is not None and flag.kind is str and not has_positional
    if flag is not None and takes_text and (flag.metavar == METAVARS[str] or not missing):
        text = " ".join([value or before[-1], *stray])
        remedy = f"put a value of several words in quotes: {name} {shlex.quote(text)}"
    elif len(missing) == len(stray) == 1 and not has_positional:
        remedy = f"did you mean {missing[0].spelling} {stray[0]}?"
    else:
        remedy = f"write {program} {origins}… ({program} --help lists the flags)"
    words = f"unexpected argument{'s' if len(stray) > 1 else ''} {' '.join(map(repr, stray))}"
    return Problem("command line", "", words, remedy, meant=tuple(flag.spelling for flag in missing))


def _value_of_switch(name: str, value: str) -> Problem | None:
    """The problem of a flag such as ``--publish`` with a value; None if the value is neither yes nor no."""
    switch = name.replace("--no-", "--", 1)
    if value.lower() not in _YES + _NO:
        return None
    meant = switch if (value.lower() in _YES) == (switch == name) else switch.replace("--", "--no-", 1)
    return Problem(f"flag {name}", "", "takes no value", f"write {meant}")


def _element(annotation: Any) -> tuple[Any, list[Any], bool]:
    """The type of a value of a field, its annotations, and whether the field has several values."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if hasattr(annotation, "__metadata__"):
        kind, metadata, many = _element(arguments[0])
        return kind, [*annotation.__metadata__, *metadata], many
    if origin in (Union, UnionType):
        return _element(next(argument for argument in arguments if argument is not type(None)))
    if origin is tuple:
        kind, metadata, _ = _element(arguments[0])
        return kind, metadata, True
    return annotation, [], False
