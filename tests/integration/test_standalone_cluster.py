"""A real cluster on this machine: what it ranks is what local mode ranks, also where it loses workers on the way."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import py7zr
import pyarrow.parquet as pq
import pytest
import yaml
from deltalake import DeltaTable
from homes import make_home
from pyspark.sql import Row, SparkSession
from s3_server import S3Server, reach
from standalone import HERE, SHORT_LIVED, Cluster, standalone_cluster

from cqa_spark.cli import main
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.activity import POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot, published_snapshot
from cqa_spark.lake.table import Table
from cqa_spark.object_store.locations import send
from cqa_spark.synth.qatar_living import write_sample
from cqa_spark.synth.stackexchange.dump import write_dump

REPOSITORY = Path(__file__).resolve().parents[2]
TREES = {
    "name": "trees",
    "task": "question_comment",
    "feature_groups": ["comment_surface_v1", "lexicon_v2"],
    "ranker": {"name": "boosted_trees", "parameters": {"objective": "pairwise", "trees": 5, "workers": 2}},
}
SYSTEMS = ["given_order", TREES["name"]]
NIGHT_TREES = TREES | {
    "name": "night_trees",
    "task": "preferred_answer",
    "feature_groups": ["basic_a_asof_v1", "basic_u_asof_v1", "comments_asof_v1"],
}
SMALL_DRIVER = {
    "spark.driver.memory": "600m",
    "spark.driver.maxResultSize": "1m",
    "spark.sql.autoBroadcastJoinThreshold": "100k",
}
"""A driver that holds nothing that grows with the corpus, not even as a broadcast."""

DYNAMIC = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.executorIdleTimeout": "1s",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.timeout": "1s",
}
IMPATIENT = {
    "spark.executor.heartbeatInterval": "2s",
    "spark.network.timeout": "20s",
    "spark.network.timeoutInterval": "5s",
    "spark.speculation": "true",
    "spark.speculation.quantile": "0.5",
}
"""A task that takes longer than others runs a second time elsewhere; an executor that does not answer is lost."""

DISTURBED = ("posts", "orphans", "features", "train", "nights", "score", "checks")
"""Steps after whose end an executor is killed: while the next one reads, computes, trains, ranks and writes. The one
that is killed next is told so, as on a machine that the cloud takes back."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three workers, of which the tests leave one."""
    with standalone_cluster(tmp_path_factory.mktemp("cluster"), workers=3) as found:
        yield found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's settings, and trees that grow quickly."""
    monkeypatch.setenv("CQA_HOME", str(make_home(tmp_path / "home", systems=[TREES, NIGHT_TREES])))


def pipeline(folder: Path, lake: str) -> list[str]:
    """The command that runs the whole pipeline over a sample."""
    config = folder / f"{lake}.yaml"
    settings = {
        "lake": str(folder / lake),
        "run_id": "the-run",
        "inputs": {"train": str(folder / "train.xml"), "dev": str(folder / "dev.xml")},
        "systems": SYSTEMS,
        "tracking": {"enabled": False},
    }
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    return ["run", "--config", str(config)]


@contextmanager
def started(command: list[str]) -> Iterator[Iterator[str]]:
    """Run a command; yields what it says line by line, and waits until it has succeeded."""

    def lines(process: subprocess.Popen[str]) -> Iterator[str]:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="")
            yield line

    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, env=os.environ | SHORT_LIVED, cwd=REPOSITORY, text=True, **told) as process:
        rest = lines(process)
        yield rest
        for _ in rest:
            pass
    assert process.returncode == 0


def submit(cluster: Cluster, **more: str) -> list[str]:
    settings = {"spark.driver.host": HERE, "spark.sql.shuffle.partitions": "4", "spark.ui.enabled": "false", **more}
    options = [option for name, value in settings.items() for option in ("--conf", f"{name}={value}")]
    return [str(REPOSITORY / "spark-submit.sh"), "--master", cluster.url, *options]


def rows(spark: SparkSession, lake: Path, table: Table) -> list[Row]:
    return published_snapshot(Lake(spark, str(lake))).read(table).orderBy(*table.key).collect()


def counts(snapshot: Snapshot) -> dict[str, tuple[int, int]]:
    """Rows and refused rows of the files, by table."""
    files = snapshot.entries(INGESTED_FILES)
    return {file["table_name"]: (file["rows_out"], file["rows_quarantined"]) for file in files}


@pytest.mark.more
def test_a_cluster_reads_an_archive_without_a_shared_folder(
    spark: SparkSession, cluster: Cluster, s3: S3Server, tmp_path: Path
) -> None:
    """All goes through the bucket: the archive, what tasks unpack of it, and the lake. Executors come and go."""
    dump = write_dump(tmp_path, site="packed.example.org", threads=20, seed=3).folder
    (tmp_path / "packed").mkdir()
    with py7zr.SevenZipFile(tmp_path / "packed" / "packed.example.org.7z", "w") as archive:
        for name in ("Posts.xml", "Votes.xml", "PostLinks.xml"):
            archive.write(dump / name, name)
    send(tmp_path / "packed", s3.location("packed"), s3.settings)
    ingest = ["ingest", "stackexchange", "--run-id", "r", "--tables", "posts", "votes", "post_links"]
    locations = ["--input", s3.location("packed"), "--unpack.staging", s3.location("staged")]
    with started([*submit(cluster, **DYNAMIC), *ingest, *locations, "--lake", s3.location("cluster"), *s3.flags]):
        pass
    assert main([*ingest, "--input", str(dump), "--lake", str(tmp_path / "local")]) == 0
    reach(spark, s3)
    read, expected = (
        published_snapshot(lake)
        for lake in (Lake(spark, s3.location("cluster"), s3.settings), Lake(spark, str(tmp_path / "local")))
    )
    for table in (POSTS, VOTES, POST_LINKS):
        by_cluster, locally = (each.read(table).drop("source_file").orderBy(*table.key) for each in (read, expected))
        assert by_cluster.collect() == locally.collect() != []
    assert counts(read) == counts(expected) == {"posts": (77, 0), "votes": (501, 0), "post_links": (2, 0)}


@pytest.mark.more
def test_a_night_that_loses_an_executor_in_every_step_is_that_of_one_machine(
    spark: SparkSession, cluster: Cluster, home: None, tmp_path: Path
) -> None:
    """Another executor stands still, is given up, and goes on when others have done its tasks. All questions together
    are too large for the driver."""
    dump = write_dump(tmp_path, site="lost.example.org", threads=2500, seed=3).folder
    night = ["nightly", "--input", str(dump), "--system", NIGHT_TREES["name"], "--run-id", "r", "--no-tracking.enabled"]
    assert main([*night, "--lake", str(tmp_path / "local")]) == 0
    killed = 0
    with started([*submit(cluster, **IMPATIENT, **SMALL_DRIVER), *night, "--lake", str(tmp_path / "bereft")]) as said:
        for line in said:
            step = line.partition(" ")[0]
            if step == "dataset":
                cluster.signal_executors(0, signal.SIGSTOP)
            if step in DISTURBED:
                cluster.signal_executors(1 + killed % 2, signal.SIGKILL)
                killed += 1
                cluster.signal_executors(1 + killed % 2, signal.SIGPWR)
            if step == "nights":
                cluster.signal_executors(0, signal.SIGCONT)
    assert killed >= len(DISTURBED)
    for table in (POSTS, EXAMPLES, RANKINGS):
        assert rows(spark, tmp_path / "bereft", table) == rows(spark, tmp_path / "local", table) != []
        folder = tmp_path / "bereft" / "tables" / table.name
        published = {Path(file.removeprefix("file://")) for file in DeltaTable(str(folder)).file_uris()}
        assert set(folder.rglob("*.parquet")) == published  # what repeated tasks left is collected


@pytest.mark.more
def test_a_night_whose_executors_come_and_go_is_that_of_one_machine(
    spark: SparkSession, cluster: Cluster, tmp_path: Path
) -> None:
    """The default system: executors that were idle for a second are gone, and new ones start for the next stage."""
    dump = write_dump(tmp_path, site="idle.example.org", threads=300, seed=3).folder
    (events := tmp_path / "events").mkdir()
    logged = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": str(events)}
    night = ["nightly", "--input", str(dump), "--run-id", "r", "--no-tracking.enabled"]
    assert main([*night, "--lake", str(tmp_path / "local")]) == 0
    with started([*submit(cluster, **DYNAMIC, **logged), *night, "--lake", str(tmp_path / "elastic")]):
        pass
    (log,) = events.iterdir()
    kinds = [json.loads(line)["Event"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert kinds.count("SparkListenerExecutorAdded") > len(cluster.workers)
    assert kinds.count("SparkListenerExecutorRemoved") > len(cluster.workers)
    for table in (POSTS, EXAMPLES, RANKINGS):
        assert rows(spark, tmp_path / "elastic", table) == rows(spark, tmp_path / "local", table) != []


@pytest.mark.more
def test_workers_that_die_while_it_trains_and_while_it_ranks_change_nothing(
    spark: SparkSession, cluster: Cluster, home: None, tmp_path: Path
) -> None:
    """Two workers train. Plans are compiled, in four partitions; local mode interprets them here, in one."""
    write_sample(tmp_path, threads=30, dev_threads=4, seed=7)
    assert main(pipeline(tmp_path, "local")) == 0
    expected = rows(spark, tmp_path / "local", RANKINGS)
    assert {row["system"] for row in expected} == set(SYSTEMS)
    with started([*submit(cluster), *pipeline(tmp_path, "bereft")]) as said:
        for worker, finished in zip(cluster.workers, ("features", "train"), strict=False):  # the step before
            assert any(line.startswith(finished) for line in said)
            worker.kill()
    assert rows(spark, tmp_path / "bereft", RANKINGS) == expected


@pytest.mark.more
def test_several_training_workers_are_refused_before_the_work_where_executors_come_and_go(
    cluster: Cluster, home: None, tmp_path: Path
) -> None:
    write_sample(tmp_path, threads=3, dev_threads=2, seed=7)
    command = [*submit(cluster, **DYNAMIC), *pipeline(tmp_path, "refused")]
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    refused = subprocess.run(command, env=os.environ | SHORT_LIVED, cwd=REPOSITORY, text=True, **told)
    assert refused.returncode == 2
    assert "2 training workers need executors at once" in refused.stdout
    assert "--conf spark.dynamicAllocation.enabled=false" in refused.stdout
    assert not (tmp_path / "refused").exists()


@pytest.mark.more
def test_a_plugin_reaches_the_workers_in_its_wheel(cluster: Cluster, tmp_path: Path) -> None:
    """A task and a feature group of another package, which no machine has installed."""
    dump = write_dump(tmp_path, site="tags.example.org", threads=60, seed=3).folder
    example = REPOSITORY / "docs" / "examples" / "expert_finding"
    sources = shutil.copytree(example, tmp_path / "sources")
    build = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--no-build-isolation"]
    subprocess.run([*build, "--python", sys.executable, "--out-dir", str(tmp_path), str(sources)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    night = ["nightly", "--overlay", str(example / "conf"), "--system", "expert_history", "--input", str(dump)]
    with started([*submit(cluster), "--py-files", str(wheel), *night, "--lake", str(tmp_path / "lake")]):
        pass
    files = DeltaTable(str(tmp_path / "lake" / "tables" / "rankings")).file_uris()
    ranked = {task for file in files for task in pq.read_table(file, columns=["task"])["task"].to_pylist()}
    assert ranked == {"expert"}
