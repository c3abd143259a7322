"""Resolve the jars that `conf/spark/jars.conf` names into `.jars/`, with Spark's own resolver.

Called by `make setup`; jobs only read the folder. What was fetched stays in the user's cache for the next checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from cqa_spark.errors import CqaError, EnvironmentProblem
from cqa_spark.spark.session import check_java

HOME = Path(__file__).resolve().parents[1]
JARS = HOME / ".jars"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "cqa-spark" / "ivy"


def main() -> int:
    """Resolve the jars; give the exit code."""
    try:
        check_java()
        resolved = _resolve()
    except CqaError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    size = sum(jar.stat().st_size for jar in resolved)
    print(f"{len(resolved)} jars, {size / 1e6:.0f} MB, in {JARS.name}/")
    return 0


def _resolve() -> list[Path]:
    retrieved = CACHE / "jars"
    shutil.rmtree(retrieved, ignore_errors=True)  # Spark adds to it, and an older version would stay
    program = CACHE / "nothing.py"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("", encoding="utf-8")  # spark-submit resolves before it runs a program, so an empty one does
    answer = subprocess.run(
        [
            *(
                str(Path(sys.executable).parent / "spark-submit"),
                "--properties-file",
                str(HOME / "conf/spark/jars.conf"),
            ),
            *("--conf", f"spark.jars.ivy={CACHE}", "--conf", "spark.driver.host=127.0.0.1", str(program)),
        ],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        lines = answer.stderr.strip().splitlines()
        log = CACHE / "resolve.log"
        log.write_text(answer.stderr, encoding="utf-8")
        raise EnvironmentProblem(
            f"the jars of conf/spark/jars.conf could not be resolved: {lines[-1] if lines else 'no reason given'}",
            f"see {log}; is the Maven repository reachable from here?",
        )
    shutil.rmtree(JARS, ignore_errors=True)
    shutil.copytree(retrieved, JARS)
    return sorted(JARS.glob("*.jar"))


if __name__ == "__main__":
    sys.exit(main())
