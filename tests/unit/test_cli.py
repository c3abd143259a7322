import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from py4j.protocol import Py4JNetworkError

from cqa_spark import cli
from cqa_spark.cli import main
from cqa_spark.commands.jobs import Job, Listing, all_jobs
from cqa_spark.errors import ConfigError, InputError, noted
from cqa_spark.process.signals import Stopped
from cqa_spark.settings.sections import Command

ALL = all_jobs()
ROOT = Path(__file__).resolve().parents[2]


class Nothing(Command):
    """Settings of the jobs of these tests."""


@pytest.fixture
def doing(monkeypatch):
    """Makes ``cqa probe`` do what a test wants."""

    def put(function):
        monkeypatch.setattr(cli, "listed_jobs", lambda: {"probe": Listing((0, 0), "probe", "", "probe")})
        monkeypatch.setattr(cli, "load_job", lambda name: Job(name, "", "end to end", Nothing, function))

    return put


@pytest.mark.parametrize("job", ALL, ids=lambda job: job.name)
def test_every_command_has_settings_and_explains_them(job, capsys):
    with pytest.raises(SystemExit) as left:
        main([*job.name.split(), "--help"])
    assert left.value.code == 0
    assert f"usage: cqa {job.name}" in capsys.readouterr().out


def test_the_overview_names_every_command(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {job.name} " in shown for job in ALL)


def test_the_first_of_two_words_alone_shows_what_may_follow(capsys):
    with pytest.raises(SystemExit) as left:
        main(["runs"])
    assert left.value.code == 2
    shown = capsys.readouterr().out
    assert "runs rollback" in shown
    assert "featurize" not in shown


def test_the_first_of_two_words_with_a_flag_is_answered_with_what_may_follow(capsys):
    assert main(["systems", "--help-me"]) == 2
    assert "cqa: 'systems' is the first word of several commands\n  → give one of: systems list, systems show" in (
        capsys.readouterr().err
    )


def test_an_unknown_command_is_answered_with_close_ones(capsys):
    assert main(["feturize", "--lake", "x"]) == 2
    assert "did you mean featurize?" in capsys.readouterr().err


def test_a_flag_is_no_command(capsys):
    assert main(["-v"]) == 2
    assert "cqa: unknown flag -v\n  → flags follow the command" in capsys.readouterr().err


def test_mistakes_are_told_on_stderr_without_a_traceback(capsys):
    assert main(["evaluate-file", "gone", "--fromat", "json"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "file not found: gone" in told.err
    assert "did you mean --format?" in told.err
    assert "predictions: is not set" in told.err
    assert "Traceback" not in told.err


def test_a_dry_run_does_nothing_but_print(doing, capsys):
    doing(lambda settings: pytest.fail("was done"))
    assert main(["probe", "--dry-run"]) == 0
    assert "# would read\n#   nothing\n# would write\n#   nothing" in capsys.readouterr().out


def fail_with(error):
    def function(settings):
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (InputError("no such file: x", "check the path"), 3, "cqa: no such file: x\n  → check the path\n"),
        (Stopped(signal.SIGTERM), 143, "cqa: stopped by SIGTERM; the published run is complete and readable\n"),
        (Stopped(signal.SIGINT), 130, "cqa: stopped by SIGINT; the published run is complete and readable\n"),
    ],
)
def test_errors_end_with_their_code_and_no_traceback(doing, capsys, error, code, told):
    doing(fail_with(error))
    assert main(["probe"]) == code
    assert capsys.readouterr().err == told


def test_java_that_ends_while_its_error_is_explained_is_no_defect(doing, capsys):
    class FromJava(Exception):
        def __str__(self):
            raise Py4JNetworkError("Answer from Java side is empty")

    java_error = FromJava()
    java_error.add_note("run r1 is recorded as failed")
    doing(fail_with(java_error))
    assert main(["probe"]) == 4
    told = capsys.readouterr().err
    assert told.startswith("cqa: Spark's Java process has ended")
    assert told.endswith("\nrun r1 is recorded as failed\n")
    assert "Traceback" not in told


def test_a_path_that_the_system_refuses_is_no_defect(capsys):
    long = "x" * 300
    assert main(["rank", "--system", "best_a", "--train", long, "--input", long, "--predictions", long]) == 4
    told = capsys.readouterr().err
    assert told.startswith(f"cqa: {long}: File name too long")
    assert "Traceback" not in told


def test_a_defect_shows_its_traceback_and_what_is_left(doing, capsys):
    doing(fail_with(ZeroDivisionError("oops")))
    assert main(["probe"]) == 1
    told = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in told
    assert told.endswith("this is a defect of cqa-spark; the published run is complete and readable\n")


FULL = OSError(errno.ENOSPC, "No space left on device", "/lake/posts/part-0.parquet")


def test_an_explained_failure_shows_no_traceback(doing, capsys):
    doing(fail_with(FULL))
    assert main(["probe"]) == 4
    told = capsys.readouterr().err
    assert told.startswith("cqa: no space left on the disk of /lake/posts/part-0.parquet; free now: ")
    assert "free space there" in told
    assert "Traceback" not in told


def test_debug_shows_the_traceback_of_an_explained_failure(doing, capsys):
    doing(fail_with(FULL))
    assert main(["probe", "--debug"]) == 4
    told = capsys.readouterr().err
    assert told.startswith("Traceback")
    assert "cqa: no space left on the disk of /lake/posts/part-0.parquet; free now: " in told


@pytest.mark.parametrize("error", [InputError("no \x1b[2J\u202e", "x"), ZeroDivisionError("no \x1b[2J\u202e")])
def test_errors_show_control_characters_instead_of_sending_them(doing, capsys, error):
    doing(fail_with(error))
    main(["probe"])
    assert "no ␛[2J\\u202e" in (shown := capsys.readouterr().err)
    assert "\x1b" not in shown


def test_a_character_that_the_terminal_lacks_costs_no_job():
    command = [sys.executable, "-m", "cqa_spark.cli", "help"]
    done = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert b"examples \\u2192 features" in done.stdout


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            InputError("no such file: x", "check the path"),
            "cqa: no such file: x\n  → check the path\nr2 is published\n",
        ),
        (
            Stopped(signal.SIGINT),
            "cqa: stopped by SIGINT; r2 is published; the published run is complete and readable\n",
        ),
        (
            ZeroDivisionError("oops"),
            "this is a defect of cqa-spark; r2 is published; the published run is complete and readable\n",
        ),
    ],
)
def test_after_publishing_no_failure_says_that_nothing_was_published(doing, capsys, error, told):
    def function(settings):
        with noted("r2 is published"):
            raise error

    doing(function)
    assert main(["probe"]) != 0
    shown = capsys.readouterr().err
    assert shown.endswith(told)
    assert "unchanged" not in shown


@pytest.mark.parametrize("name", ["../../conf/systems/best_a", "../systems/best_a", "best_a.yaml", "/etc/best_a"])
def test_a_path_is_no_system(capsys, name):
    assert main(["featurize", "--lake", "x", "--run-id", "r1", "--systems", name, "--dry-run"]) == 2
    assert f"flag --systems: unknown system {name}\n    → did you mean best_a" in capsys.readouterr().err


def test_synth_hands_its_settings_to_the_generator(tmp_path, capsys):
    assert main(["synth", "qatar-living", "--output", str(tmp_path), "--threads", "3", "--dev-threads", "2"]) == 0
    assert (tmp_path / "train.xml").is_file()
    assert (tmp_path / "dev.xml").is_file()


@pytest.mark.parametrize(("format", "made"), [("qatar-living", "train.xml"), ("stackexchange", "sample.example.org")])
def test_synth_overwrites_no_dump(tmp_path, capsys, format, made):
    (tmp_path / made).mkdir()
    assert main(["synth", format, "--output", str(tmp_path), "--threads", "1"]) == 3
    assert f"{made} already exists" in capsys.readouterr().err


def test_a_size_without_a_unit_is_refused_with_the_sizes_that_may_be_meant(tmp_path, capsys):
    assert main(["synth", "stackexchange", "--output", str(tmp_path), "--size", "5"]) == 2
    shown = capsys.readouterr().err
    assert "flag --size: 5 has no unit\n    → write 5GB, 5MB, or 5B for bytes\n" in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command", ["help", "run --help", "evaluate-file --help", "runs list --lake x --dry-run", "completion bash"]
)
def test_what_needs_no_spark_does_not_import_it(command):
    code = (
        "import sys; from cqa_spark.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "sys.exit(bool({'pyspark', 'pandas', 'numpy', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, *command.split()], cwd=ROOT, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("command", ["help", "runs", "systems list", "systems list --format json"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_ends_early_is_no_defect(command: str, unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    program = [sys.executable, "-m", "cqa_spark", *command.split()]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(program, stdout=write, stderr=subprocess.PIPE, env=environment, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_reader_of_errors_that_ends_early_is_no_defect() -> None:
    read, write = os.pipe()
    os.close(read)
    program = [sys.executable, "-m", "cqa_spark", "no-such-command"]
    assert subprocess.run(program, stdout=write, stderr=write).returncode == 141
    os.close(write)


def test_run_does_the_job_that_a_config_file_names(tmp_path, capsys):
    config = tmp_path / "mine.yaml"
    config.write_text("job: duplicates\nsystems: [retrieval_order]\nbaseline: retrieval_order\n")
    lake = ["--lake", str(tmp_path / "lake"), "--dry-run"]
    (tmp_path / "Posts.xml").write_text("<posts></posts>")
    assert main(["run", "--config", str(config), "--input", str(tmp_path / "Posts.xml"), *lake]) == 0
    assert "cqa duplicates" in capsys.readouterr().out
    config.write_text("job: duplicate\n")
    assert main(["run", "--config", str(config), *lake]) == ConfigError.exit_code
    assert "unknown job 'duplicate'" in capsys.readouterr().err
