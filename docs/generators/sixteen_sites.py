"""The figures of the sixteen sites, from the lake of the shipped model: each site, and nested folds by sites.

    cqa train nights --input dumps/*.stackexchange.com --model conf/trained/night_answers --lake build/sixteen
    PYTHONPATH=docs python -m generators.sixteen_sites --lake build/sixteen

In nested folds, other sites choose the weight of weak labels and the penalty. A setting alone is measured as on the
card: each site is ranked by a model of all others. With nested folds, the others choose the setting first: every fifth
of them is ranked by models of the remaining ones, and the setting with the highest P@1 there ranks the site.

Source:
    Varma and Simon 2006, Bias in Error Estimation when Using Cross-validation for Model Selection, BMC Bioinformatics
    7.
"""

import argparse
from collections import Counter
from collections.abc import Collection
from itertools import product
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from numpy.typing import NDArray

from cqa_spark.evaluation.statistics.clusters import paired_difference
from cqa_spark.evaluation.statistics.nights import expected_hits
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.examples import MEASURED, UNDECIDED
from cqa_spark.lake.schemas.metrics import NIGHTS
from cqa_spark.object_store.locations import open_store
from cqa_spark.rankers.conditional_logit import ConditionalLogitParameters, ConditionalLogitRanker
from cqa_spark.rankers.linear import LinearWeights
from cqa_spark.rankers.training import TaskRows
from cqa_spark.rankers.training_group import TrainingGroup
from cqa_spark.reports.kit.wording import count, points, signed_points
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.systems.system import read_recipe
from cqa_spark.tasks.preferred_answer.backtest import WEAK_WEIGHT
from generators.measured_runs import BY_VOTES, SHIPPED, difference
from generators.provenance import commit, fingerprints, inputs_of_run, provenance_of, write
from generators.worth import GAIN, NESTED

TRAINING = "cqa train nights --input dumps/*.stackexchange.com --model build/night_answers --lake build/sixteen"
THIS = "PYTHONPATH=docs python -m generators.sixteen_sites --lake build/sixteen"

WEIGHTS, PENALTIES = (0.1, 0.2, 0.5), (0.001, 0.003, 0.01)
RECIPE = WEAK_WEIGHT, float(ConditionalLogitParameters.model_fields["l2"].default)
INNER = 5

KEY = ("site", "query_id", "candidate_id")

Setting = tuple[float, float]
"""The weight of weak labels, and the penalty."""


class NightsOfSites:
    """The replayed nights of all sites, and the models that learn from some of them.

    Args:
        table: rows of ``EXAMPLES`` with the features of the system, sorted by ``KEY``.
        by_votes: P@1 of the simple order, by site and query.
    """

    def __init__(self, table: pa.Table, by_votes: dict[tuple[str, str], float]) -> None:
        recipe = read_recipe(SHIPPED)
        self.features = recipe.features()
        self.parameters: dict[str, Any] = recipe.ranker.parameters["member"]["parameters"]
        # By answer: shape (answers, features), then (answers,).
        self.values = np.column_stack([table[name].to_numpy() for name in self.features])
        self.site = table["site"].to_numpy(zero_copy_only=False)
        self.choice = table["choice"].to_numpy()
        self.weak = table["role"].to_numpy(zero_copy_only=False) == UNDECIDED
        accepted = table["accepted"].fill_null(False).to_numpy(zero_copy_only=False).astype(np.bool_)
        queries = table["query_id"].to_numpy(zero_copy_only=False)
        changes = (queries[1:] != queries[:-1]) | (self.site[1:] != self.site[:-1])
        self.query = np.cumsum(np.append(False, changes))
        self.answers = table["role"].to_numpy(zero_copy_only=False) == MEASURED
        # By measured night.
        self.starts = np.flatnonzero(np.diff(self.query[self.answers], prepend=-1))
        self.accepted = accepted[self.answers]
        self.night_site = self.site[self.answers][self.starts]
        night_query = queries[self.answers][self.starts]
        threads = table["thread_id"].to_numpy(zero_copy_only=False)[self.answers][self.starts]
        keys = [f"{site}/{thread}" for site, thread in zip(self.night_site, threads, strict=True)]
        self.thread = np.unique(keys, return_inverse=True)[1]
        self.by_votes = np.array([by_votes[key] for key in zip(self.night_site, night_query, strict=True)])
        self._fitted: dict[tuple[frozenset[str], Setting], NDArray[np.float64]] = {}

    def hits(self, left_out: Collection[str], setting: Setting) -> NDArray[np.float64]:
        """P@1 of each measured night by the model that learned from all sites but those; shape (nights,)."""
        key = frozenset(left_out), setting
        if key not in self._fitted:
            weight, penalty = setting
            rows = ~np.isin(self.site, [*left_out])
            choice = np.where(self.weak, self.choice * (weight / WEAK_WEIGHT), self.choice)[rows]
            examples = TaskRows(
                self.values[rows].astype(np.float32).astype(np.float64),  # as Spark sends them
                choice, choice > 0, self.query[rows], 0, np.zeros(len(self.features), dtype=bool),
            )  # fmt: skip
            ranker = ConditionalLogitRanker(ConditionalLogitParameters(**self.parameters | {"l2": penalty}))
            learned = ranker.learning(self.features)(examples, TrainingGroup())
            scores = LinearWeights.model_validate_json(str(learned)).sums(self.values[self.answers])
            self._fitted[key] = expected_hits(scores, self.accepted, self.starts)
        return self._fitted[key]

    def outside(self, setting: Setting) -> NDArray[np.float64]:
        """P@1 of each measured night by a model of all other sites."""
        hits = np.empty(len(self.night_site))
        for site in np.unique(self.site):
            hits[self.night_site == site] = self.hits([site], setting)[self.night_site == site]
        return hits

    def chosen(self, site: str) -> Setting:
        """The setting that is best on the other sites."""
        others = [name for name in np.unique(self.site) if name != site]

        def worth(setting: Setting) -> float:
            total = 0.0
            for number in range(INNER):
                fold = others[number::INNER]
                total += self.hits([site, *fold], setting)[np.isin(self.night_site, fold)].sum()
            return total

        return max(product(WEIGHTS, PENALTIES), key=worth)

    def figures(self, hits: NDArray[np.float64]) -> dict[str, str]:
        """P@1 and the gain over the simple order, as pages print them."""
        gain = paired_difference(hits - self.by_votes, self.thread)
        return {"P@1": points(hits.mean()), GAIN: difference(gain.value, gain.low, gain.high, gain.p_value)}


def read_nights(lake: str) -> NightsOfSites:
    """The nights of a lake in which only ``cqa train nights`` has run, once."""

    def rows(table: str) -> pa.Table:
        return ds.dataset(f"{lake}/tables/{table}").to_table()

    table, features = rows("examples").filter(pc.field("split") == "train"), rows("features")
    groups = read_recipe(SHIPPED).feature_groups
    for group in groups:
        # A group computed with authors has its values in other rows than one computed with queries.
        of_group = features.filter(pc.is_valid(features[group])).select([*KEY, group])
        names = [f"{group}__{field.name}" for field in of_group.schema.field(group).type]
        table = table.join(of_group.flatten().rename_columns([*KEY, *names]), [*KEY])
        for column in group_class(group).columns:  # unknown values are what the group declares
            index = table.column_names.index(f"{group}__{column.name}")
            known = pc.if_else(pc.is_finite(table.column(index)), table.column(index), column.missing)
            table = table.set_column(index, table.column_names[index], pc.fill_null(known, column.missing))
    by_votes = {
        (row["site"], row["query_id"]): next(entry["value"] for entry in row["measures"] if entry["system"] == BY_VOTES)
        for row in rows("query_metrics").filter(pc.field("split") == NIGHTS).to_pylist()
    }
    return NightsOfSites(table.sort_by([(name, "ascending") for name in KEY]), by_votes)


def by_site(nights: NightsOfSites) -> dict[str, dict[str, str]]:
    """The figures of each site, of the setting of the recipe."""
    hits, sites = nights.outside(RECIPE), {}
    for site in np.unique(nights.site).tolist():
        of_site = nights.night_site == site
        ours, simple = hits[of_site].mean(), nights.by_votes[of_site].mean()
        sites[site] = {
            "nights": count(of_site.sum()),
            "threads": count(len(np.unique(nights.thread[of_site]))),
            BY_VOTES: points(simple),
            "P@1": points(ours),
            GAIN: signed_points(ours - simple),
        }
    return sites


def selection(nights: NightsOfSites) -> dict[str, dict[str, str]]:
    """The figures of each setting, and with nested folds."""
    systems = {
        f"weak {weight:g}, l2 {penalty:g}": nights.figures(nights.outside((weight, penalty)))
        for weight, penalty in product(WEIGHTS, PENALTIES)
    }
    nested, choices = np.empty(len(nights.night_site)), Counter[Setting]()
    for site in np.unique(nights.site):
        setting = nights.chosen(site)
        choices[setting] += 1
        nested[nights.night_site == site] = nights.hits([site], setting)[nights.night_site == site]
    for (weight, penalty), number in choices.most_common():
        print(f"weak {weight:g}, l2 {penalty:g} chosen for {number} sites")
    return systems | {NESTED: nights.figures(nested)}


def main() -> None:
    """Measure, and write figures with their provenance."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lake", required=True, help="lake of a run of cqa train nights")
    given = parser.parse_args()
    (record,) = RunLog(open_store(given.lake, ObjectStorageSettings())).newest()
    inputs = inputs_of_run(given.lake, record.run_id)
    inputs["features, by version of the code"] = record.code_version.rpartition("+")[2]
    nights, command, measured_at = read_nights(given.lake), f"{TRAINING}; {THIS}", commit()
    runs, entries = dict[str, Any](), dict[str, Any]()
    for run, measure in (("nights_by_site", by_site), ("nights_selection", selection)):
        started = process_time()
        systems = measure(nights)
        for name, figures in systems.items():
            print(name, figures)
        runs[run] = {"command": command, "queries": len(nights.night_site), "systems": systems}
        entry = provenance_of(command, measured_at, inputs, process_time() - started)
        entries[run] = entry | fingerprints([SHIPPED])
    write(runs, entries)


if __name__ == "__main__":
    main()
