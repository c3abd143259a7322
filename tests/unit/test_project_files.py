"""Files of the project that state the same thing in several places."""

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

from cqa_spark import __version__

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _locked(name: str) -> dict[str, str]:
    text = (ROOT / "locks" / name).read_text(encoding="utf-8")
    return {package.lower(): version for package, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE)}


def test_the_version_is_one() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["version"] == citation["version"] == __version__
    assert PROJECT["license"] == citation["license"] == "Apache-2.0"


def _declared(*extras: str) -> list[Requirement]:
    """What the package and its extras require of others."""
    declared = [
        *PROJECT["dependencies"],
        *(line for extra in extras for line in PROJECT["optional-dependencies"][extra]),
    ]
    return [requirement for requirement in map(Requirement, declared) if requirement.name != "cqa-spark"]


(ALL,) = (Requirement(line).extras for line in PROJECT["optional-dependencies"]["all"])


def test_the_locks_hold_versions_of_the_ranges() -> None:
    locks = {"base.txt": ALL, "dev.txt": {*ALL, "dev"}, "neural.txt": {*ALL, "dev", "neural"}}
    for lock, extras in [*locks.items(), *[(f"spark4/{lock}", extras) for lock, extras in locks.items()]]:
        locked = _locked(lock)
        outside = [each for each in _declared(*extras) if locked[each.name.lower()] not in each.specifier]
        assert outside == []
    assert (_locked("base.txt")["pyspark"], _locked("spark4/base.txt")["pyspark"]) == ("3.5.8", "4.3.0")


def test_the_licence_of_every_package_and_jar_is_named() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").lower()
    packages = [requirement.name.lower() for requirement in _declared(*ALL, "neural")]
    assert [name for name in packages if name not in notice] == []
    jars = [line for file in (ROOT / "conf" / "spark").glob("jars-*.sha256") for line in file.read_text().splitlines()]
    names = [re.sub(r"(_2\.12)?-[0-9][^_]*\.jar$", "", jar.split("_", 1)[1]) for jar in jars]
    stems = [name.removeprefix("aws-java-sdk-").lower() for name in names]
    assert [stem for stem in stems if stem not in notice] == []
