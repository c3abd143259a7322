"""The settings of jobs that read dumps."""

import pytest

from cqa_spark.commands.ingest import IngestStackExchangeSettings
from cqa_spark.commands.jobs import job_settings
from cqa_spark.corpora.stackexchange.tables import DUMP_TABLES
from cqa_spark.settings.dumps import PEOPLE_COLUMNS, DumpSettings
from cqa_spark.settings.resolve import resolve
from cqa_spark.settings.yaml import SettingsError


def resolved(*arguments: str) -> DumpSettings:
    given = ["--lake", "lake", "--input", __file__, *arguments]
    return resolve("cqa ingest stackexchange", IngestStackExchangeSettings, given, {}, job_settings).settings.dumps


def test_columns_about_people_are_named_with_their_table() -> None:
    assert resolved().people_columns == ()
    assert resolved("--people-columns", "users.age", "users.name").people_columns == ("users.age", "users.name")


def test_an_unknown_column_is_refused_with_the_choices() -> None:
    with pytest.raises(SettingsError) as caught:
        resolved("--people-columns", "users.agge")
    [problem] = caught.value.problems
    assert (problem.key, caught.value.exit_code) == ("dumps.people_columns", 2)
    assert problem.what.endswith("got 'users.agge'")
    assert all(f"'{column}'" in problem.what for column in PEOPLE_COLUMNS)


def test_columns_about_people_are_declared_and_may_be_null() -> None:
    nullable = {
        f"{dump.table.name}.{column.name}" for dump in DUMP_TABLES for column in dump.table.columns if column.nullable
    }
    assert nullable >= PEOPLE_COLUMNS
