"""The table of jobs: name, description, settings and function, which are imported only when the job runs."""

from __future__ import annotations

from dataclasses import dataclass

SETTINGS = "cqa_spark.config.settings"
FILE_COMMANDS = "cqa_spark.config.file_commands"
COMMANDS = "cqa_spark.commands"


@dataclass(frozen=True)
class Job:
    """One command.

    Attributes:
        name: one or two words, as typed.
        about: description in the list of commands.
        settings: ``module:class`` of its settings.
        function: ``module:function`` that takes the settings.
        has_flow: whether ``cqa_spark.commands.plans`` can build its flow from the settings, for a dry run.
    """

    name: str
    about: str
    settings: str
    function: str
    has_flow: bool = False


JOBS: dict[str, tuple[Job, ...]] = {
    "end to end": (
        Job(
            "demo",
            "all steps on a generated forum; a first look",
            f"{FILE_COMMANDS}:DemoSettings",
            f"{COMMANDS}.demo:demo",
        ),
        Job(
            "run",
            "all steps, from dumps to a report and a published run",
            f"{SETTINGS}:RunSettings",
            f"{COMMANDS}.run:run",
            has_flow=True,
        ),
        Job(
            "duplicates",
            "a dump → for each question, the earlier questions that it duplicates",
            f"{SETTINGS}:DuplicatesSettings",
            f"{COMMANDS}.duplicates:duplicates",
            has_flow=True,
        ),
        Job(
            "similar",
            "the questions of a published index that are most similar to a text",
            f"{SETTINGS}:SimilarSettings",
            f"{COMMANDS}.similar:similar",
        ),
        Job(
            "nightly",
            "a new dump → new rankings, published if the checks pass",
            f"{SETTINGS}:NightlySettings",
            f"{COMMANDS}.nightly:nightly",
            has_flow=True,
        ),
    ),
    "single steps": (
        Job(
            "ingest",
            "dumps → community tables",
            f"{SETTINGS}:IngestSettings",
            f"{COMMANDS}.ingest:ingest",
            has_flow=True,
        ),
        Job(
            "ingest stackexchange",
            "Stack Exchange dumps → community tables",
            f"{SETTINGS}:IngestStackExchangeSettings",
            f"{COMMANDS}.ingest:ingest_stackexchange",
        ),
        Job(
            "dataset preferred-answer",
            "community tables → examples with train, dev and test splits, and a data card",
            f"{SETTINGS}:PreferredAnswerDatasetSettings",
            f"{COMMANDS}.dataset:preferred_answer_dataset",
            has_flow=True,
        ),
        Job(
            "pair", "community tables → examples", f"{SETTINGS}:PairSettings", f"{COMMANDS}.stages:pair", has_flow=True
        ),
        Job(
            "featurize",
            "examples → features",
            f"{SETTINGS}:FeaturizeSettings",
            f"{COMMANDS}.stages:featurize",
            has_flow=True,
        ),
        Job(
            "train",
            "features → trained systems, or training files → a model folder",
            f"{SETTINGS}:TrainSettings",
            f"{COMMANDS}.train:train",
            has_flow=True,
        ),
        Job(
            "score",
            "trained systems → rankings, or a model folder and a file → predictions",
            f"{SETTINGS}:ScoreSettings",
            f"{COMMANDS}.score:score",
            has_flow=True,
        ),
        Job(
            "evaluate",
            "rankings → measures, confidence intervals, significance tests",
            f"{SETTINGS}:EvaluateSettings",
            f"{COMMANDS}.stages:evaluate",
            has_flow=True,
        ),
        Job(
            "report", "a run → one HTML file", f"{SETTINGS}:ReportSettings", f"{COMMANDS}.report:report", has_flow=True
        ),
        Job(
            "export",
            "export the published rankings to files",
            f"{SETTINGS}:ExportSettings",
            f"{COMMANDS}.export:export",
        ),
        Job(
            "export dataset",
            "write examples, texts and rankings as Parquet files with a dataset card",
            f"{SETTINGS}:ExportDatasetSettings",
            f"{COMMANDS}.export_dataset:export_dataset",
        ),
        Job(
            "export trec",
            "write rankings and judgments as TREC runs and qrels",
            f"{SETTINGS}:ExportTrecSettings",
            f"{COMMANDS}.export_trec:export_trec",
        ),
    ),
    "experiments": (
        Job(
            "experiment preferred-answer",
            "reproduce Tables 4 and 5 of Xu et al. (2018)",
            f"{SETTINGS}:PreferredAnswerExperimentSettings",
            f"{COMMANDS}.experiment:experiment",
            has_flow=True,
        ),
        Job(
            "tune",
            "tune the parameters of a system's ranker",
            f"{SETTINGS}:TuneSettings",
            f"{COMMANDS}.tune:tune",
        ),
        Job(
            "explain",
            "show a thread's ranked candidates and the feature contributions to each score",
            f"{SETTINGS}:ExplainSettings",
            f"{COMMANDS}.explain:explain",
        ),
        Job(
            "reproduce",
            "train and evaluate published systems, and compare with the published scores",
            f"{SETTINGS}:ReproduceSettings",
            f"{COMMANDS}.reproduce:reproduce",
        ),
    ),
    "on files": (
        Job(
            "rank",
            "train on files and rank another file",
            f"{SETTINGS}:RankSettings",
            f"{COMMANDS}.rank:rank",
            has_flow=True,
        ),
        Job(
            "evaluate-file",
            "score official prediction files or TREC runs, without Spark",
            f"{FILE_COMMANDS}:EvaluateFileSettings",
            f"{COMMANDS}.file_commands:print_scores",
        ),
        Job(
            "compare-files",
            "compare prediction files or TREC runs, without Spark",
            f"{FILE_COMMANDS}:CompareFilesSettings",
            f"{COMMANDS}.file_commands:print_comparison",
        ),
        Job(
            "synth qatar-living",
            "generate a synthetic Qatar Living dump",
            f"{FILE_COMMANDS}:SynthSettings",
            f"{COMMANDS}.file_commands:write_sample",
        ),
        Job(
            "synth stackexchange",
            "generate a synthetic Stack Exchange dump of any size",
            f"{FILE_COMMANDS}:SynthStackExchangeSettings",
            f"{COMMANDS}.file_commands:write_stackexchange_dump",
        ),
    ),
    "setup": (
        Job("setup", "download and check the jars", f"{FILE_COMMANDS}:SetupSettings", f"{COMMANDS}.setup:setup"),
        Job(
            "doctor",
            "check Java, packages, jars, disk, storage, Spark and MLflow",
            f"{SETTINGS}:DoctorSettings",
            "cqa_spark.doctor.consultation:consult",
        ),
    ),
    "inspection": (
        Job(
            "inspect",
            "show the contents of a lake, or the changes between two runs",
            f"{SETTINGS}:InspectSettings",
            f"{COMMANDS}.inspect:inspect",
        ),
        Job("runs list", "list the runs of a lake", f"{SETTINGS}:ListRunsSettings", f"{COMMANDS}.runs:list_runs"),
        Job("runs show", "show one run", f"{SETTINGS}:ShowRunSettings", f"{COMMANDS}.runs:show_run"),
        Job("runs publish", "publish a run", f"{SETTINGS}:PublishRunSettings", f"{COMMANDS}.publish:publish"),
        Job(
            "runs rollback",
            "publish the previously published run again",
            f"{SETTINGS}:RollbackSettings",
            f"{COMMANDS}.publish:rollback",
        ),
        Job(
            "runs gc",
            "delete files that only old or failed runs need",
            f"{SETTINGS}:CollectGarbageSettings",
            f"{COMMANDS}.collect_garbage:collect_garbage",
        ),
        Job(
            "lake migrate",
            "convert a lake of the previous release to the format of this one",
            f"{SETTINGS}:MigrateSettings",
            f"{COMMANDS}.lake:migrate",
        ),
        Job(
            "features audit",
            "check that as-of features do not depend on later events",
            f"{SETTINGS}:FeatureAuditSettings",
            f"{COMMANDS}.audit:audit",
            has_flow=True,
        ),
        Job(
            "features list",
            "list feature groups",
            f"{FILE_COMMANDS}:CatalogueSettings",
            f"{COMMANDS}.features:print_groups",
        ),
        Job(
            "features show",
            "show the columns of a feature group",
            f"{FILE_COMMANDS}:ShowGroupSettings",
            f"{COMMANDS}.features:print_group",
        ),
        Job(
            "systems list",
            "list systems: recipes of feature groups and a ranker",
            f"{FILE_COMMANDS}:CatalogueSettings",
            f"{COMMANDS}.systems:print_systems",
        ),
        Job(
            "systems show",
            "show a system's feature groups, ranker, parameters and published scores",
            f"{FILE_COMMANDS}:ShowSystemSettings",
            f"{COMMANDS}.systems:print_system",
        ),
    ),
}
