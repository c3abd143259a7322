"""examples → the values of feature groups: fitted on the training split, or those of trained systems."""

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.feature_table import (
    KEY,
    by_pass,
    feature_table,
    missing_groups,
    read_values,
    rows_of_passes,
    stored_groups,
    tables_of,
)
from cqa_spark.features.group import FeatureGroup, PassKey
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_outside_training
from cqa_spark.features.registry import (
    embedding_models,
    group_class,
    libraries_of,
    require_libraries,
    with_needed_tables,
)
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES, IS_RANKED, LEFT_OUT_GROUPS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps.cautions import foreign_to
from cqa_spark.steps.changed_sites import except_queries, of_sites, ranked_before, site_update
from cqa_spark.steps.feature_inputs import (
    IF_PRESENT,
    OPTIONAL,
    feature_inputs,
    fit_and_write,
    task_examples,
    text_tables,
)
from cqa_spark.steps.score import load_trained
from cqa_spark.systems.trained_system import model_artifact, save_groups, trained_system
from cqa_spark.text.encoders.model import EmbeddingModel

GROUPS = Artifact("groups")
"""The folder of a run's fitted groups."""


@dataclass(frozen=True)
class Featurize(Step):
    """Fit feature groups on the training split, write the values of all groups, and save the fitted ones.

    Attributes:
        groups: names of the groups, each once.
        task: the task whose examples get values.
        settings: folds of the cross-fitting, and the cut of as-of groups.
        strict: fail if a group needs a table that a site does not have; otherwise the group is omitted for that site,
            with a warning.
    """

    groups: Sequence[str]
    task: str
    settings: FeatureSettings
    strict: bool = False

    name = "features"

    def reads(self) -> tuple[Product, ...]:
        """Examples, posts and comments; analysed texts if a group needs them."""
        return EXAMPLES, POSTS, COMMENTS, *text_tables(self.groups)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """The values, the omitted groups, the fitted groups."""
        return *tables_of(self.groups), LEFT_OUT_GROUPS, GROUPS

    def prepare(self) -> None:
        """Check that the libraries of the groups are installed."""
        require_libraries(self.groups)

    def task_imports(self) -> Collection[str]:
        """The libraries of the groups."""
        return libraries_of(self.groups)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute and write.

        Raises:
            InputError: ``strict`` is set, and a table is missing.
        """
        with feature_inputs(run, task_examples(run, self.task), self.settings) as inputs:
            counts.rows_in = inputs.examples.count()
            supplied = list(with_needed_tables(map(group_class, self.groups), inputs, strict=self.strict))
            computed = [(supply.group, supply.inputs) for supply in supplied if supply.inputs is not None]
            fitted, counts.rows_out = fit_and_write(run, computed, folds=self.settings.folds)
        for text, groups in foreign_to(run, self.groups):
            Terminal(stderr=True).line(f"warning: {text} ({', '.join(groups)})")
        left_out = [
            {"site": site, "feature_group": supply.group.name, "lacking": ", ".join(tables)}
            for supply in supplied
            for site, tables in supply.lacking.items()
        ]
        run.write_entries(LEFT_OUT_GROUPS, left_out)
        path = run.artifact_path("models", GROUPS.name)
        save_groups(fitted, path, run.lake.storage)
        run.add_artifact(GROUPS.name, path)


@dataclass(frozen=True)
class ComputeFeatures(Step):
    """Write the values of trained systems' fitted groups, for the examples of changed sites or for all.

    Examples of undecided nights, which no trained system ranks, have none.

    Attributes:
        systems: names of the systems; the run has their models.
        groups: names of their groups.
        task: their task.
        settings: the cut of as-of groups.
        last: the published run, whose values of unchanged sites are kept; None to compute all.
        ranked_once: also keep the values of queries whose candidates are the published ones.
        computed: names of groups whose values the run has written for these examples, as it has fitted them.
        dispensable: names of systems that the run does without, with a warning, if the dump has not what they need.
    """

    systems: Sequence[str]
    groups: Sequence[str]
    task: str
    settings: FeatureSettings
    last: Snapshot | None = None
    ranked_once: bool = False
    computed: Sequence[str] = ()
    dispensable: Sequence[str] = ()

    name = "features"

    def reads(self) -> tuple[Product, ...]:
        """The models, and the inputs of their groups."""
        models = [Artifact(model_artifact(name)) for name in self.systems]
        return *Featurize(self.groups, self.task, self.settings).reads(), *models

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every corpus has."""
        return IF_PRESENT

    def writes(self) -> tuple[Product, ...]:
        """The values; models of systems that the run does without are removed."""
        return *tables_of(self.groups), *[Artifact(model_artifact(name)) for name in self.dispensable]

    def prepare(self) -> None:
        """Check that the libraries of the groups are installed."""
        require_libraries(self.groups)

    def task_imports(self) -> Collection[str]:
        """The libraries of the groups."""
        return libraries_of(self.groups)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compute and write.

        Raises:
            InputError: no site has the tables that a group needs.
        """
        for name in self.dispensable:
            if run.artifact(model_artifact(name)) is None:
                continue
            of_system = trained_system(run, model_artifact(name)).groups.values()
            needed = {table for group in of_system for table in group.needs}
            if lacking := sorted(table for table in needed if run.files_or_none(OPTIONAL[table]).rows == 0):
                Terminal(stderr=True).line(f"warning: {name} is left out: the dump has no {', '.join(lacking)}")
                run.remove_artifact(model_artifact(name))
        trained = load_trained(run, self.systems)
        fitted = {name: group for system in trained.values() for name, group in system.groups.items()}
        stored = [group for group in stored_groups(run) if group.name in self.computed] if self.computed else []
        has = {group.name: group for group in stored}
        groups = [fitted[name] for name in sorted(fitted.keys() - has.keys())]
        classes = {**has, **{name: type(group) for name, group in fitted.items()}}
        if not classes:
            return
        table = feature_table([classes[name] for name in sorted(classes)])
        last = None if self.last is None or missing_groups(self.last, fitted) else self.last
        inputs, settings = (POSTS, COMMENTS, EXAMPLES, *OPTIONAL.values()), {"features": self.settings}
        encoders = [EmbeddingModel.read(name).version for name in embedding_models(self.groups)]
        update = site_update(run, last, table, inputs, settings=settings, models=[*trained], versions=encoders)
        if not groups:
            update.sign()
        elif not update.keep():
            with ExitStack() as held:
                before = update.last if self.ranked_once else None
                ranked = held.enter_context(ranked_before(run, before, self.task, update.sites))
                ranks = task_examples(run, self.task).where(IS_RANKED)
                examples = except_queries(of_sites(ranks, update.sites), ranked)
                inputs_of_sites = held.enter_context(feature_inputs(run, examples, self.settings, sites=update.sites))
                values = values_by_pass(run, groups, inputs_of_sites)
                # Beside them, the values that the run has already.
                for place, rows in read_values(run, [group.name for group in stored]).items():
                    values[place] = values[place].join(rows, on=list(KEY), how="full") if place in values else rows
                update.write(rows_of_passes(values), ranked=ranked)
        counts.rows_in = counts.rows_out = run.rows(table)


def values_by_pass(run: Run, groups: Sequence[FeatureGroup], inputs: FeatureInputs) -> dict[PassKey, DataFrame]:
    """The values of fitted groups by pass; null on sites without a table that a group needs.

    Args:
        run: the run.
        groups: fitted groups.
        inputs: with the examples.

    Raises:
        InputError: no site has the tables that a group needs.
    """
    supplied = list(with_needed_tables(map(type, groups), inputs, strict=False))
    for supply in supplied:
        needed = sorted({table for tables in supply.lacking.values() for table in tables})
        absent = [name for name in needed if not run.has(OPTIONAL[name]) or run.rows(OPTIONAL[name]) == 0]
        if supply.inputs is None and absent:
            raise InputError(
                f"the system was trained on {supply.group.name}, and the dump has no {', '.join(absent)}",
                "get the complete dump, or train a system without this group: use another lake, or --model",
            )
    lacking = {supply.group.name: sorted(supply.lacking) for supply in supplied if supply.lacking}
    values = {}
    for place, classes in by_pass(map(type, groups)).items():
        computed = compute_outside_training({group.name: group for group in groups if type(group) in classes}, inputs)
        on_site = {
            name: F.when(~F.col("site").isin(*lacking[name]), F.col(name))
            for name in computed.columns
            if name in lacking
        }
        values[place] = computed.withColumns(on_site) if on_site else computed
    return values
