"""The command line of a job, derived from its settings.

A flag is the YAML key of a setting with hyphens: ``allow_shared_threads`` is ``--allow-shared-threads``, and ``seed``
in the section ``evaluation`` is ``--evaluation.seed``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from cqa_spark.config.layers import Key, SettingsLayer, nested
from cqa_spark.config.problems import Problem
from cqa_spark.config.sections import Command, SettingsSection
from cqa_spark.config.suggestions import did_you_mean
from cqa_spark.config.value_types import Positional, Shown

METAVARS = {int: "N", float: "X", str: "TEXT"}


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
    def metavar(self) -> str:
        """The placeholder of a value in the help text."""
        if not self.spelling.startswith("-"):
            return self.spelling.upper()
        kind, metadata, _ = _element(self.field.annotation)
        shown = [metadatum.metavar for metadatum in [*self.field.metadata, *metadata] if isinstance(metadatum, Shown)]
        if get_origin(kind) is Literal:
            return f"{{{','.join(get_args(kind))}}}"
        return shown[0] if shown else METAVARS.get(kind, "VALUE")

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
    for section_flags in sections:
        yield from section_flags


def section_of(field: FieldInfo) -> type[SettingsSection] | None:
    """The model of a field that is a section; None for a plain setting."""
    kind = _element(field.annotation)[0]
    return kind if isinstance(kind, type) and issubclass(kind, SettingsSection) else None


def build_parser(program: str, model: type[Command], *, with_files: bool) -> argparse.ArgumentParser:
    """The parser of a command; values stay strings, which the model validates.

    Args:
        program: name of the command, such as ``cqa run``.
        model: its settings.
        with_files: whether ``--config`` is accepted.
    """
    parser = argparse.ArgumentParser(
        program,
        usage=f"{program} {_origins(model)}[options]",
        description=_first_line(model),
        epilog="\n  ".join(["examples:", *model.examples]) if model.examples else None,
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
            help="YAML file of settings, may be repeated; overrides conf/base.yaml and earlier files; "
            "flags override all files",
        )
    always.add_argument("--dry-run", action="store_true", help="print the settings, inputs and outputs, and exit")
    always.add_argument("--debug", action="store_true", help="print the traceback of every error")
    always.add_argument("-h", "--help", action="help", help="print this help and exit")
    groups: dict[type[SettingsSection], argparse._ArgumentGroup] = {}
    for flag in flags(model):
        if flag.section not in groups:
            title = "settings" if flag.section is model else _first_line(flag.section)
            groups[flag.section] = parser.add_argument_group(title)
        _add(groups[flag.section], flag)
    return parser


def read_flags(
    parser: argparse.ArgumentParser,
    model: type[SettingsSection],
    arguments: Sequence[str],
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
            name = (error.argument_name or "").split("/")[0]
            problems.append(Problem(f"flag {name}", "", error.message, f"see {parser.prog} --help"))
            left = [argument for argument in left if argument.split("=")[0] != name]
    known_flags = list(flags(model))
    given = {
        flag.key: value for flag in known_flags if (value := getattr(parsed, _destination(flag))) not in (None, [])
    }
    origins = {
        flag.key: f"flag {flag.spelling}" if flag.spelling.startswith("-") else "command line" for flag in known_flags
    }
    layer = SettingsLayer("command line", nested(given), {key: origins[key] for key in given})
    return parsed, layer, problems + list(_unknown(unknown, parser, known_flags))


def _add(group: argparse._ArgumentGroup, flag: Flag) -> None:
    destination = _destination(flag)
    if not flag.spelling.startswith("-"):
        group.add_argument(destination, nargs="*" if flag.many else "?", metavar=flag.metavar, help=flag.help)
    elif flag.kind is bool:
        group.add_argument(flag.spelling, dest=destination, action=argparse.BooleanOptionalAction, help=flag.help)
    elif flag.many:
        group.add_argument(
            flag.spelling, dest=destination, nargs="+", action="extend", metavar=flag.metavar, help=flag.help
        )
    else:
        group.add_argument(flag.spelling, dest=destination, metavar=flag.metavar, help=flag.help)


def _destination(flag: Flag) -> str:
    return ".".join(flag.key)


def _origins(model: type[SettingsSection]) -> str:
    """The positional arguments, for the usage line."""
    named = [flag for flag in flags(model) if not flag.spelling.startswith("-")]
    return "".join(f"{flag.metavar} ... " if flag.many else f"{flag.metavar} " for flag in named)


def _first_line(model: type[SettingsSection]) -> str:
    return (model.__doc__ or "").strip().splitlines()[0].rstrip(".")


def _unknown(unknown: Sequence[str], parser: argparse.ArgumentParser, known_flags: Sequence[Flag]) -> Iterator[Problem]:
    spellings = [flag.spelling for flag in known_flags] + ["--config", "--dry-run", "--debug", "--help"]
    metavars = {f"--{flag.spelling}": flag.metavar for flag in known_flags if not flag.spelling.startswith("-")}
    after_unknown_flag = False
    for argument in unknown:
        if argument.startswith("-"):
            name = argument.split("=")[0]
            if name in metavars:
                remedy = f"give it without the flag: {parser.prog} {metavars[name]}"
            else:
                remedy = did_you_mean(name, spellings, f"{parser.prog} --help lists all flags")
            yield Problem(f"flag {name}", "", "unknown flag", remedy)
            after_unknown_flag = True
        elif not after_unknown_flag:
            yield Problem(
                "command line", "", f"unexpected argument {argument!r}", f"{parser.prog} --help lists all flags"
            )


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
