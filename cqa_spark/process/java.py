"""Finds the Java that Spark runs on and checks its version; leaves aside what would start another Spark on it."""

import os
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from cqa_spark.errors import EnvironmentProblem

JAVA = 17
OF_ANOTHER_SPARK = ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")
"""Variables that many machines set for their Spark, and that make PySpark start it instead of its own, or with its
settings."""

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
    """The variables of the environment that belong to another Spark than the installed PySpark."""
    try:
        ours = str(distribution("pyspark").locate_file("pyspark"))
    except PackageNotFoundError:
        ours = ""
    return {name: os.environ[name] for name in OF_ANOTHER_SPARK if os.environ.get(name, ours) != ours}


def leave_other_spark_aside() -> None:
    """Let this process start the installed PySpark, whichever Spark the environment names."""
    for name in variables_of_another_spark():
        del os.environ[name]


def _java_command() -> str:
    """The Java that Spark would run: that of JAVA_HOME, executable or not, else the first on the PATH."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not os.path.exists(java):
        raise EnvironmentProblem("Spark needs Java, and none was found in JAVA_HOME or on the PATH", _REMEDY)
    return java


def _java_version(banner: str) -> int | None:
    match = re.search(r'version "(?:1\.)?(\d+)', banner)
    return int(match[1]) if match else None
