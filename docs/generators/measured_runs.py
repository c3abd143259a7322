"""The measure of each system in a run, for the tables of the pages; tests compare both.

``PYTHONPATH=docs python -m generators.measured_runs LAKE RUN MEASURE BASELINE…`` adds a run to
``docs/measured_runs.json``, under its id.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import cqa_spark as cqa
from cqa_spark.lake.schemas.community import EVERY

FEWEST_QUERIES = 30
"""Values of a site with fewer queries are left out."""

FILE = Path(__file__).resolve().parents[1] / "measured_runs.json"


def measured(lake: str, run_id: str, measure: str, baselines: list[str]) -> dict[str, Any]:
    """The systems of a run by name: value and interval, values by site, differences and p-values.

    Args:
        lake: the lake of the run.
        run_id: its id.
        measure: the measure, such as ``P@1``.
        baselines: systems that the others were compared with.
    """
    run = cqa.open_lake(lake).run(run_id)
    of_measure = [row for row in run.metrics().to_arrow().to_pylist() if row["measure"] == measure]
    systems = {row["system"]: {name: row[name] for name in ("value", "low", "high")} for row in of_measure}
    for row in run.comparisons().to_arrow().to_pylist():
        if row["measure"] == measure and row["baseline"] in baselines:
            compared = systems[row["system"]].setdefault("against", {})
            compared[row["baseline"]] = {name: row[name] for name in ("difference", "p_value")}
    for row in run.table("site_metrics").to_arrow().to_pylist():
        if row["measure"] == measure and row["site"] != EVERY and row["queries"] >= FEWEST_QUERIES:
            systems[row["system"]].setdefault("sites", {})[row["site"]] = row["value"]
    (queries,) = {row["queries"] for row in of_measure}
    return {"measure": measure, "queries": queries, "systems": systems}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lake")
    parser.add_argument("run")
    parser.add_argument("measure")
    parser.add_argument("baselines", nargs="*")
    given = parser.parse_args()
    runs = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    runs[given.run] = measured(given.lake, given.run, given.measure, given.baselines)
    FILE.write_text(json.dumps(runs, indent=1, sort_keys=True) + "\n", encoding="utf-8")
