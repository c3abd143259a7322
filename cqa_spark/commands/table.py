"""The table of jobs: name, description, settings and function, which are imported only when the job runs."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Job:
    """One command.

    Attributes:
        name: one or two words, as typed.
        about: description in the list of commands.
        settings: ``module:class`` of its settings.
        function: ``module:function`` that takes the settings.
        flow: ``module:function`` that builds its flow, or its flows in order, from the settings, as the job runs it
            now; None for a job without one.
        preview: ``module:function`` that takes the settings and prints what the job would do, for a dry run.
    """

    name: str
    about: str
    settings: str
    function: str
    flow: str | None = None
    preview: str | None = None


def named(target: str) -> Any:
    """The class or function of a ``module:name``."""
    module, name = target.split(":")
    return getattr(import_module(module), name)


def plan(job: Job, settings: Any) -> str:
    """The settings, inputs and outputs of a job and the steps that it would run now, as ``--dry-run`` prints them.

    Args:
        job: the job.
        settings: its resolved settings.
    """
    from cqa_spark.settings.rendering import dry_run

    text = dry_run(f"cqa {job.name}", settings)
    if job.flow is None:
        return text
    planned = named(job.flow)(settings)
    drawn = [flow.draw() for flow in (planned if isinstance(planned, list) else [planned])]
    return "\n".join([text, *(f"steps:\n{steps}" for steps in drawn)])


def _job(name: str, about: str, settings: str, function: str, flow: str | None = None) -> Job:
    """A job with its settings in ``cqa_spark.settings``, its function in ``commands`` and its flow in the package."""
    return Job(
        name, about, f"cqa_spark.settings.{settings}", f"cqa_spark.commands.{function}", flow and f"cqa_spark.{flow}"
    )


_PLUGIN_LISTS = [
    _job(
        f"{kind} list",
        f"list {described}, with the packages that register them",
        "file_commands:CatalogueSettings",
        f"plugins:print_{kind.replace('-', '_')}",
    )
    for kind, described in {
        "tasks": "tasks",
        "rankers": "rankers",
        "measures": "measures",
        "corpora": "source formats",
        "checks": "checks before publishing",
        "report-sections": "sections of the reports of runs",
        "object-stores": "object storage by scheme",
        "encoders": "programs that run embedding models",
    }.items()
]

# fmt: off
JOBS: dict[str, tuple[Job, ...]] = {
    "end to end": (
        _job("demo", "all steps on a generated forum; a first look", "file_commands:DemoSettings", "run:demo"),
        _job("run", "all steps, from dumps to a report and a published run",
             "run:RunSettings", "run:run", "flows:run"),
        _job("duplicates", "a dump → for each question, the earlier questions that it duplicates",
             "duplicates:DuplicatesSettings", "duplicates:duplicates", "commands.duplicates:planned_flow"),
        _job("similar", "the questions of a published index that are most similar to a text",
             "duplicates:SimilarSettings", "similar:similar"),
        _job("nightly", "a new dump → new rankings, published if the checks pass",
             "nightly:NightlySettings", "nightly:nightly", "commands.nightly:planned_flows"),
    ),
    "single steps": (
        _job("ingest", "dumps → community tables", "run:IngestSettings", "ingest:ingest", "flows:ingest"),
        _job("ingest stackexchange", "Stack Exchange dumps → community tables",
             "dumps:IngestStackExchangeSettings", "ingest:ingest_stackexchange", "commands.ingest:dump_flows"),
        _job("ingest tables", "tables in files or in Spark's catalogue → community tables",
             "ingest_tables:IngestTablesSettings", "ingest:ingest_tables", "commands.ingest:tables_flow"),
        _job("dataset preferred-answer", "community tables → examples with train, dev and test splits, and a data card",
             "preferred_answer:PreferredAnswerDatasetSettings",
             "preferred_answer:preferred_answer_dataset", "tasks.preferred_answer.flow:dataset"),
        _job("pair", "community tables → examples", "stages:PairSettings", "stages:pair",
             "commands.stages:pair_flow"),
        _job("featurize", "examples → features",
             "stages:FeaturizeSettings", "stages:featurize", "commands.stages:featurize_flow"),
        _job("train", "features → trained systems, or training files → a model folder",
             "files:TrainSettings", "train:train", "commands.train:train_flow"),
        _job("train nights", "dumps of many sites → a system that ranks answers on the first night of any site",
             "preferred_answer:TrainNightsSettings", "train:train_nights", "commands.train:planned_nights"),
        _job("score", "trained systems → rankings, or a model folder and a file → predictions",
             "files:ScoreSettings", "train:score", "commands.train:score_flow"),
        _job("evaluate", "rankings → measures, confidence intervals, significance tests",
             "stages:EvaluateSettings", "stages:evaluate", "commands.stages:evaluate_flow"),
        _job("report", "a run → one HTML file", "stages:ReportSettings", "stages:report",
             "commands.stages:report_flow"),
        _job("export", "write the rankings of a run to Parquet, JSON lines or CSV files",
             "nightly:ExportSettings", "export:export"),
        _job("export dataset", "write examples, texts and rankings as Parquet files with a dataset card",
             "nightly:ExportDatasetSettings", "export:export_dataset"),
        _job("export trec", "write rankings and judgments as TREC runs and qrels",
             "nightly:ExportTrecSettings", "export:export_trec"),
    ),
    "experiments": (
        _job("experiment preferred-answer", "reproduce Tables 4 and 5 of Xu et al. (2018)",
             "preferred_answer:PreferredAnswerExperimentSettings",
             "preferred_answer:experiment", "tasks.preferred_answer.flow:preferred_answer"),
        _job("tune", "tune the parameters of a system's ranker", "experiments:TuneSettings", "tune:tune"),
        _job("explain", "show a thread's ranked candidates and the feature contributions to each score",
             "inspection:ExplainSettings", "explain:explain"),
        _job("reproduce", "train and evaluate published systems, and compare with the published scores",
             "reproduce:ReproduceSettings", "reproduce:reproduce"),
    ),
    "on files": (
        _job("rank", "train on files and rank another file", "files:RankSettings", "train:rank", "flows:rank"),
        _job("evaluate-file", "score official prediction files or TREC runs, without Spark",
             "measuring:EvaluateFileSettings", "measure_files:print_scores"),
        _job("compare-files", "compare prediction files or TREC runs, without Spark",
             "measuring:CompareFilesSettings", "measure_files:print_comparison"),
        _job("import ir-datasets", "download a collection of ir_datasets as a question list",
             "file_commands:ImportIrDatasetsSettings", "file_commands:import_collection"),
        _job("import cqadupstack", "write a subforum of CQADupStack as a question list",
             "file_commands:ImportCqaDupStackSettings", "file_commands:import_subforum"),
        _job("synth qatar-living", "generate a synthetic Qatar Living dump",
             "file_commands:SynthSettings", "file_commands:write_sample"),
        _job("synth stackexchange", "generate a synthetic Stack Exchange dump of any size",
             "file_commands:SynthStackExchangeSettings", "file_commands:write_stackexchange_dump"),
    ),
    "setup": (
        _job("setup", "download and check the jars", "file_commands:SetupSettings", "setup:setup"),
        _job("completion", "print a completion script for a shell",
             "file_commands:CompletionSettings", "completion:print_completion"),
        Job("doctor", "check Java, packages, jars, disk, storage, Spark and MLflow",
            "cqa_spark.settings.inspection:DoctorSettings", "cqa_spark.doctor.consultation:consult"),
    ),
    "inspection": (
        _job("data list", "list the packages of research data that recipes and settings use",
             "file_commands:CatalogueSettings", "data:list_packages"),
        _job("data where", "show where a package comes from, and where its files lie here",
             "file_commands:DataWhereSettings", "data:show_package"),
        _job("data check", "compare the files of a package with their counts and SHA-256",
             "file_commands:DataCheckSettings", "data:check_package"),
        _job("inspect", "show the contents of a lake",
             "inspection:InspectSettings", "shown_reports:inspect"),
        _job("runs list", "list the runs of a lake", "runs:ListRunsSettings", "runs:list_runs"),
        _job("runs show", "show one run", "runs:ShowRunSettings", "runs:show_run"),
        _job("runs compare", "show how runs differ: settings, measures, first answers, rows",
             "runs:CompareRunsSettings", "compare_runs:compare_runs"),
        _job("runs trend", "show a measure over the published runs",
             "runs:TrendSettings", "shown_reports:trend"),
        _job("runs publish", "publish a run", "runs:PublishRunSettings", "publications:publish"),
        _job("runs rollback", "publish the previously published run again",
             "runs:RollbackSettings", "publications:rollback"),
        _job("runs restore-pointer", "write published.json anew from the run log",
             "runs:RestorePointerSettings", "publications:restore_pointer"),
        _job("runs gc", "delete the files that no kept run needs",
             "runs:CollectGarbageSettings", "publications:collect_garbage"),
        Job("lake forget", "remove a user or a post for good",
            "cqa_spark.settings.runs:ForgetSettings", "cqa_spark.commands.forget:forget",
            preview="cqa_spark.commands.forget:preview"),
        _job("lake register", "print the SQL that registers the published tables in a catalog",
             "runs:RegisterTablesSettings", "register:print_statements"),
        _job("runs keep", "keep the files of a run", "runs:KeepRunSettings", "publications:keep_run"),
        _job("features audit", "check that as-of features do not depend on later events",
             "preferred_answer:FeatureAuditSettings", "audit:audit", "commands.audit:audit_flow"),
        *_PLUGIN_LISTS,
        _job("new", "write a package with a plug-in and its test", "file_commands:NewSettings", "new.writing:new"),
        _job("features list", "list feature groups", "file_commands:CatalogueSettings", "features:print_groups"),
        _job("features show", "show the columns of a feature group",
             "file_commands:ShowGroupSettings", "features:print_group"),
        _job("systems list", "list systems: recipes of feature groups and a ranker",
             "file_commands:CatalogueSettings", "systems:print_systems"),
        _job("systems show", "show a system's feature groups, ranker, parameters, published scores and ours",
             "file_commands:ShowSystemSettings", "systems:print_system"),
    ),
}
# fmt: on
