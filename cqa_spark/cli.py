"""The ``cqa`` command: one table of jobs, each with its settings and the function that does it.

Everything but the table is imported when it is needed: help and ``evaluate-file`` start without Spark.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cqa_spark import __version__
from cqa_spark.errors import ConfigError, CqaError

if TYPE_CHECKING:
    from cqa_spark.config.kinds import Checks

SETTINGS = "cqa_spark.config.settings"
TOOLS = "cqa_spark.config.tools"
PIPELINE = "cqa_spark.pipeline"


@dataclass(frozen=True)
class Job:
    """One command.

    Attributes:
        name: one word or two, as it is typed.
        about: a line for the list of commands.
        settings: ``module:class`` of its settings.
        function: ``module:function`` that does it, given the settings.
    """

    name: str
    about: str
    settings: str
    function: str


JOBS: dict[str, tuple[Job, ...]] = {
    "the whole way": (
        Job(
            "run",
            "every step, from dumps to a report and a published run",
            f"{SETTINGS}:RunSettings",
            f"{PIPELINE}.run:run",
        ),
        Job(
            "nightly",
            "a new dump → new rankings, published where they pass the checks",
            f"{SETTINGS}:NightlySettings",
            f"{PIPELINE}.nightly:nightly",
        ),
    ),
    "step by step, each on the tables that the one before wrote": (
        Job("ingest", "dumps → community tables", f"{SETTINGS}:IngestSettings", f"{PIPELINE}.ingest:ingest"),
        Job(
            "ingest stackexchange",
            "dumps of Stack Exchange → community tables",
            f"{SETTINGS}:IngestStackExchangeSettings",
            f"{PIPELINE}.ingest_stackexchange:ingest_stackexchange",
        ),
        Job(
            "dataset preferred-answer",
            "community tables → questions with answers, split, and a data card",
            f"{SETTINGS}:PreferredAnswerDatasetSettings",
            f"{PIPELINE}.dataset:preferred_answer_dataset",
        ),
        Job("pair", "community tables → examples", f"{SETTINGS}:PairSettings", f"{PIPELINE}.pair:pair"),
        Job("featurize", "examples → features", f"{SETTINGS}:FeaturizeSettings", f"{PIPELINE}.featurize:featurize"),
        Job(
            "train",
            "features → trained systems; or training files → a model folder",
            f"{SETTINGS}:TrainSettings",
            f"{PIPELINE}.train:train",
        ),
        Job(
            "score",
            "trained systems → rankings; or a model folder and a file → predictions",
            f"{SETTINGS}:ScoreSettings",
            f"{PIPELINE}.score:score",
        ),
        Job(
            "evaluate",
            "rankings → measures, intervals, tests",
            f"{SETTINGS}:EvaluateSettings",
            f"{PIPELINE}.evaluate:evaluate",
        ),
        Job("report", "a run → one HTML file", f"{SETTINGS}:ReportSettings", f"{PIPELINE}.report:report"),
        Job(
            "publish", "a finished run → what readers see", f"{SETTINGS}:PublishSettings", f"{PIPELINE}.publish:publish"
        ),
    ),
    "experiments": (
        Job(
            "experiment preferred-answer",
            "answered questions → Tables 4 and 5 of Xu et al. (2018), ours beside theirs",
            f"{SETTINGS}:PreferredAnswerExperimentSettings",
            f"{PIPELINE}.preferred_answer.experiment:experiment",
        ),
        Job(
            "tune",
            "a run's features → better parameters for a system's ranker",
            f"{SETTINGS}:TuneSettings",
            f"{PIPELINE}.tune:tune",
        ),
        Job(
            "explain",
            "a thread → its ranked candidates, and the features that moved each score",
            f"{SETTINGS}:ExplainSettings",
            f"{PIPELINE}.explain:explain",
        ),
        Job(
            "reproduce",
            "published systems: train, rank, and set the published figures beside ours",
            f"{SETTINGS}:ReproduceSettings",
            f"{PIPELINE}.reproduce:reproduce",
        ),
    ),
    "on files": (
        Job(
            "rank",
            "train on files and rank another file, in one go",
            f"{SETTINGS}:RankSettings",
            f"{PIPELINE}.rank:rank",
        ),
        Job(
            "evaluate-file",
            "score official prediction files, without Spark",
            f"{TOOLS}:EvaluateFileSettings",
            f"{PIPELINE}.tools:print_scores",
        ),
        Job(
            "synth qatar-living",
            "invent a dump to try things on",
            f"{TOOLS}:SynthSettings",
            f"{PIPELINE}.tools:write_sample",
        ),
        Job(
            "synth stackexchange",
            "invent a dump of a Stack Exchange site, of any size",
            f"{TOOLS}:SynthStackExchangeSettings",
            f"{PIPELINE}.tools:write_stackexchange_dump",
        ),
    ),
    "before the first job": (
        Job(
            "doctor",
            "try everything that a job will need, and say what to do where it fails",
            f"{SETTINGS}:DoctorSettings",
            "cqa_spark.doctor.consultation:consult",
        ),
    ),
    "what there is": (
        Job(
            "inspect",
            "what is in a lake, or what changed between runs",
            f"{SETTINGS}:InspectSettings",
            f"{PIPELINE}.inspect:inspect",
        ),
        Job("runs list", "the runs of a lake", f"{SETTINGS}:ListRunsSettings", f"{PIPELINE}.runs:list_runs"),
        Job("runs show", "one run", f"{SETTINGS}:ShowRunSettings", f"{PIPELINE}.runs:show_run"),
        Job("runs publish", "let readers see a run", f"{SETTINGS}:PublishRunSettings", f"{PIPELINE}.publish:publish"),
        Job(
            "runs rollback",
            "let readers see the run before",
            f"{SETTINGS}:RollbackSettings",
            f"{PIPELINE}.publish:rollback",
        ),
        Job(
            "runs gc",
            "remove what no run needs that readers may see",
            f"{SETTINGS}:CollectGarbageSettings",
            f"{PIPELINE}.collect_garbage:collect_garbage",
        ),
        Job(
            "features audit",
            "proof that as-of features know nothing of the future",
            f"{SETTINGS}:FeatureAuditSettings",
            f"{PIPELINE}.audit:audit",
        ),
        Job("features list", "feature groups", f"{TOOLS}:CatalogueSettings", f"{PIPELINE}.tools:print_groups"),
        Job(
            "features show",
            "the columns of a feature group",
            f"{TOOLS}:ShowGroupSettings",
            f"{PIPELINE}.tools:print_group",
        ),
        Job(
            "systems list",
            "systems: recipes of feature groups and a ranker",
            f"{TOOLS}:CatalogueSettings",
            f"{PIPELINE}.tools:print_systems",
        ),
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one job.

    Args:
        arguments: the command line without the program's name; None takes the process's own.

    Returns:
        The exit code: 0, or what ``cqa_spark.errors`` says, 130 when interrupted, 1 for a defect of ours.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if given[0] == "--version":
        print(f"cqa-spark {__version__}")
        return 0
    try:
        return _do(*_find_job(given))
    except CqaError as error:
        print(f"cqa: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("cqa: interrupted; the published run is unchanged", file=sys.stderr)
        return 130
    except Exception as error:
        traceback.print_exc()
        if (told := _explained(error)) is not None:
            print(f"cqa: {told}", file=sys.stderr)
            return told.exit_code
        print("cqa: this is a defect of cqa-spark; the published run is unchanged and still readable", file=sys.stderr)
        return 1


def overview(first_word: str = "") -> str:
    """The list of commands, or of those that start with a word."""
    lines = ["usage: cqa COMMAND [options]", "", "Ranks answers, questions and comments of forums, on Spark.", ""]
    for group, jobs in JOBS.items():
        listed = [f"  {job.name:<20} {job.about}" for job in jobs if first_word in ("", job.name.split()[0])]
        lines += [f"{group}:", *listed, ""] if listed else []
    lines += [
        "examples:",
        "  cqa run --config conf/demo.yaml              everything, on the built-in sample",
        "  cqa run --config conf/demo.yaml --dry-run    only the settings, and what would be read and written",
        "  cqa COMMAND --help                           the settings of one command",
    ]
    return "\n".join(lines)


def checks() -> Checks:
    """What knows the names of systems, measures, tasks, …; each is imported when a name is to be checked."""
    return {
        "task": partial(_call, "cqa_spark.tasks.registry:task"),
        "corpus": partial(_call, "cqa_spark.corpora.registry:corpus_reader"),
        "feature group": partial(_call, "cqa_spark.features.registry:group_class"),
        "measure": partial(_call, "cqa_spark.evaluation.measures:parse_measure"),
        "system": _check_system,
    }


def _find_job(given: list[str]) -> tuple[Job, list[str]]:
    """The job that the first one or two words name, and the arguments after them."""
    from cqa_spark.config.problems import did_you_mean

    jobs = {job.name: job for group in JOBS.values() for job in group}
    for words in (2, 1):
        if job := jobs.get(" ".join(given[:words])):
            return job, given[words:]
    if any(name.startswith(f"{given[0]} ") for name in jobs) and given[1:] in ([], ["-h"], ["--help"]):
        print(overview(given[0]))
        raise SystemExit(0 if given[1:] else ConfigError.exit_code)
    wrong = " ".join(each for each in given[:2] if not each.startswith("-"))
    raise ConfigError(f"there is no command {wrong!r}", did_you_mean(wrong, jobs, "cqa --help lists all commands"))


def _do(job: Job, arguments: list[str]) -> int:
    from cqa_spark.config.dump import dry_run
    from cqa_spark.config.resolve import resolve

    program = f"cqa {job.name}"
    resolved = resolve(program, _named(job.settings), arguments, checks())
    if resolved.dry_run:
        print(dry_run(program, resolved.settings))
    else:
        _named(job.function)(resolved.settings)
    return 0


def _explained(error: Exception) -> CqaError | None:
    """What an exception that is not ours means for a user; None for a defect."""
    from cqa_spark.spark_failures import explained

    return explained(error)


def _check_system(name: str) -> None:
    from cqa_spark.config.home import project_home
    from cqa_spark.rankers.system import read_system

    read_system(project_home() / "conf", name)


def _call(target: str, name: str) -> None:
    _named(target)(name)


def _named(target: str) -> Any:
    """The class or function of a ``module:name``."""
    module, name = target.split(":")
    return getattr(importlib.import_module(module), name)


if __name__ == "__main__":
    sys.exit(main())
