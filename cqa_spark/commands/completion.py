"""``cqa completion``: a script that completes commands and flags in a shell."""

from typing import Annotated, Literal

from pydantic import Field

from cqa_spark.commands.jobs import Job, all_jobs
from cqa_spark.settings.command_line import flags
from cqa_spark.settings.sections import Command, JobSettings
from cqa_spark.settings.values import Positional


class CompletionSettings(Command):
    """Print a script that completes commands and flags in a shell; source it in the shell's start-up file."""

    examples = ("cqa completion bash >> ~/.bashrc", "cqa completion zsh >> ~/.zshrc")

    shell: Annotated[Literal["bash", "zsh"], Positional(), Field(description="name of the shell")]


_SCRIPT = """\
{preamble}_cqa() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
    case "${{COMP_WORDS[*]:1:COMP_CWORD-1}} " in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _cqa cqa"""
"""Where no word fits, the shell completes file names."""


_PREAMBLE = {"bash": "", "zsh": "autoload -Uz bashcompinit compinit && compinit && bashcompinit\n"}


def print_completion(settings: CompletionSettings) -> None:
    """Print the script; it holds all commands and flags, and calls no program."""
    jobs = all_jobs()
    next_words = {"": {job.name.split()[0] for job in jobs}}
    for job in jobs:
        first, _, second = job.name.partition(" ")
        next_words.setdefault(first, set()).update([second] if second else [])
    of_job = {job.name: _flags(job.settings) for job in jobs}
    cases = [
        f'        "{command} "*) words="{" ".join(of_job[command])}" ;;'
        for command in sorted(of_job, key=lambda command: (-len(command.split()), command))
    ]
    first_words = [
        f'        "{typed} ") words="{" ".join([*sorted(words), *of_job.get(typed, [])])}" ;;'
        for typed, words in sorted(next_words.items())
    ]
    print(_SCRIPT.format(preamble=_PREAMBLE[settings.shell], cases="\n".join([*first_words, *cases])))


def _flags(model: type[Command]) -> list[str]:
    """The flags of a command: those of all commands, then its own."""
    own = [flag for flag in flags(model) if flag.spelling.startswith("--")]
    negated = [f"--no-{flag.spelling.removeprefix('--')}" for flag in own if flag.kind is bool]
    files = ["--config"] if issubclass(model, JobSettings) else []
    return [*files, "--dry-run", "--debug", "--help", "--help-all", *(flag.spelling for flag in own), *negated]


JOBS = (Job("completion", "print a completion script for a shell", "setup", CompletionSettings, print_completion),)
