from pathlib import Path

import pytest

from cqa_spark import session
from cqa_spark.config.project_root import project_root
from cqa_spark.errors import EnvironmentProblem


def install_java(folder: Path, banner: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{banner}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    return folder


def test_java_17_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(tmp_path, 'openjdk version "17.0.15" 2025-04-15')))
    session.check_java()


@pytest.mark.parametrize(
    ("banner", "found"),
    [
        ('java version "1.8.0_392"', "Java 8"),
        ('openjdk version "11.0.22" 2024-01-16', "Java 11"),
        ('openjdk version "24" 2025-03-18', "Java 24"),
        ("what?", "a program that names no Java version"),
    ],
)
def test_another_java_is_refused_by_name(
    banner: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(tmp_path, banner)))
    with pytest.raises(EnvironmentProblem, match=f"{tmp_path}/bin/java is {found}") as error:
        session.check_java()
    assert "install Java 17" in error.value.remedy


@pytest.mark.parametrize("java_home", ["", "/nowhere"])
def test_no_java_is_said_so(java_home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", java_home)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentProblem, match="none was found"):
        session.check_java()


def test_missing_jars_are_said_so_before_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(tmp_path, 'openjdk version "17.0.1"')))
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    with pytest.raises(EnvironmentProblem, match="no jars in") as error:
        session.spark_session("test")
    assert "make setup" in error.value.remedy


def test_settings_are_read_past_comments_and_blanks(tmp_path: Path) -> None:
    file = tmp_path / "some.conf"
    file.write_text("# why\nspark.a   1\n\n  spark.b  two words  \n", encoding="utf-8")
    assert session.read_settings(file) == {"spark.a": "1", "spark.b": "two words"}


def test_every_setting_of_the_project_has_one_home() -> None:
    common = session.read_settings(project_root() / "conf/spark/common.conf")
    local = session.read_settings(project_root() / "conf/spark/local.conf")
    cluster = session.read_settings(project_root() / "conf/spark/cluster.conf")
    assert not common.keys() & (local | cluster).keys()
    assert all(name.startswith("spark.") for name in common | local | cluster)


def test_executors_stay_while_boosted_trees_train() -> None:
    cluster = session.read_settings(project_root() / "conf/spark/cluster.conf")
    assert cluster["spark.dynamicAllocation.enabled"] == "false"
    assert cluster["spark.scheduler.minRegisteredResourcesRatio"] == "1.0"
