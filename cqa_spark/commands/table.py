"""The table of jobs: name, what it does, its settings and its function; nothing of them is imported here."""

from __future__ import annotations

from dataclasses import dataclass

SETTINGS = "cqa_spark.config.settings"
TOOLS = "cqa_spark.config.file_commands"
COMMANDS = "cqa_spark.commands.table"


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
            f"{COMMANDS}.run:run",
        ),
        Job(
            "nightly",
            "a new dump → new rankings, published where they pass the checks",
            f"{SETTINGS}:NightlySettings",
            f"{COMMANDS}.nightly:nightly",
        ),
    ),
    "step by step, each on the tables that the one before wrote": (
        Job("ingest", "dumps → community tables", f"{SETTINGS}:IngestSettings", f"{COMMANDS}.ingest:ingest"),
        Job(
            "ingest stackexchange",
            "dumps of Stack Exchange → community tables",
            f"{SETTINGS}:IngestStackExchangeSettings",
            f"{COMMANDS}.ingest:ingest_stackexchange",
        ),
        Job(
            "dataset preferred-answer",
            "community tables → questions with answers, split, and a data card",
            f"{SETTINGS}:PreferredAnswerDatasetSettings",
            f"{COMMANDS}.dataset:preferred_answer_dataset",
        ),
        Job("pair", "community tables → examples", f"{SETTINGS}:PairSettings", f"{COMMANDS}.stages:pair"),
        Job("featurize", "examples → features", f"{SETTINGS}:FeaturizeSettings", f"{COMMANDS}.stages:featurize"),
        Job(
            "train",
            "features → trained systems; or training files → a model folder",
            f"{SETTINGS}:TrainSettings",
            f"{COMMANDS}.train:train",
        ),
        Job(
            "score",
            "trained systems → rankings; or a model folder and a file → predictions",
            f"{SETTINGS}:ScoreSettings",
            f"{COMMANDS}.score:score",
        ),
        Job(
            "evaluate",
            "rankings → measures, intervals, tests",
            f"{SETTINGS}:EvaluateSettings",
            f"{COMMANDS}.stages:evaluate",
        ),
        Job("report", "a run → one HTML file", f"{SETTINGS}:ReportSettings", f"{COMMANDS}.report:report"),
        Job("publish", "publish a finished run", f"{SETTINGS}:PublishSettings", f"{COMMANDS}.publish:publish"),
    ),
    "experiments": (
        Job(
            "experiment preferred-answer",
            "answered questions → Tables 4 and 5 of Xu et al. (2018), ours beside theirs",
            f"{SETTINGS}:PreferredAnswerExperimentSettings",
            f"{COMMANDS}.experiment:experiment",
        ),
        Job(
            "tune",
            "a run's features → better parameters for a system's ranker",
            f"{SETTINGS}:TuneSettings",
            f"{COMMANDS}.tune:tune",
        ),
        Job(
            "explain",
            "a thread → its ranked candidates, and the features that moved each score",
            f"{SETTINGS}:ExplainSettings",
            f"{COMMANDS}.explain:explain",
        ),
        Job(
            "reproduce",
            "published systems: train, rank, and set the published figures beside ours",
            f"{SETTINGS}:ReproduceSettings",
            f"{COMMANDS}.reproduce:reproduce",
        ),
    ),
    "on files": (
        Job(
            "rank",
            "train on files and rank another file, in one go",
            f"{SETTINGS}:RankSettings",
            f"{COMMANDS}.rank:rank",
        ),
        Job(
            "evaluate-file",
            "score official prediction files, without Spark",
            f"{TOOLS}:EvaluateFileSettings",
            f"{COMMANDS}.file_commands:print_scores",
        ),
        Job(
            "compare-files",
            "official prediction files with intervals and paired tests, without Spark",
            f"{TOOLS}:CompareFilesSettings",
            f"{COMMANDS}.file_commands:print_comparison",
        ),
        Job(
            "synth qatar-living",
            "invent a dump to try things on",
            f"{TOOLS}:SynthSettings",
            f"{COMMANDS}.file_commands:write_sample",
        ),
        Job(
            "synth stackexchange",
            "invent a dump of a Stack Exchange site, of any size",
            f"{TOOLS}:SynthStackExchangeSettings",
            f"{COMMANDS}.file_commands:write_stackexchange_dump",
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
            f"{COMMANDS}.inspect:inspect",
        ),
        Job("runs list", "the runs of a lake", f"{SETTINGS}:ListRunsSettings", f"{COMMANDS}.runs:list_runs"),
        Job("runs show", "one run", f"{SETTINGS}:ShowRunSettings", f"{COMMANDS}.runs:show_run"),
        Job("runs publish", "let readers see a run", f"{SETTINGS}:PublishRunSettings", f"{COMMANDS}.publish:publish"),
        Job(
            "runs rollback",
            "let readers see the run before",
            f"{SETTINGS}:RollbackSettings",
            f"{COMMANDS}.publish:rollback",
        ),
        Job(
            "runs gc",
            "remove what no run needs that readers may see",
            f"{SETTINGS}:CollectGarbageSettings",
            f"{COMMANDS}.collect_garbage:collect_garbage",
        ),
        Job(
            "features audit",
            "proof that as-of features know nothing of the future",
            f"{SETTINGS}:FeatureAuditSettings",
            f"{COMMANDS}.audit:audit",
        ),
        Job("features list", "feature groups", f"{TOOLS}:CatalogueSettings", f"{COMMANDS}.file_commands:print_groups"),
        Job(
            "features show",
            "the columns of a feature group",
            f"{TOOLS}:ShowGroupSettings",
            f"{COMMANDS}.file_commands:print_group",
        ),
        Job(
            "systems list",
            "systems: recipes of feature groups and a ranker",
            f"{TOOLS}:CatalogueSettings",
            f"{COMMANDS}.file_commands:print_systems",
        ),
    ),
}
