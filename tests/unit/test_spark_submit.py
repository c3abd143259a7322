import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from cqa_spark.spark.jars import HASHES
from cqa_spark.spark.session import read_settings

REPOSITORY = Path(__file__).resolve().parents[2]


def submit(*options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [str(REPOSITORY / "spark-submit.sh"), *options]
    return subprocess.run(command, env=clean | variables, capture_output=True, text=True, check=False)


def resolved(*options: str, **variables: str) -> list[str]:
    answer = submit("--dry-run", *options, **variables)
    assert answer.returncode == 0, answer.stderr
    return shlex.split(answer.stdout)


def value_of(option: str, command: list[str]) -> str:
    return command[command.index(option) + 1]


def test_options_before_the_job_go_to_spark_and_those_after_it_to_the_job() -> None:
    command = resolved("--master", "spark://host:7077", "--supervise", "run", "--config", "a b.yaml", "--master", "x")
    job = command.index(str(REPOSITORY / "jobs/cqa.py"))
    assert command[job - 3 : job] == ["--master", "spark://host:7077", "--supervise"]
    assert command[job + 1 :] == ["run", "--config", "a b.yaml", "--master", "x"]


def test_an_option_may_carry_its_value_after_an_equals_sign() -> None:
    command = resolved("--conf=spark.a=b c", "run")
    assert command[command.index("spark.a=b c") - 1] == "--conf"


def test_package_settings_and_conf_folder_are_shipped() -> None:
    command = resolved("run")
    assert value_of("--py-files", command) == str(REPOSITORY / "build/cqa_spark.zip")
    assert value_of("--properties-file", command) == str(REPOSITORY / "conf/spark/common.conf")
    assert f"CQA_HOME={REPOSITORY}" in command
    assert f"PYSPARK_PYTHON={REPOSITORY / '.venv/bin/python'}" in command


def test_systems_and_data_sets_come_from_the_home_of_the_user() -> None:
    assert "CQA_HOME=/my/home" in resolved("run", CQA_HOME="/my/home")


def test_settings_of_the_cluster_come_before_those_of_the_user_which_win() -> None:
    command = resolved("--conf", "spark.driver.memory=9g", "run")
    handed_on = [value for option, value in pairwise(command) if option == "--conf"]
    ours = read_settings(REPOSITORY / "conf/spark/cluster.conf")
    assert handed_on == [*(f"{name}={value}" for name, value in ours.items()), "spark.driver.memory=9g"]


@pytest.mark.parametrize(
    ("options", "job", "is_elastic"),
    [
        (["--master", "yarn"], ["nightly", "--input", "x"], True),
        (["--master", "yarn", "--deploy-mode", "cluster"], ["nightly", "--config", "x.yaml"], True),
        (["--master", "yarn", "--num-executors", "4"], ["nightly"], False),
        (["--master", "yarn", "--conf", "spark.executor.instances=4"], ["nightly"], False),
        (["--master", "yarn"], ["nightly", "--retrain"], False),
        (["--master", "yarn"], ["nightly", "--train", "x.xml"], False),
        (["--master", "yarn"], ["nightly", "--system=best_a"], False),
        (["--master", "yarn"], ["nightly", "--task", "duplicate"], False),
        (["--master", "yarn"], ["run", "--config", "x.yaml"], False),
        (["--master", "yarn"], ["train", "nights"], False),
        (["--master", "spark://host:7077"], ["nightly"], False),
        ([], ["nightly"], False),
    ],
)
def test_executors_come_and_go_in_nights_on_yarn_that_are_not_told_to_train(
    options: list[str], job: list[str], is_elastic: bool
) -> None:
    command = resolved(*options, *job)
    values = [value.split("=") for option, value in pairwise(command) if option == "--conf"]
    settings = {name: value for name, *value in values}  # the last one wins
    assert settings["spark.dynamicAllocation.enabled"] == [str(is_elastic).lower()]
    assert settings.get("spark.dynamicAllocation.shuffleTracking.enabled") == (["true"] if is_elastic else None)


def test_the_user_decides_whether_executors_come_and_go() -> None:
    command = resolved("--master", "yarn", "--conf", "spark.dynamicAllocation.enabled=false", "nightly")
    assert [word for word in command if word.startswith("spark.dynamicAllocation.enabled=")][-1].endswith("=false")


def test_jars_and_files_of_the_user_come_beside_ours() -> None:
    command = resolved("--jars", "mine.jar", "--py-files", "mine.py", "run")
    assert value_of("--jars", command).endswith(",mine.jar")
    assert value_of("--py-files", command) == f"{REPOSITORY / 'build/cqa_spark.zip'},mine.py"


@pytest.mark.parametrize(
    ("options", "variables"),
    [(("--environment", "env.tar.gz"), {}), ((), {"CQA_ENVIRONMENT": "env.tar.gz"})],
)
def test_a_packed_environment_is_the_python_of_the_workers_only(
    options: tuple[str, ...], variables: dict[str, str]
) -> None:
    command = resolved(*options, "run", **variables)
    assert value_of("--archives", command) == "env.tar.gz#environment"
    assert "PYSPARK_PYTHON=./environment/bin/python" in command
    assert f"PYSPARK_DRIVER_PYTHON={REPOSITORY / '.venv/bin/python'}" in command


def test_spark_home_names_the_spark_to_use() -> None:
    assert "/opt/spark/bin/spark-submit" in resolved("run", SPARK_HOME="/opt/spark")


def test_works_from_any_folder(tmp_path: Path) -> None:
    answer = subprocess.run(
        [REPOSITORY / "spark-submit.sh", "--dry-run", "run"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert str(REPOSITORY / "jobs/cqa.py") in shlex.split(answer.stdout)


def test_other_jars_than_the_recorded_ones_are_refused_before_spark_starts(tmp_path: Path) -> None:
    shutil.copy(REPOSITORY / "spark-submit.sh", tmp_path)
    for name in ("cqa_spark", "jobs", ".venv"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    shutil.copytree(REPOSITORY / "conf" / "spark", tmp_path / "conf" / "spark")
    (tmp_path / ".jars").mkdir()
    for name in ("expected-1.jar", "changed-2.jar", "unexpected-3.jar"):
        (tmp_path / ".jars" / name).write_bytes(b"the same bytes")
    digest = hashlib.sha256(b"the same bytes").hexdigest()
    hashes = f"{digest}  expected-1.jar\n{'0' * 64}  changed-2.jar\n"
    (tmp_path / HASHES).write_text(hashes, encoding="utf-8")
    answer = subprocess.run([tmp_path / "spark-submit.sh", "run"], capture_output=True, text=True, check=False)
    assert answer.returncode == 4
    assert answer.stderr.splitlines()[0].endswith(f"are not those of {HASHES}: changed-2.jar, unexpected-3.jar")


@pytest.mark.parametrize(
    ("master", "script"),
    [("yarn", f"{REPOSITORY}/jobs/cqa.py"), ("k8s://https://host:6443", "local:///opt/cqa-spark/jobs/cqa.py")],
)
def test_a_driver_in_the_cluster_finds_there_what_does_not_travel(master: str, script: str) -> None:
    """Settings, plug-ins and the files of the user travel."""
    wheel, file = ("--py-files", "s3a://b/mine.whl"), ("--files", "s3a://b/night.yaml")
    command = resolved("--master", master, "--deploy-mode", "cluster", *wheel, *file, "run", "--config", "night.yaml")
    assert command[0] == "PYSPARK_PYTHON=/opt/cqa-spark/.venv/bin/python"
    assert command[-4:] == [script, "run", "--config", "night.yaml"]
    assert (value_of("--py-files", command), value_of("--files", command)) == (wheel[1], file[1])
    assert value_of("--properties-file", command) == str(REPOSITORY / "conf/spark/common.conf")
    assert {"spark.yarn.appMasterEnv.CQA_HOME=/opt/cqa-spark", "spark.driver.memory=4g"} < {*command}
    assert value_of("--driver-java-options", command).endswith("=/opt/cqa-spark/conf/spark/log4j2.properties")
    jars = {f"local:/opt/cqa-spark/.jars/{jar.name}" for jar in (REPOSITORY / ".jars").glob("*.jar")}
    assert {*value_of("--jars", command).split(",")} - {""} == jars


def test_a_packed_environment_may_lie_where_the_nodes_find_it(tmp_path: Path) -> None:
    """Java's place is taken by a program that prints its arguments."""
    program = tmp_path / "bin" / "spark-submit"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    answer = submit("--master", "yarn", "--environment", "hdfs:///e.tar.gz", "run", SPARK_HOME=str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    assert "--archives hdfs:///e.tar.gz#environment " in answer.stdout


def test_with_a_packed_environment_all_travels_to_a_driver_on_yarn() -> None:
    command = resolved("--master", "yarn", "--deploy-mode", "cluster", "--environment", "e.tar.gz", "run")
    assert command[0] == f"PYSPARK_PYTHON={REPOSITORY / '.venv/bin/python'}"  # of the script here
    project = f"{REPOSITORY}/build/project.tar.gz#project"
    assert value_of("--archives", command) == f"e.tar.gz#environment,{project}"
    assert value_of("--py-files", command) == str(REPOSITORY / "build/cqa_spark.zip")
    there = {"CQA_HOME=./project", "PYSPARK_PYTHON=./environment/bin/python"}
    assert {f"spark.yarn.appMasterEnv.{variable}" for variable in there} < {*command}
    assert value_of("--driver-java-options", command).endswith("=./project/conf/spark/log4j2.properties")
    assert {jar.partition("/")[0] for jar in value_of("--jars", command).split(",") if jar} <= {""}


@pytest.mark.parametrize("mode", ["client", "cluster"])
def test_a_night_that_fails_on_yarn_does_not_run_again(mode: str) -> None:
    assert "spark.yarn.maxAppAttempts=1" in resolved("--master", "yarn", "--deploy-mode", mode, "run")


@pytest.mark.parametrize(
    ("told", "own", "code"),
    [
        ("ERROR Client: Application diagnostics message: User application exited with status 7", 1, 7),
        ("\t exit code: 3", 0, 3),
        ("\t exit code: 0", 0, 0),
        ("Exception in thread main: no such cluster", 1, 1),
    ],
)
def test_the_exit_code_of_a_driver_in_the_cluster_comes_back(tmp_path: Path, told: str, own: int, code: int) -> None:
    """Java's place is taken by a program that tells what Spark's client tells."""
    program = tmp_path / "bin" / "spark-submit"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{told}' >&2\nexit {own}\n", encoding="utf-8")
    program.chmod(0o755)
    answer = submit("--master", "yarn", "--deploy-mode", "cluster", "run", SPARK_HOME=str(tmp_path))
    assert (answer.returncode, answer.stdout) == (code, f"{told}\n")


def test_help_needs_no_spark_and_says_where_the_jobs_are_listed() -> None:
    answer = submit("--help", SPARK_HOME="/nowhere")
    assert answer.returncode == 0
    assert "cqa --help" in answer.stdout


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        ((), "no JOB given", "run"),
        (("walk",), "unknown command 'walk'", "cqa --help"),
        (("featurise", "--lake", "x"), "unknown command 'featurise'", "did you mean featurize?"),
        (("--lake", "x", "run"), "unknown option --lake", "after its name"),
        (("--master",), "--master needs a value", "--help"),
        (("--deploy-mode", "cluster", "run"), "only YARN and Kubernetes", "leave out"),
        (("--master", "spark://h:7077", "--deploy-mode", "cluster", "run"), "no driver in Python", "leave out"),
        (("--master", "yarn", "--deploy-mode", "swarm", "run"), "no deploy mode swarm", "client or cluster"),
        (
            ("--master", "k8s://h", "--deploy-mode=cluster", "--environment", __file__, "run"),
            "its own Python",
            "leave out",
        ),
        (("--properties-file", "x", "run"), "come from conf/spark/", "--conf"),
        (("--environment", "nowhere.tar.gz", "run"), "there is no nowhere.tar.gz", "make environment"),
    ],
)
def test_mistakes_are_explained(options: tuple[str, ...], problem: str, remedy: str) -> None:
    answer = submit(*options)
    assert answer.returncode == 2
    assert problem in answer.stderr
    assert remedy in answer.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 143)])
def test_a_signal_reaches_the_job_and_its_exit_code_comes_back(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """Java's place is taken by a program that starts a job in Python and waits, as Spark's does."""
    job = "import signal, sys\nfor n in (2, 15): signal.signal(n, lambda n, _: sys.exit(128 + n))\nprint('begun')"
    job += "\nsys.stdout.flush(); signal.pause()"
    program = tmp_path / "bin" / "spark-submit"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport subprocess, sys\nsys.exit(subprocess.call({[sys.executable, '-c', job]}))\n"
    )
    program.chmod(0o755)
    environment = {**os.environ, "SPARK_HOME": str(tmp_path)}
    # Background shells and nohup have the tests ignore these signals, and a script cannot trap what it ignores.
    attended = "import os, signal, sys; [signal.signal(n, signal.SIG_DFL) for n in (1, 2)]; "
    attended += "os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", attended, str(REPOSITORY / "spark-submit.sh"), "run"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "begun\n"
        started.send_signal(number)
        assert started.wait() == code
