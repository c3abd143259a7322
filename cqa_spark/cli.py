"""The ``cqa`` command: finds a job, resolves its settings, runs it, and reports errors.

Modules are imported when they are needed: help and ``evaluate-file`` start without Spark.
"""

from __future__ import annotations

import io
import os
import select
import sys
import traceback
from collections.abc import Sequence
from importlib.util import find_spec

from cqa_spark.commands.jobs import GROUPS, Job, checks, job_settings, listed_jobs, load_job, plan
from cqa_spark.errors import ConfigError, CqaError, message_of
from cqa_spark.process.signals import Stopped, stop_on_signals
from cqa_spark.process.terminal import visible

READER_GONE = 141
"""Exit code where the reader of the output has ended, as of programs that SIGPIPE ends."""

_PUBLISHED_IS_READABLE = "the published run is complete and readable"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one job.

    Args:
        arguments: the command line without the program name; None for ``sys.argv``.

    Returns:
        The exit code: 0, the code of an error in ``cqa_spark.errors``, 143 for SIGTERM, 130 for SIGINT, 129 for SIGHUP,
        141 where the reader of the output has ended, or 1 for a defect.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters that the encoding lacks are escaped
    try:
        try:
            return _exit_code(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            for stream in filter(None, (sys.stdout, sys.stderr)):  # None where it was closed
                stream.flush()
    except BrokenPipeError:
        if _reader_is_gone():
            return READER_GONE
        raise
    except SystemExit as ended:  # by argparse after help, and by rich where it cannot print
        if isinstance(ended.__context__, BrokenPipeError):
            return READER_GONE
        raise


def _exit_code(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if arguments[0] == "--version":
        from cqa_spark.runtime.workspace import package_version

        print(f"cqa-spark {package_version()}")
        return 0
    try:
        with stop_on_signals():
            return _do(*_find_job(_laid_over(arguments)))
    except CqaError as error:
        _report("\n".join([str(error), *_notes(error)]))
        return error.exit_code
    except Stopped as stopped:
        _report("; ".join([f"stopped by {stopped.signal.name}", *_notes(stopped), _PUBLISHED_IS_READABLE]))
        return stopped.exit_code
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _reader_is_gone():
            return READER_GONE
        print(visible(traceback.format_exc()), end="", file=sys.stderr)
        from cqa_spark.plugins import origin_of

        defect = f"internal error: this is a defect of {origin_of(error)}"
        _report("; ".join([defect, *_notes(error), _PUBLISHED_IS_READABLE]))
        return 1


def _laid_over(arguments: list[str]) -> list[str]:
    """The arguments without ``--overlay FOLDER``, which is laid over the project's files for every command.

    Raises:
        ConfigError: there is no such folder, or none is named.
    """
    index = next((index for index, word in enumerate(arguments) if word.partition("=")[0] == "--overlay"), None)
    if index is None:
        return arguments
    from cqa_spark.settings.conf_files import lay_over

    _, equals, folder = arguments[index].partition("=")
    after = index + (1 if equals else 2)
    if not equals:
        folder = next(iter(arguments[index + 1 : after]), "")
    if not folder:
        raise ConfigError("--overlay needs a value", "name a folder like conf/, whose files replace ours")
    lay_over(folder)
    return _laid_over([*arguments[:index], *arguments[after:]])


def overview(first_word: str = "") -> str:
    """The list of all commands, or of the commands that start with a word."""
    lines = [
        "usage: cqa COMMAND [options]",
        "",
        "Ranks answers, questions and comments of community forums on Apache Spark.",
        "",
    ]
    jobs = listed_jobs()
    width = max(map(len, jobs))
    for group in GROUPS:
        listed = [
            f"  {job.name:<{width}} {job.about}"
            for job in jobs.values()
            if job.group == group and first_word in ("", job.name.split()[0])
        ]
        lines += [f"{group}:", *listed, ""] if listed else []
    lines += [
        "examples:",
        "  cqa run --config conf/demo.yaml              all steps on the built-in sample",
        "  cqa run --config conf/demo.yaml --dry-run    print the settings, inputs and outputs",
        "  cqa COMMAND --help                           list the settings of one command",
    ]
    return "\n".join(lines)


def _report(message: str) -> None:
    print(f"cqa: {visible(message)}", file=sys.stderr)


def _reader_is_gone() -> bool:
    """Whether the program that reads the output, such as ``head``, has ended; then the output is discarded."""
    watched = select.poll()
    outputs = [stream.fileno() for stream in filter(None, (sys.stdout, sys.stderr))]
    for output in outputs:
        watched.register(output, 0)  # without readers a pipe reports an error
    is_gone = bool(watched.poll(0))
    for output in outputs if is_gone else ():
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    return is_gone


def _notes(error: BaseException) -> list[str]:
    """What is true in spite of a failure, as the job noted it."""
    return list(getattr(error, "__notes__", ()))


def _find_job(arguments: list[str]) -> tuple[Job, list[str]]:
    """The job named by the first one or two words, and the arguments after them."""
    from cqa_spark.settings.suggestions import did_you_mean

    jobs = listed_jobs()
    for words in (2, 1):
        if (name := " ".join(arguments[:words])) in jobs:
            return load_job(_named_in_config(name, arguments[words:])), arguments[words:]
    family = [name for name in jobs if name.startswith(f"{arguments[0]} ")]
    if family and arguments[1:] in ([], ["-h"], ["--help"]):
        print(overview(arguments[0]))
        raise SystemExit(0 if arguments[1:] else ConfigError.exit_code)
    if arguments[0].startswith("-"):
        raise ConfigError(f"unknown flag {arguments[0]}", "flags follow the command; cqa --help lists all commands")
    if family and arguments[1].startswith("-"):
        raise ConfigError(
            f"{arguments[0]!r} is the first word of several commands", f"give one of: {', '.join(family)}"
        )
    wrong = " ".join(word for word in arguments[:2] if not word.startswith("-"))
    raise ConfigError(f"unknown command {wrong!r}", did_you_mean(wrong, jobs, "cqa --help lists all commands"))


def _named_in_config(name: str, arguments: list[str]) -> str:
    """The name of the job that the config files of ``cqa run`` name in its place; its own where they name none."""
    from cqa_spark.settings.conf_files import named_job
    from cqa_spark.settings.suggestions import did_you_mean

    named = named_job(arguments) if name == "run" else None
    if named is None:
        return name
    if named not in listed_jobs():
        remedy = did_you_mean(named, listed_jobs(), "see cqa --help")
        raise ConfigError(f"a config file names the unknown job {named!r}", remedy)
    return named


def _do(job: Job, arguments: list[str]) -> int:
    from cqa_spark.settings.resolve import resolve

    program, resolved = f"cqa {job.name}", None
    try:
        resolved = resolve(program, job.settings, arguments, checks(), job_settings)
        if not resolved.dry_run:
            job.function(resolved.settings)
            return 0
        print(plan(job, resolved.settings))
        if job.preview:
            job.preview(resolved.settings)
    except Exception as error:
        lake = getattr(resolved.settings, "lake", None) if resolved else None
        explanation = error if isinstance(error, CqaError) else _explained(error, [lake] if lake else [])
        if explanation is None:
            raise
        if resolved and resolved.debug:
            traceback.print_exc()
        for note in () if explanation is error else _notes(error):
            explanation.add_note(note)
        raise explanation from error
    return 0


def _explained(error: Exception, locations: Sequence[str]) -> CqaError | None:
    """The user error behind an exception of a library; None for a defect."""
    from cqa_spark.process.failures import absent_library

    if problem := absent_library(message_of(error)):
        return problem
    if find_spec("py4j") is None:  # measures are computed without Spark, whose errors there are none of then
        return None
    from cqa_spark.spark.failures import explained

    return explained(error, locations)


if __name__ == "__main__":
    sys.exit(main())
