"""The list of commands: read from the sources of the modules that declare them, without importing these."""

import subprocess
import sys
from pathlib import Path

import pytest

from cqa_spark.commands.jobs import GROUPS, Listing, all_jobs, job_settings, listed_jobs, load_job
from cqa_spark.settings.sections import Command, JobSettings

ROOT = Path(__file__).resolve().parents[3]


def test_what_is_read_from_the_sources_is_what_the_modules_declare() -> None:
    listings = listed_jobs()
    assert [listings[job.name] for job in all_jobs()] == [
        Listing((GROUPS.index(job.group), job.step), job.name, job.about, listings[job.name].module)
        for job in all_jobs()
    ]
    for module in {listing.module for listing in listings.values()}:
        declared = sys.modules[f"cqa_spark.commands.{module}"].JOBS
        assert {job.name for job in declared} == {name for name, job in listings.items() if job.module == module}
    declaring = {path.stem for path in (ROOT / "cqa_spark/commands").glob("*.py") if "    Job(" in path.read_text()}
    assert declaring <= {listing.module for listing in listings.values()} | {"jobs"}


def test_commands_are_listed_by_group_step_and_name() -> None:
    names = list(listed_jobs())
    steps = ["ingest", "pair", "featurize", "train", "score", "evaluate", "report", "export"]
    assert [name for name in names if name in steps] == steps
    assert [name for name in names if name in ("demo", "run", "doctor")] == ["demo", "run", "doctor"]


def test_a_job_has_its_settings_and_function() -> None:
    job = load_job("runs list")
    assert (job.settings.__name__, job.function.__name__) == ("ListRunsSettings", "list_runs")
    with pytest.raises(KeyError):
        load_job("runs")


def test_config_files_may_have_the_keys_of_jobs_on_a_lake_only() -> None:
    models = job_settings()
    assert all(issubclass(model, JobSettings) for model in models)
    assert {job.settings for job in all_jobs()} - {*models} == {
        job.settings for job in all_jobs() if not issubclass(job.settings, JobSettings)
    }
    assert all(issubclass(job.settings, Command) for job in all_jobs())


def test_the_list_imports_no_command_and_no_library() -> None:
    code = (
        "import sys; from cqa_spark.commands.jobs import listed_jobs; listed_jobs()\n"
        "print(sorted(name for name in sys.modules if name.startswith(('cqa_spark.commands.', 'pydantic'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "['cqa_spark.commands.jobs']\n"


def test_the_settings_of_all_commands_are_imported_without_libraries_that_compute() -> None:
    code = (
        "import sys; from cqa_spark.commands.jobs import all_jobs; all_jobs()\n"
        "print(sorted({'pyspark', 'pandas', 'numpy', 'pyarrow', 'scipy', 'boto3', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
