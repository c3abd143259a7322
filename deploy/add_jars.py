"""Adds the jars of the installed line of Spark to a CycloneDX list of Python packages: standard input to output."""

import json
import re
import sys
from pathlib import Path

from cqa_spark.spark import jars

HASHES = Path(__file__).resolve().parents[1] / jars.HASHES


def component(line: str) -> dict[str, object]:
    """The component of a jar, which the resolver names ``group_artifact-version.jar``.

    Args:
        line: SHA-256 and name of the jar, in the format of ``sha256sum``.
    """
    sha256, name = line.split()
    coordinate = re.fullmatch(r"(?P<group>[^_]+)_(?P<name>.+?)-(?P<version>\d.*)\.jar", name)
    assert coordinate, name
    purl = "pkg:maven/{group}/{name}@{version}".format(**coordinate.groupdict())
    hashes = [{"alg": "SHA-256", "content": sha256}]
    return {"type": "library", "bom-ref": purl, **coordinate.groupdict(), "purl": purl, "hashes": hashes}


def main() -> None:
    """Print the list with the jars after the packages."""
    components = json.load(sys.stdin)
    components["components"] += map(component, HASHES.read_text(encoding="utf-8").splitlines())
    json.dump(components, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
