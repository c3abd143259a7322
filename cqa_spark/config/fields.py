"""Settings that several jobs share, with their help texts; a job's model adds the default."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.sections import SparkSettings
from cqa_spark.config.value_types import (
    Address,
    CorpusName,
    Location,
    NotHashed,
    RunName,
    Shown,
    SystemName,
    SystemNames,
    TaskName,
)

Lake = Annotated[Location, NotHashed(), Field(description="folder or object storage that holds the tables of all runs")]
OptionalLake = Annotated[
    Address, NotHashed(), Shown("PATH"), Field(description="lake that holds the run; unset with files: a temporary one")
]
RunId = Annotated[RunName, NotHashed(), Field(description="run to go on with")]
NewRunId = Annotated[
    RunName | None, NotHashed(), Field(description="id of the run; unset: made from the time and the config hash")
]
Spark = Annotated[SparkSettings, NotHashed()]
ObjectStorage = Annotated[ObjectStorageSettings, NotHashed()]
Site = Annotated[str, Shown("NAME"), Field(description="community that the inputs come from; every key starts with it")]
Corpus = Annotated[CorpusName, Field(description="source format of the inputs")]
Task = Annotated[TaskName | None, Field(description="what is ranked for what; unset: what the systems rank")]
Systems = Annotated[SystemNames, Field(description="systems to train and rank with; cqa systems list names them")]
Baseline = Annotated[SystemName, Field(description="system that all others are compared with")]
AllowSharedThreads = Annotated[
    bool, Field(description="go on although training and evaluation data share threads: the figures flatter")
]
Report = Annotated[
    Location | None, NotHashed(), Field(description="HTML file to write; unset: LAKE/reports/RUN_ID.html")
]
