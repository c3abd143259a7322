"""``cqa completion``: a script that completes commands, flags and their values in a shell."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args, get_origin

from pydantic import Field

from cqa_spark.commands.jobs import Job, all_jobs
from cqa_spark.plugins import PluginKind
from cqa_spark.settings.command_line import Flag, flags
from cqa_spark.settings.conf_files import conf_files
from cqa_spark.settings.sections import Command, JobSettings
from cqa_spark.settings.values import Positional
from cqa_spark.systems.system import known_systems


class CompletionSettings(Command):
    """Print a script that completes commands, flags and values in a shell; source it in the shell's start-up file."""

    examples = (
        "cqa completion bash >> ~/.bashrc",
        "cqa completion zsh >> ~/.zshrc",
        "cqa completion fish > ~/.config/fish/completions/cqa.fish",
    )

    shell: Annotated[Literal["bash", "zsh", "fish"], Positional(), Field(description="name of the shell")]


_BASH = """\
_cqa() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words="" place
    for ((place = COMP_CWORD - 1; place > 0; place--)); do
        [[ ${{COMP_WORDS[place]}} == -* ]] && break
    done
    if [[ $word != -* ]]; then
        case "${{COMP_WORDS[place]}}" in
{values}
        esac
    fi
    if [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    case "${{COMP_WORDS[*]:1:COMP_CWORD-1}} " in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _cqa cqa"""
"""Where no word fits, the shell completes file names."""

_FISH = """\
function __cqa
    set -l typed (commandline --tokens-expanded --cut-at-cursor 2>/dev/null; or commandline -opc)
    set -l word (commandline -ct)
    set -l flag (string match -- '-*' $typed)[-1]
    set -l words
    if not string match -q -- '-*' $word
        switch "$flag"
{values}
        end
    end
    if test -z "$words"
        switch "$typed[2..] "
{cases}
        end
    end
    set -l fitting (string match -- "$word*" $words)
    if test -n "$fitting"
        printf '%s\\n' $fitting
    else
        __fish_complete_path $word
    end
end
complete --command cqa --no-files --arguments '(__cqa)'"""

_ZSH = "autoload -Uz bashcompinit compinit && compinit && bashcompinit\n"
"""What lets zsh run the script for bash."""


def print_completion(settings: CompletionSettings) -> None:
    """Print the script; it holds all commands, flags and names, and calls no program."""
    jobs = all_jobs()
    values: dict[str, set[str]] = {}
    names = _names()
    for flag in (flag for job in jobs for flag in flags(job.settings) if flag.spelling.startswith("--")):
        values.setdefault(flag.spelling, set()).update(_values(flag, names))
    next_words = {"": {job.name.split()[0] for job in jobs}}
    for job in jobs:
        first, _, second = job.name.partition(" ")
        next_words.setdefault(first, set()).update([second] if second else [])
    of_job = {job.name: _flags(job.settings) for job in jobs}
    # By what is typed, the words that may follow: first the exact beginnings, then whole commands with anything.
    following = [(f"{typed} ", [*sorted(words), *of_job.get(typed, [])]) for typed, words in sorted(next_words.items())]
    following += [(f"{name} *", of_job[name]) for name in sorted(of_job, key=lambda name: (-len(name.split()), name))]
    of_flags = [(flag, sorted(of_flag)) for flag, of_flag in sorted(values.items()) if of_flag]
    if settings.shell == "fish":
        print(_FISH.format(values=_fish_cases(of_flags), cases=_fish_cases(following)))
        return
    # A star is a pattern only outside of quotes.
    cases = [(f'"{typed.removesuffix("*")}"{"*" * typed.endswith("*")}', words) for typed, words in following]
    print(
        (_ZSH if settings.shell == "zsh" else "")
        + _BASH.format(
            cases="\n".join(f'        {typed}) words="{" ".join(words)}" ;;' for typed, words in cases),
            values="\n".join(f'            {flag}) words="{" ".join(words)}" ;;' for flag, words in of_flags),
        )
    )


def _fish_cases(words: Sequence[tuple[str, Sequence[str]]]) -> str:
    return "\n".join(
        f"            case '{typed}'\n                set words {' '.join(listed)}" for typed, listed in words
    )


def _names() -> Mapping[str, Sequence[str]]:
    """The names of each kind, from entry points and recipes: numpy and Spark are not imported for them."""
    groups = {"feature group": "feature_groups", "measure": "measures", "task": "tasks"}
    of_plugins = {kind: PluginKind[object](group, kind).names() for kind, group in groups.items()}
    return {**of_plugins, "system": known_systems(), "published table": tuple(conf_files("published"))}


def _values(flag: Flag, names: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The values that a flag may have, as far as they can be listed."""
    if get_origin(flag.kind) is Literal:
        return [str(value) for value in get_args(flag.kind)]
    return names.get(flag.shown.kind, []) if flag.shown else []


def _flags(model: type[Command]) -> list[str]:
    """The flags of a command: those of all commands, then its own."""
    own = [flag for flag in flags(model) if flag.spelling.startswith("--")]
    negated = [f"--no-{flag.spelling.removeprefix('--')}" for flag in own if flag.kind is bool]
    files = ["--config"] if issubclass(model, JobSettings) else []
    return [*files, "--dry-run", "--debug", "--help", "--help-all", *(flag.spelling for flag in own), *negated]


JOBS = (Job("completion", "print a completion script for a shell", "setup", CompletionSettings, print_completion),)
