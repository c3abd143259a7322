"""The settings of all jobs on a lake or on dumps, one model per job.

A field defines YAML key, flag, default and help text. A key has the same meaning in every job, so one config file
serves all jobs; a job ignores the keys of other jobs.
"""

from cqa_spark.config.doctor_settings import DoctorSettings
from cqa_spark.config.dump_settings import IngestStackExchangeSettings
from cqa_spark.config.duplicates_settings import DuplicatesSettings, SimilarSettings
from cqa_spark.config.explain_settings import ExplainSettings
from cqa_spark.config.file_settings import FileOrRunSettings, RankSettings, ScoreSettings, TrainSettings
from cqa_spark.config.ingest_tables_settings import IngestTablesSettings
from cqa_spark.config.inspect_settings import InspectSettings
from cqa_spark.config.job_settings import JobSettings, StageSettings
from cqa_spark.config.nightly_settings import ExportDatasetSettings, ExportSettings, ExportTrecSettings, NightlySettings
from cqa_spark.config.preferred_answer_settings import (
    FeatureAuditSettings,
    PreferredAnswerDatasetSettings,
    PreferredAnswerExperimentSettings,
    TrainNightsSettings,
)
from cqa_spark.config.reproduce_settings import ReproduceSettings
from cqa_spark.config.run_settings import IngestSettings, RunSettings
from cqa_spark.config.runs_settings import (
    CollectGarbageSettings,
    CompareRunsSettings,
    ForgetSettings,
    KeepRunSettings,
    ListRunsSettings,
    PublishRunSettings,
    RollbackSettings,
    ShowRunSettings,
)
from cqa_spark.config.stage_settings import (
    EvaluateSettings,
    FeaturizeSettings,
    PairSettings,
    ReportSettings,
)
from cqa_spark.config.tune_settings import TuneSettings

__all__ = [
    "CollectGarbageSettings",
    "CompareRunsSettings",
    "DoctorSettings",
    "DuplicatesSettings",
    "EvaluateSettings",
    "ExplainSettings",
    "ExportDatasetSettings",
    "ExportSettings",
    "ExportTrecSettings",
    "FeatureAuditSettings",
    "FeaturizeSettings",
    "FileOrRunSettings",
    "ForgetSettings",
    "IngestSettings",
    "IngestStackExchangeSettings",
    "IngestTablesSettings",
    "InspectSettings",
    "JobSettings",
    "KeepRunSettings",
    "ListRunsSettings",
    "NightlySettings",
    "PairSettings",
    "PreferredAnswerDatasetSettings",
    "PreferredAnswerExperimentSettings",
    "PublishRunSettings",
    "RankSettings",
    "ReportSettings",
    "ReproduceSettings",
    "RollbackSettings",
    "RunSettings",
    "ScoreSettings",
    "ShowRunSettings",
    "SimilarSettings",
    "StageSettings",
    "TrainNightsSettings",
    "TrainSettings",
    "TuneSettings",
]
