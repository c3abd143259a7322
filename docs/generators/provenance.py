"""Where every figure comes from: ``docs/provenance.json``, what has changed since, and the commands to run again.

``PYTHONPATH=docs python -m generators.provenance`` runs the cheap commands again and compares their figures with those
of the pages; ``make figures`` calls it. Names of figures, such as ``semeval2016_a``, or of reproduced systems, such as
``kelp_2016_a``, run these, systems of one data set together; ``--update`` writes what was measured, with its
provenance, into the files and pages. ``--data`` or ``CQA_DATA`` names the folder of the data sets.

A figure is stale if the fingerprint of its recipe, features, rankers or measures differs from that of the code that it
was measured with (``generators.fingerprints``).
"""

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import cqa_spark as cqa
from cqa_spark.features.registry import embedding_models
from cqa_spark.lake.run_log import RunLog
from cqa_spark.object_store.locations import open_store
from cqa_spark.reports.kit.wording import points
from cqa_spark.settings.datasets import read_data_set
from cqa_spark.settings.research_data import data_folder, locate
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.systems.reproduced_figures import reproduced_figures, reproduced_scores
from cqa_spark.systems.system import known_systems, read_recipe
from cqa_spark.text.encoders.model import EmbeddingModel
from generators.fingerprints import Sources
from generators.markdown import code, page, table
from generators.measured_runs import FILE as RUNS
from generators.measured_runs import TABLE, measured, measured_runs, night_run, write_runs
from generators.worth import write_pages

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/provenance.json"
REPRODUCED = ROOT / "conf/reproduced.json"
OUTPUT = ROOT / "build/figures"

BUDGET = 600
"""Seconds that the cheap commands may take in all."""

UNKNOWN = "not recorded"

_MEASURABLE = re.compile(r"cqa (?:run|nightly|reproduce) (?!.*\b[A-Z]{3,}\b)")
"""Commands that this program can run: those without a lake of another run, or files in capitals."""

_DUMP = re.compile(r"\w[\w-]*(?:\.meta)?\.stackexchange\.com/")
"""Dumps of commands, which lie in the folder of the data sets."""

INTRO = """Every figure of quality on a page, with the command that measures it. A figure is *stale* if its recipe,
features, ranker or measures, or the code below them, changed since it was measured: its value may be the same, but
nobody has looked. `make figures` runs the commands that take less than ten minutes in all and compares; `make figures
ONLY=NAME` runs one, and `PYTHONPATH=docs python -m generators.provenance NAME --update` also writes it. Processors and
times are recorded since 28 November 2026; older figures have the commit that they were written down with. [The
archive](../archive.md) has what is no longer measured."""

Entry = Mapping[str, Any]


@cache
def provenance() -> Mapping[str, Entry]:
    """Command, commit, date, hashes of inputs, processor, seconds and fingerprints, by name of the figures."""
    entries: Mapping[str, Entry] = json.loads(FILE.read_text(encoding="utf-8"))
    return entries


@cache
def _sources() -> Sources:
    return Sources(ROOT)


def stale_systems(entry: Entry) -> list[str]:
    """The systems whose figures are not those of the present code; all of figures without fingerprints."""
    known = known_systems()
    return [
        system
        for system, fingerprint in entry["fingerprints"].items()
        if system not in known or fingerprint != _sources().system(system)
    ]


def figure_names() -> list[str]:
    """The names of all figures on pages: of runs, and of systems with the part of a data set."""
    parts = (f"{system} {part}" for system, parts in reproduced_scores().items() for part in parts)
    return [*measured_runs(), *parts]


def with_notes(markdown: str) -> str:
    """A page with a line below each table of figures, which says when they were measured, and what is stale."""
    return TABLE.sub(lambda match: f"{match[0]}\n*{note(match['run'])}*\n", markdown)


def note(name: str) -> str:
    """When and where figures were measured, and what is stale."""
    entry = provenance()[name]
    where = "on data that this repository does not have, " if entry.get("elsewhere") else ""
    took = f", in {entry['seconds']:.0f} s" if entry["seconds"] else ""
    took += f" on {entry['processor']}" if entry["processor"] else ", processor not recorded"
    text = f"Measured {where}{entry['date'][:10]} at commit {entry['commit'][:8]}{took}."
    stale = stale_systems(entry)
    marks = f" **Stale**, because the code that computes them changed: {', '.join(map(code, stale))}." if stale else ""
    models = embedding_models(group for system in entry["fingerprints"] for group in _groups(system))
    seen = "".join(f" `{model}` was trained on {EmbeddingModel.read(model).trained_on}." for model in models)
    return f"{text}{marks}{seen}"


def _groups(system: str) -> tuple[str, ...]:
    return read_recipe(system).feature_groups if system in known_systems() else ()


def is_stale(system: str, part: str) -> bool:
    """Whether the code that computes a score of a reproduced system has changed since it was measured."""
    entry = provenance().get(f"{system} {part}")
    return entry is not None and bool(stale_systems(entry))


def provenance_page() -> str:
    """A row for each figure, and the commands of those that are stale."""
    rows, again = [], []
    for name, entry in sorted(provenance().items()):
        stale = stale_systems(entry)
        inputs = " ".join(f"{code(path)} {code(digest)}" for path, digest in entry["inputs"].items()) or UNKNOWN
        seconds = f"{entry['seconds']:.0f} s" if entry["seconds"] else UNKNOWN
        seconds += f", {entry['processor']}" if entry["processor"] else ""
        state = "elsewhere" if entry.get("elsewhere") else "stale" if stale else "current"
        rows.append(
            [
                *(code(name), state, f"{entry['date'][:10]} {code(entry['commit'][:8])}"),
                *(seconds, inputs, code(entry["command"])),
            ]
        )
        if stale and not entry.get("elsewhere"):
            again.append(entry["command"])
    headings = ("figures", "state", "date, commit", "time", "SHA-256 of inputs", "command")
    commands = "\n".join(["```", *dict.fromkeys(again), "```"]) if again else "None."
    return page("Provenance", INTRO, table(headings, rows), "## To run again", commands)


def cheap() -> list[str]:
    """Names of the figures whose commands take ``BUDGET`` seconds in all, cheapest first."""
    seconds = {
        entry["command"]: entry["seconds"]
        for entry in provenance().values()
        if entry["seconds"] and not entry.get("elsewhere") and _MEASURABLE.match(entry["command"])
    }
    commands, total = list[str](), 0.0
    for command in sorted(seconds, key=seconds.__getitem__):
        total += seconds[command]
        if total <= BUDGET:
            commands.append(command)
    return [name for command in commands for name, entry in provenance().items() if entry["command"] == command]


def measured_together(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The figures that a command each measures: those of a run, or the systems of a data set.

    Args:
        names: of figures, or of reproduced systems, which stand for all their figures.

    Returns:
        Names of runs, alone, and of the systems of each data set, after its name.
    """
    runs, systems = dict[str, None](), dict[str, dict[str, None]]()
    of_runs = {name for run in _recorded_runs() for name in (run, run.partition(" ")[0])}
    for name in names:
        if name in of_runs:
            runs[name.partition(" ")[0]] = None
            continue
        system, _, part = name.partition(" ")
        for of_system in [part] if part else reproduced_scores()[system]:
            data_set = max((known for known in _data_sets() if of_system.startswith(f"{known}_")), key=len)
            systems.setdefault(data_set, {})[system] = None
    return [*((run,) for run in runs), *((data_set, *members) for data_set, members in systems.items())]


def measure_run(run_id: str, data: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the command of a run.

    Args:
        run_id: the run, whose splits have figures of their own.
        data: folder of the data sets.

    Returns:
        Figures by name, as ``measured_runs`` has them, and their provenance by name.
    """
    lake, started, measured_at = OUTPUT / run_id, time.monotonic(), commit()
    shutil.rmtree(lake, ignore_errors=True)  # on a lake of an earlier measurement, a night finds nothing changed
    before: dict[str, Any] = next(run for name, run in _recorded_runs().items() if name.partition(" ")[0] == run_id)
    command = before["command"]
    _run(_located(command, data, str(lake), run_id), data)
    entry = provenance_of(command, measured_at, inputs_of_run(str(lake), run_id), time.monotonic() - started)
    if command.startswith("cqa nightly "):
        figures = night_run(str(lake), run_id, command)
        return figures, {run_id: entry | fingerprints(figures[run_id]["systems"])}
    run = cqa.open_lake(str(lake)).run(run_id)
    columns = {column: value for system in before["systems"].values() for column, value in system.items()}
    named = {row["measure"] for row in run.metrics().to_arrow().to_pylist()}
    first = next(column for column, value in columns.items() if column in named and "[" in value)
    measures = [first, *sorted((columns.keys() & named) - {first})]
    figures = measured(str(lake), run_id, command, measures)
    return figures, {name: entry | fingerprints(content["systems"]) for name, content in figures.items()}


def measure_systems(data_set: str, systems: Sequence[str], data: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reproduce systems of a data set; results as of ``measure_run``, figures as ``reproduced_figures`` has them."""
    started, measured_at = time.monotonic(), commit()
    scores = OUTPUT / f"{data_set}.json"
    scores.unlink(missing_ok=True)
    command = f"cqa reproduce {' '.join(systems)} --data-set {data_set}"
    _run([*shlex.split(command), "--scores", str(scores), "--output", str(OUTPUT), "--data", data], data)
    figures: dict[str, Any] = json.loads(scores.read_text(encoding="utf-8"))
    entry = provenance_of(command, measured_at, hashes(data, data_set), time.monotonic() - started)
    return figures, {
        f"{system} {part}": entry | fingerprints([system])
        for system, parts in figures["values"].items()
        for part in parts
    }


def provenance_of(command: str, measured_at: str, inputs: Mapping[str, str], seconds: float) -> dict[str, Any]:
    """The provenance of figures that were measured now, without fingerprints."""
    return {
        "command": command,
        "commit": measured_at,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "inputs": {path: digest[:16] for path, digest in inputs.items() if digest},
        "processor": processor(),
        "seconds": round(seconds),
    }


def fingerprints(systems: Iterable[str]) -> dict[str, Any]:
    """The fingerprints of the systems that there are, as a field of provenance."""
    known = known_systems()
    return {"fingerprints": {system: _sources().system(system) for system in systems if system in known}}


def inputs_of_run(lake: str, run_id: str) -> dict[str, str]:
    """SHA-256 of the files that a run has read."""
    *_, record = RunLog(open_store(lake, ObjectStorageSettings())).records(run_id)
    return {"/".join(Path(item.path).parts[-2:]): item.sha256 or "" for item in record.inputs}


def hashes(data: str, data_set: str) -> dict[str, str]:
    """SHA-256 of the files of a data set that are there."""
    paths = {path: locate(Path(data), path) for path in read_data_set(data_set).paths()}
    return {path: sha256(found.read_bytes()).hexdigest() for path, found in paths.items() if found.is_file()}


def processor() -> str:
    """The processor's model and its number of cores."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def differences(figures: Mapping[str, Any]) -> Iterator[str]:
    """A line for each printed figure that is not that of the pages."""
    if "values" in figures:
        reproduced = ((system, *row) for system, parts in figures["values"].items() for row in parts.items())
        for system, part, scores in reproduced:
            before = reproduced_scores().get(system, {}).get(part, {})
            for measure, value in scores.items():
                old = points(before[measure]) if measure in before else "absent"
                if old != points(value):
                    yield f"{system} {part} {measure}: {old} on the page, now {points(value)}"
        return
    for run, content in figures.items():
        before = measured_runs().get(run, {"systems": {}})["systems"]
        for system, columns in content["systems"].items():
            for column, value in columns.items():
                old = before.get(system, {}).get(column, "absent")
                if old != value:
                    yield f"{run} {system} {column}: {old} on the page, now {value}"


def write(figures: Mapping[str, Any], entries: Mapping[str, Entry]) -> None:
    """Write figures and their provenance into the files and pages."""
    if "values" in figures:
        merged = {section: {**content} for section, content in reproduced_figures().items()}
        for section, content in figures.items():
            for key, value in content.items():
                nested = section != "populations" and key in merged[section]
                merged[section][key] = {**merged[section][key], **value} if nested else value
        REPRODUCED.write_text(json.dumps(merged, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    else:
        write_runs(figures)
        write_pages()
    known = json.loads(FILE.read_text(encoding="utf-8")) | dict(entries)
    FILE.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def _data_sets() -> Iterable[str]:
    return (path.stem for path in (ROOT / "conf/datasets").glob("*.yaml"))


def _recorded_runs() -> dict[str, Any]:
    runs: dict[str, Any] = json.loads(RUNS.read_text(encoding="utf-8"))
    return {name: run for name, run in runs.items() if _MEASURABLE.match(run["command"])}


def _located(command: str, data: str, lake: str, run_id: str) -> list[str]:
    """A command with its own lake and run id, and dumps where the data sets lie."""
    words = shlex.split(command)
    if "--lake" in words:
        place = words.index("--lake")
        del words[place : place + 2]
    words = [f"{data}/stackexchange/{word}" if _DUMP.match(word) else word for word in words]
    return [*words, "--lake", lake, "--run-id", run_id]


def _run(words: list[str], data: str) -> None:
    environment = {**os.environ, "CQA_DATA": data}
    subprocess.run([str(Path(sys.executable).with_name(words[0])), *words[1:]], cwd=ROOT, env=environment, check=True)


def commit() -> str:
    """The commit of the checkout, marked if files that figures depend on differ from it."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    changed = git("status", "--porcelain", "cqa_spark", "conf/systems", "conf/datasets")
    return git("rev-parse", "HEAD") + ("+changes" if changed else "")


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="figures to measure again; default: the cheap ones")
    parser.add_argument("--update", action="store_true", help="write what was measured")
    parser.add_argument("--stale", action="store_true", help="print the names of all stale figures, and measure none")
    parser.add_argument("--data", default=os.environ.get("CQA_DATA") or str(data_folder()))
    given = parser.parse_args()
    if given.stale:
        for name, entry in provenance().items():
            if systems := stale_systems(entry):
                print(f"{name}: {', '.join(systems)}")
        return 0
    known = {*figure_names(), *(name.partition(" ")[0] for name in figure_names())}
    if unknown := {*given.names}.difference(known):
        parser.error(f"no figures are called {', '.join(sorted(unknown))}; --stale lists names")
    commands = {name: provenance()[name]["command"] for name in given.names if name in provenance()}
    if by_hand := [command for command in commands.values() if not _MEASURABLE.match(command)]:
        parser.error(f"measured by hand: {'; '.join(by_hand)}")
    different = 0
    for name, *systems in measured_together(given.names or cheap()):
        figures, entries = measure_systems(name, systems, given.data) if systems else measure_run(name, given.data)
        lines = [*differences(figures)]
        different += len(lines)
        print("\n".join(lines) or f"{' '.join([name, *systems])}: as on the page")
        if given.update:
            write(figures, entries)
    return int(different > 0 and not given.update)


if __name__ == "__main__":
    sys.exit(_main())
