import re
from pathlib import Path

import pytest

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.store import storage_of
from cqa_spark.settings.conf_files import project_root
from cqa_spark.settings.sections import JobSettings, SparkSettings
from cqa_spark.spark import session


def test_missing_jars_are_said_so_before_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "check_java", lambda: None)
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    with pytest.raises(EnvironmentProblem, match="no jars in") as error:
        session.spark_session("test")
    assert "cqa setup" in error.value.remedy


@pytest.mark.parametrize(("plain", "daemons"), [("", 1), ("1", 0)])
def test_plain_spark_has_its_own_daemon_of_workers(monkeypatch: pytest.MonkeyPatch, plain: str, daemons: int) -> None:
    monkeypatch.setattr(session, "installed_jars", lambda: [])
    monkeypatch.setenv("CQA_PLAIN_SPARK", plain)
    assert sum(name == "spark.python.daemon.module" for name in session._own_settings("local[2]", ())) == daemons


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


@pytest.mark.parametrize("scheme", ["s3a", "gs", "az"])
def test_no_credentials_are_logged(scheme: str) -> None:
    """Of the variables that hold them, which users set by spark.yarn.appMasterEnv.NAME."""
    harmless = {"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "STORAGE_EMULATOR_HOST"}
    harmless |= {"AZURE_STORAGE_ACCOUNT_NAME", "AZURE_CLIENT_ID", "AZURE_TENANT_ID"}
    pattern = session.read_settings(project_root() / "conf/spark/common.conf")["spark.redaction.regex"]
    logged = {name for name in storage_of(f"{scheme}://b").credentials if not re.search(pattern, name)}
    assert logged <= harmless


@pytest.mark.parametrize(
    ("settings", "starts"),
    [
        ({"spark.master": "yarn", "spark.submit.deployMode": "cluster"}, ["cqa-spark"]),
        ({"spark.master": "yarn", "spark.submit.deployMode": "client"}, []),
        ({"spark.master": "k8s://h", "spark.submit.deployMode": "cluster"}, []),
        ({"spark.master": "local[2]"}, []),
        (None, []),
    ],
)
def test_spark_starts_at_once_where_yarn_runs_the_driver(
    settings: dict[str, str] | None, starts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(session, "_under_spark_submit", lambda: settings is not None)
    monkeypatch.setattr(session, "connect_to_java", lambda: None)
    monkeypatch.setattr(session, "SparkConf", lambda: settings)
    monkeypatch.setattr(session, "spark_session", started.append)
    session.start_in_cluster()
    assert started == starts


def test_executors_stay_while_boosted_trees_train() -> None:
    cluster = session.read_settings(project_root() / "conf/spark/cluster.conf")
    assert cluster["spark.dynamicAllocation.enabled"] == "false"
    assert cluster["spark.scheduler.minRegisteredResourcesRatio"] == "1.0"


def test_scratch_folders_of_this_machine_matter_only_if_executors_run_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/a,/b")
    assert session.local_scratch_folders() == session.local_scratch_folders("local[2]") == ["/a", "/b"]
    assert session.local_scratch_folders("spark://host:7077") == []
    monkeypatch.delenv("SPARK_LOCAL_DIRS")
    monkeypatch.delenv("LOCAL_DIRS", raising=False)
    assert session.local_scratch_folders() == ["/tmp"]


@pytest.mark.parametrize(
    ("started_with", "partitions"),
    [({}, "2"), ({"spark.sql.shuffle.partitions": "200"}, "2"), ({"spark.sql.shuffle.partitions": "36"}, None)],
)
def test_small_inputs_get_few_partitions_unless_the_user_gave_a_number(
    started_with: dict[str, str], partitions: str | None
) -> None:
    chosen = session._for_few_rows(started_with)
    assert chosen.get("spark.sql.shuffle.partitions") == partitions
    assert chosen["spark.sql.adaptive.enabled"] == "false"
    assert chosen["spark.sql.autoBroadcastJoinThreshold"] == "-1"


@pytest.mark.parametrize(
    ("setting", "flow", "compiled"),
    [(None, False, False), (None, True, True), (True, False, True), (False, True, False)],
)
def test_the_flow_decides_whether_plans_are_compiled_unless_the_settings_do(
    monkeypatch: pytest.MonkeyPatch, setting: bool | None, flow: bool, compiled: bool
) -> None:
    started: dict[str, object] = {}
    monkeypatch.setattr(session, "spark_session", lambda name, **given: started.update(given))
    settings = JobSettings(lake="build/lake", spark=SparkSettings(compile_plans=setting))
    session.session_of(settings, compile_plans=flow)
    assert started["compile_plans"] is compiled
