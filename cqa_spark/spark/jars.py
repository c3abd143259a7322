"""Java and the jars of Spark: finds Java and checks its version; resolves the jars of the installed line of Spark once.

All jobs use the same jars, which are checked by hash.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.terminal import renewed_line
from cqa_spark.settings.conf_files import cache_folder, jars_folder, project_root
from cqa_spark.spark import installed_line

JAVA = 17
WORKERS_PYTHON = "PYSPARK_PYTHON"
OF_ANOTHER_SPARK = ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS", WORKERS_PYTHON)
"""Variables that many machines set for their Spark, and that make PySpark start it instead of its own, or with its
settings, or workers in a Python without this package."""

_REMEDY = f"install Java {JAVA} (Debian: apt-get install openjdk-{JAVA}-jre-headless) and point JAVA_HOME to it"
_PATIENCE = 60
"""Seconds within which Java must print its version."""


def check_java() -> None:
    """Check that the Java version required by Spark is available.

    Raises:
        EnvironmentProblem: no Java, one that cannot be executed, or another version; the message has version and path.
    """
    java = _java_command()
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=_PATIENCE)
    except OSError as error:
        raise EnvironmentProblem(f"{java} cannot be executed: {error.strerror}", _REMEDY) from error
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(f"{java} -version has not answered for {_PATIENCE} s", _REMEDY) from error
    version = _java_version(answer.stderr)
    if answer.returncode != 0:
        reason = answer.stderr.strip().partition("\n")[0]
        raise EnvironmentProblem(f"{java} -version failed with exit code {answer.returncode}: {reason}", _REMEDY)
    if version != JAVA:
        program = f"Java {version}" if version else "a program without a Java version"
        raise EnvironmentProblem(f"Spark needs Java {JAVA}, and {java} is {program}", _REMEDY)


def variables_of_another_spark() -> dict[str, str]:
    """The variables of the environment that belong to another Spark than the installed PySpark, or another Python."""
    try:
        pyspark = str(distribution("pyspark").locate_file("pyspark"))
    except PackageNotFoundError:
        pyspark = ""
    ours = dict.fromkeys(OF_ANOTHER_SPARK, pyspark) | {WORKERS_PYTHON: sys.executable}
    return {name: os.environ[name] for name, value in ours.items() if os.environ.get(name, value) != value}


def leave_other_spark_aside(*, is_local: bool) -> None:
    """Let this process start the installed PySpark, whichever Spark the environment names.

    Args:
        is_local: whether the workers run on this machine, with the Python of this process; elsewhere, only the
            variable tells where theirs is.
    """
    for name in variables_of_another_spark():
        if is_local or name != WORKERS_PYTHON:
            del os.environ[name]


def _java_command() -> str:
    """The Java that Spark would run: of JAVA_HOME, executable or not, else the first on the PATH."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not os.path.exists(java):
        raise EnvironmentProblem("Spark needs Java, and none was found in JAVA_HOME or on the PATH", _REMEDY)
    return java


def _java_version(banner: str) -> int | None:
    match = re.search(r'version "(?:1\.)?(\d+)', banner)
    return int(match[1]) if match else None


LINE = installed_line()
JARS = f"conf/spark/jars-{LINE}.conf"
"""Coordinates of the jars for the installed line of Spark, and what Spark's resolver leaves out."""

HASHES = f"conf/spark/jars-{LINE}.sha256"
"""SHA-256 of each jar, in the format of ``sha256sum``."""

SCALA = {"3.5": "2.12", "4": "2.13"}[LINE]
"""The version of Scala in the names of jars."""

_MARK = f".resolved-{LINE}"
"""Marker for make, written when all jars are in place."""


def installed_jars() -> list[Path]:
    """The jars of the project, in order of their names.

    Raises:
        EnvironmentProblem: there are none.
    """
    jars = sorted(jars_folder().glob("*.jar"))
    if not jars:
        raise EnvironmentProblem(f"no jars in {jars_folder()}", "resolve them: cqa setup")
    return jars


def require_jar(group: str, artifact: str, purpose: str) -> None:
    """Check, before Spark starts, that a jar is among those of the project.

    Args:
        group: group of the artifact in Maven.
        artifact: its name, without the version of Scala.
        purpose: what needs it, for the message.

    Raises:
        EnvironmentProblem: it is not there.
    """
    if not any(jars_folder().glob(f"{group}_{artifact}_*.jar")):
        raise EnvironmentProblem(
            f"{purpose} needs the jar {group}:{artifact}_{SCALA}, which is not in {jars_folder()}",
            f"add it with its version to {JARS}, then: cqa setup --write-hashes",
        )


def resolve_jars(*, write_hashes: bool = False) -> list[Path]:
    """Download the jars with Spark's resolver, check them, and install them for all jobs.

    Args:
        write_hashes: record the hashes of the jars instead of checking them, after a change of ``JARS``.

    Raises:
        EnvironmentProblem: no Java, the repository cannot be reached, or a jar is not the expected one.
    """
    check_java()
    target, hashes = jars_folder(), project_root() / HASHES
    expected = "" if write_hashes else hashes.read_text(encoding="utf-8")
    with _retrieved(jars=len(expected.splitlines())) as retrieved:
        if write_hashes:
            hashes.write_text(hash_lines(retrieved.glob("*.jar")), encoding="utf-8")
        else:
            check_hashes(retrieved, expected)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(retrieved, target)
        (target / _MARK).touch()
        return installed_jars()


def download_jars(coordinates: Iterable[str], folder: Path) -> list[Path]:
    """Download single jars, without their dependencies, into a folder that may contain others.

    Args:
        coordinates: ``group:artifact:version`` of each.
        folder: created if it is absent.

    Raises:
        EnvironmentProblem: no Java, or the repository cannot be reached.
    """
    check_java()
    packages = sorted(set(coordinates))
    folder.mkdir(parents=True, exist_ok=True)
    with _retrieved(packages, jars=len(packages)) as retrieved:
        return [Path(shutil.move(retrieved / name, folder / name)) for name in map(jar_name, packages)]


def jar_name(coordinate: str) -> str:
    """Name of the jar that the resolver gives to ``group:artifact:version``."""
    group, artifact, version = coordinate.split(":")
    return f"{group}_{artifact}-{version}.jar"


def hash_lines(jars: Iterable[Path]) -> str:
    """SHA-256 and name of each jar, one per line, in the format of ``sha256sum``."""
    lines = (f"{hashlib.sha256(jar.read_bytes()).hexdigest()}  {jar.name}\n" for jar in jars)
    return "".join(sorted(lines, key=lambda line: line.split()[1]))


def check_hashes(folder: Path, expected: str) -> None:
    """Check that a folder has exactly the expected jars.

    Args:
        folder: the folder of the jars.
        expected: lines of ``hash_lines``.

    Raises:
        EnvironmentProblem: jars are absent, unexpected or different.
    """
    installed = set(hash_lines(folder.glob("*.jar")).splitlines())
    if different := sorted({line.split()[1] for line in installed ^ set(expected.splitlines())}):
        raise EnvironmentProblem(
            f"jars in {folder} are not those of {HASHES}: {', '.join(different)}",
            f"run `cqa setup`; after a change of {JARS}: cqa setup --write-hashes",
        )


def check_line(spark_home: str) -> None:
    """Check that a Spark is of the same line as the installed PySpark, for which the jars are.

    Args:
        spark_home: its folder; empty for the installed one.

    Raises:
        EnvironmentProblem: it is of another line.
    """
    cores = sorted(Path(spark_home, "jars").glob("spark-core_*.jar")) if spark_home else []
    if cores and not cores[0].name.startswith(f"spark-core_{SCALA}-"):
        other = "4" if LINE == "3.5" else "3.5"
        raise EnvironmentProblem(
            f"SPARK_HOME={spark_home} has {cores[0].name}, and PySpark and the jars are of Spark {LINE}",
            f"set up for its line: make setup SPARK={other}",
        )


@contextmanager
def _retrieved(packages: Sequence[str] = (), *, jars: int) -> Iterator[Path]:
    """A folder with resolved jars while the block runs, for one installation at a time.

    Afterwards the download is deleted, apart from the jars that the block has moved; after a failure it is kept for
    the next try.

    Args:
        packages: packages to resolve instead of the ones in ``JARS``, whose exclusions still apply.
        jars: their expected number, for the progress; 0 if unknown.
    """
    cache = cache_folder() / "ivy"
    cache.parent.mkdir(parents=True, exist_ok=True)
    with (cache.parent / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cache.mkdir(exist_ok=True)  # after the lock, whose last holder removed the folder
        with renewed_line(lambda: _progress(cache, jars)):
            folder = _retrieve(cache, packages)
        try:
            yield folder
        finally:
            shutil.rmtree(cache, ignore_errors=True)


def _progress(cache: Path, jars: int) -> str:
    """What the resolver has downloaded so far; a jar that is still coming ends in ``.part``."""
    sizes: dict[Path, int] = {}
    for path in cache.glob("cache/*/*/jars/*"):
        with suppress(FileNotFoundError):  # by now it has its final name
            sizes[path] = path.stat().st_size
    complete = sum(path.suffix == ".jar" for path in sizes)
    return f"downloading jars: {complete} of {jars or '?'}, {sum(sizes.values()) / 1e6:.1f} MB"


def _retrieve(cache: Path, packages: Sequence[str]) -> Path:
    """Resolve jars into a folder of the cache, with arguments of ``_retrieved``."""
    retrieved = cache / "jars"
    shutil.rmtree(retrieved, ignore_errors=True)  # Spark adds files to it and would keep an older version
    program = cache / "nothing.py"
    program.write_text("", encoding="utf-8")  # spark-submit resolves jars before it runs even an empty program
    settings = ["--properties-file", str(project_root() / JARS)]
    settings += ["--conf", f"spark.jars.ivy={cache}", "--conf", "spark.driver.host=127.0.0.1"]
    if packages:
        settings += ["--packages", ",".join(packages)]
    import pyspark  # here, because cqa doctor checks the jars where PySpark may be absent

    environment = {name: value for name, value in os.environ.items() if name not in OF_ANOTHER_SPARK}
    answer = subprocess.run(
        [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), *settings, str(program)],
        env=environment | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        log = cache / "resolve.log"
        log.write_text(answer.stderr, encoding="utf-8")
        raise EnvironmentProblem(
            f"the jars of {JARS} could not be resolved: {_reason(answer.stderr)}",
            f"see {log}; check that this machine can reach the Maven repository",
        )
    return retrieved


def _reason(log: str) -> str:
    """The first exception in a log of spark-submit, without its class."""
    exception = re.search(r"^(?:Exception in thread \S+ )?\S+(?:Exception|Error): (.+)$", log, re.MULTILINE)
    return exception[1] if exception else "spark-submit gives no reason"


if __name__ == "__main__":  # spark-submit.sh runs this before it starts Spark
    try:
        check_java()
        check_line(os.environ.get("SPARK_HOME", ""))
        check_hashes(jars_folder(), (project_root() / HASHES).read_text(encoding="utf-8"))
    except EnvironmentProblem as problem:
        print(f"cqa: {problem}", file=sys.stderr)
        sys.exit(problem.exit_code)
