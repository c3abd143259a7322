"""affected examples → features, merged with the published ones of all other examples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.sections import FeatureSettings
from cqa_spark.errors import InputError
from cqa_spark.features.change_impact import widest, within
from cqa_spark.features.feature_table import KEY, feature_table, rows_of_places
from cqa_spark.features.featurize import compute_outside_training
from cqa_spark.features.group import FeatureGroup, Place, Reach
from cqa_spark.features.history.concerned import concerned
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.needed_tables import Supplied, with_needed_tables
from cqa_spark.features.stored_values import by_place, missing_groups, read_values, stored_groups, tables_of
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import AFFECTED
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.feature_inputs import OPTIONAL, feature_inputs, task_examples
from cqa_spark.steps.featurize import Featurize
from cqa_spark.steps.score import load_trained
from cqa_spark.systems.trained_system import model_artifact

FEW = 100_000
"""Maximum number of examples to broadcast, about 20 MB."""


@dataclass(frozen=True)
class RefreshFeatures(Step):
    """Write the values of fitted groups, for the examples that changes affect or for all.

    Attributes:
        systems: names of the systems that use the groups.
        groups: names of their groups.
        last: the published run, whose values of other examples are kept; None before the first publication.
        task: the task.
        settings: the cut of as-of groups.
        ranked_once: keep the values of all unaffected examples, whatever the reach of their groups.
    """

    systems: Sequence[str]
    groups: Sequence[str]
    last: Snapshot | None
    task: str
    settings: FeatureSettings
    ranked_once: bool = False

    name = "features"

    def reads(self) -> tuple[Product, ...]:
        """The models, and the inputs of their groups."""
        models = [Artifact(model_artifact(name)) for name in self.systems]
        return *Featurize(self.groups, self.task, self.settings).reads(), *models

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every dump has, and the examples that changes affect."""
        return *OPTIONAL.values(), AFFECTED

    def writes(self) -> tuple[Product, ...]:
        """The values."""
        return tables_of(self.groups)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute and write; groups fitted in this run already have values."""
        trained = load_trained(run, self.systems).values()
        found = {name: group for each in trained for name, group in each.groups.items()}
        groups = {name: found[name] for name in missing_groups(run, found)}
        last = self.last if run.has(AFFECTED) else None
        with (
            feature_inputs(run, task_examples(run, self.task), self.settings) as inputs,
            nullcontext() if last is None else _differing(run, last, inputs.examples, self.task) as differing,
        ):
            supplied = list(with_needed_tables([type(groups[name]) for name in sorted(groups)], inputs, strict=False))
            _require_some_site(supplied)
            lacking = {each.group.name: sorted(each.lacking) for each in supplied if each.lacking}
            if groups:
                ordered = [groups[name] for name in sorted(groups)]
                counts.rows_out = (
                    _write_all(run, ordered, inputs, lacking)
                    if differing is None
                    else _merge_affected(run, ordered, inputs, lacking, differing, ranked_once=self.ranked_once)
                )
                counts.rows_in = counts.rows_out


@dataclass(frozen=True)
class _Differing:
    """The differences between the examples of a run and those of the published one.

    Attributes:
        last: the published run.
        again: the run's examples whose values may have changed, by reach.
        gone: published examples that the run no longer has.
    """

    last: Snapshot
    again: Mapping[Reach, DataFrame]
    gone: DataFrame


@contextmanager
def _differing(run: Run, last: Snapshot, examples: DataFrame, task: str) -> Iterator[_Differing]:
    """The differences between the examples, persisted for all groups while the block runs."""
    gone = task_examples(last, task).join(examples, on=list(EXAMPLES.key), how="left_anti")
    reaches = (Reach.THREAD, Reach.HISTORY, Reach.AUTHOR)
    affected = {reach: within(reach, run.read(AFFECTED)) for reach in reaches}
    again = {reach: examples.join(affected[reach], on=list(EXAMPLES.key), how="left_semi") for reach in reaches}
    with persisted(gone, *again.values()) as (gone, *scans):
        yield _Differing(last, dict(zip(reaches, scans, strict=True)), gone)


def _require_some_site(supplied: Iterable[Supplied]) -> None:
    """Reject a dump if no site has the tables that a group of a model needs.

    Raises:
        InputError: there is such a group; the model cannot rank without it.
    """
    for each in supplied:
        if each.inputs is None:
            lacking = sorted({table for tables in each.lacking.values() for table in tables})
            raise InputError(
                f"the system was trained on {each.group.name}, and the dump has no {', '.join(lacking)}",
                "get the complete dump, or train a system without this group: use another lake, or --model",
            )


def _write_all(
    run: Run, groups: Sequence[FeatureGroup], inputs: FeatureInputs, lacking: Mapping[str, Sequence[str]]
) -> int:
    """Write the values of groups for all examples, beside those of groups fitted in this run; return the rows.

    Args:
        run: the run to write to.
        groups: the groups.
        inputs: the run's tables.
        lacking: by group, the sites without a table that it needs, where its values are null.
    """
    classes = [type(group) for group in groups]
    values = {
        place: _known(compute_outside_training(_of_classes(groups, here), inputs), lacking)
        for place, here in by_place(classes).items()
    }
    fitted = stored_groups(run)
    for place, stored in read_values(run, [group.name for group in fitted]).items():
        values[place] = values[place].join(stored, on=list(KEY), how="full") if place in values else stored
    return run.write(feature_table([*classes, *fitted]), rows_of_places(values)).rows


def _merge_affected(
    run: Run,
    groups: Sequence[FeatureGroup],
    inputs: FeatureInputs,
    lacking: Mapping[str, Sequence[str]],
    differing: _Differing,
    *,
    ranked_once: bool,
) -> int:
    """Replace the values of groups in the published table for the examples that changes affect; return their rows.

    Args:
        run: the run to write to.
        groups: the groups; the values of each pass are computed again as far as the group of largest reach requires.
        inputs: the run's tables.
        lacking: by group, the sites without a table that it needs, where its values are null.
        differing: the differences from the published run.
        ranked_once: keep the values of all unaffected examples, whatever the reach of their groups.
    """
    table = feature_table(map(type, groups))
    values, stale = {}, {}
    with ExitStack() as held:
        for place, here in by_place(map(type, groups)).items():
            reach = Reach.THREAD if ranked_once else widest(here)
            again = inputs.examples if reach is Reach.SITE else differing.again[reach]
            few = reach is not Reach.SITE and run.rows(AFFECTED) <= FEW
            selected = replace(inputs, examples=again, few=few)
            if few and place is Place.AUTHOR:
                selected = held.enter_context(concerned(selected))
            values[place] = _known(compute_outside_training(_of_classes(groups, here), selected), lacking)
            stale[place] = again.select(*KEY).unionByName(differing.gone.select(*KEY)).distinct()
        base = differing.last.record.table_versions[table.name]
        return run.merge_rows(table, rows_of_places(values), stale=rows_of_places(stale), base=base).rows


def _of_classes(groups: Iterable[FeatureGroup], classes: Collection[type[FeatureGroup]]) -> dict[str, FeatureGroup]:
    """The groups of some classes, by name."""
    return {group.name: group for group in groups if type(group) in classes}


def _known(values: DataFrame, lacking: Mapping[str, Sequence[str]]) -> DataFrame:
    known = {
        name: F.when(~F.col("site").isin(*lacking[name]), F.col(name)) for name in values.columns if name in lacking
    }
    return values.withColumns(known) if known else values
