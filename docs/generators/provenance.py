"""Where every figure comes from: ``docs/provenance.json``, what has changed since, and the commands to run again.

``PYTHONPATH=docs python -m generators.provenance`` runs the cheap commands again and compares their figures with those
of the pages; ``make figures`` calls it. Names of figures, such as ``semeval2016_a`` or ``kelp_2016_a semeval2016_dev``,
run these; ``--update`` writes what was measured, with its provenance, into the files and pages. ``--data`` or
``CQA_DATA`` names the folder of the data sets.

A figure is stale if the fingerprint of its recipe, features, rankers or measures differs from that of the code that it
was measured with (``generators.fingerprints``).
"""

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
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
from generators.measured_runs import TABLE, measured, measured_runs, write_runs
from generators.worth import write_pages

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/provenance.json"
REPRODUCED = ROOT / "conf/reproduced.json"
OUTPUT = ROOT / "build/figures"

BUDGET = 600
"""Seconds that the cheap commands may take in all."""

UNKNOWN = "not recorded"

INTRO = """Every figure of quality on a page, with the command that measures it. A figure is *stale* if its recipe,
features, ranker or measures changed since it was measured. `make figures` runs the commands that take less than ten
minutes in all and compares; `PYTHONPATH=docs python -m generators.provenance NAME --update` measures a figure again and
writes it. Processors, times and inputs are recorded since 28 November 2026. [The archive](../archive.md) has what is
no longer measured."""

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
    took += f" on {entry['processor']}" if entry["processor"] else ""
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
    """Names of the figures that are measured in ``BUDGET`` seconds in all, cheapest first."""
    timed = sorted((entry["seconds"], name) for name, entry in provenance().items() if entry["seconds"])
    names, total = [], 0.0
    for seconds, name in timed:
        total += seconds
        if total <= BUDGET and not provenance()[name].get("elsewhere"):
            names.append(name)
    return names


def measure_again(name: str, data: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the command of figures.

    Args:
        name: their name.
        data: folder of the data sets.

    Returns:
        Figures by name, as ``measured_runs`` or ``reproduced_scores`` have them, and their provenance by name.
    """
    started = time.monotonic()
    if name in json.loads(RUNS.read_text(encoding="utf-8")):
        command = json.loads(RUNS.read_text(encoding="utf-8"))[name]["command"]
        run_id, lake = name.partition(" ")[0], OUTPUT / "lake"
        _run(_located(command, data, str(lake), run_id), data)
        run = cqa.open_lake(str(lake)).run(run_id)
        columns = {column for system in measured_runs()[name]["systems"].values() for column in system}
        named = {row["measure"] for row in run.metrics().to_arrow().to_pylist()}
        first = next(iter(_with_interval(name)))
        measures = [first, *sorted((columns & named) - {first})]
        figures = measured(str(lake), run_id, command, measures)
        *_, record = RunLog(open_store(str(lake), ObjectStorageSettings())).records(run_id)
        inputs = {"/".join(Path(item.path).parts[-2:]): item.sha256 or "" for item in record.inputs}
    else:
        system, part = name.split(" ")
        data_set = max((each for each in _data_sets() if part.startswith(f"{each}_")), key=len)
        scores = OUTPUT / f"{system}.json"
        scores.unlink(missing_ok=True)
        command = f"cqa reproduce {system} --data-set {data_set}"
        _run([*shlex.split(command), "--scores", str(scores), "--output", str(OUTPUT), "--data", data], data)
        figures = json.loads(scores.read_text(encoding="utf-8"))
        inputs = hashes(data, data_set)
    names = list(figures) if "values" not in figures else [f"{system} {of}" for of in figures["values"][system]]
    entry = {
        "command": command,
        "commit": _commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "inputs": {path: digest[:16] for path, digest in inputs.items() if digest},
        "processor": processor(),
        "seconds": round(time.monotonic() - started),
    }
    systems = {each: figures[each]["systems"] if each in figures else [each.partition(" ")[0]] for each in names}
    known = known_systems()
    return figures, {
        each: entry | {"fingerprints": {name: _sources().system(name) for name in of if name in known}}
        for each, of in systems.items()
    }


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


def differences(name: str, figures: Mapping[str, Any]) -> Iterator[str]:
    """A line for each printed figure that is not that of the pages."""
    if "values" in figures:
        system, _ = name.split(" ")
        for part, scores in figures["values"][system].items():
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


def _with_interval(name: str) -> Iterator[str]:
    for columns in measured_runs()[name]["systems"].values():
        yield from (column for column, value in columns.items() if "[" in value and not column.startswith("minus"))


def _located(command: str, data: str, lake: str, run_id: str) -> list[str]:
    """A command with its own lake and run id, and dumps where the data sets lie."""
    words = shlex.split(command)
    if "--lake" in words:
        place = words.index("--lake")
        del words[place : place + 2]
    words = [f"{data}/stackexchange/{word}" if word.endswith(".stackexchange.com/") else word for word in words]
    return [*words, "--lake", lake, "--run-id", run_id]


def _run(words: list[str], data: str) -> None:
    environment = {**os.environ, "CQA_DATA": data}
    subprocess.run([str(Path(sys.executable).with_name(words[0])), *words[1:]], cwd=ROOT, env=environment, check=True)


def _commit() -> str:
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
    if unknown := {*given.names}.difference(figure_names()):
        parser.error(f"no figures are called {', '.join(sorted(unknown))}; --stale lists names")
    different = 0
    for name in given.names or cheap():
        figures, entries = measure_again(name, given.data)
        lines = [*differences(name, figures)]
        different += len(lines)
        print("\n".join(lines) or f"{name}: as on the page")
        if given.update:
            write(figures, entries)
    return int(different > 0 and not given.update)


if __name__ == "__main__":
    sys.exit(_main())
