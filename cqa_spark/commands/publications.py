"""``cqa runs publish``, ``rollback``, ``restore-pointer``, ``gc``, ``keep``: what readers see, and whose files stay."""

from functools import partial

from cqa_spark.errors import ConfigError
from cqa_spark.lake import publishing
from cqa_spark.lake.collection import collect
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.opening import restore
from cqa_spark.lake.pointer import change_pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.mlflow import track_publication
from cqa_spark.runtime.workspace import write_lake
from cqa_spark.settings.runs import (
    CollectGarbageSettings,
    KeepRunSettings,
    PublishRunSettings,
    RestorePointerSettings,
    RollbackSettings,
)
from cqa_spark.spark.session import session_of
from cqa_spark.steps.publish import publish_run


def publish(settings: PublishRunSettings) -> None:
    """Check a finished run and publish it."""
    with write_lake(settings, "publish", create=False) as lake:
        publish_run(lake, settings.run_id)
        Terminal().line(f"published {settings.run_id}")
        track_publication(lake, settings.tracking)


def rollback(settings: RollbackSettings) -> None:
    """Publish the previously published run again."""
    with write_lake(settings, "rollback", create=False) as lake:
        record = publishing.rollback(lake, settings.to)
        Terminal().line(f"published again: {record.run_id} ({record.message})")
        track_publication(lake, settings.tracking)


def restore_pointer(settings: RestorePointerSettings) -> None:
    """Write published.json anew from the run log.

    Raises:
        ConfigError: there is no run log.
    """
    lake = Lake(partial(session_of, settings), settings.lake, settings.object_storage)
    if RunLog(lake.objects).is_empty():
        raise ConfigError(f"there is no run log in {lake.root}; nothing was written", "check the path of the lake")
    pointer = restore(lake, Holder.of_this_process("restore-pointer"))
    terminal = Terminal()
    terminal.line(f"published: {', '.join(record.run_id for record in pointer.records) or 'no run'}")
    terminal.line(f"kept: {', '.join(pointer.kept) or 'no run; cqa runs keep RUN keeps one again'}")
    if pointer.records:
        track_publication(lake, settings.tracking)


def collect_garbage(settings: CollectGarbageSettings) -> None:
    """Delete files that only old or failed runs need."""
    with write_lake(settings, "gc", create=False) as lake:
        found = collect(lake, settings.keep)
    terminal = Terminal()
    terminal.line(f"kept: {', '.join(record.run_id for record in found.kept) or 'no run'}")
    terminal.line(f"collected: {', '.join(found.attempts) or 'no run'}")
    terminal.line(f"deleted {found.files} files, {found.bytes / 1e6:,.1f} MB")


def keep_run(settings: KeepRunSettings) -> None:
    """Keep the files of a run, or no longer.

    Raises:
        InputError: no such run has succeeded, or its files are deleted.
    """
    run_id, others = settings.run_id, {settings.run_id}
    with write_lake(settings, "keep", create=False) as lake:
        if not settings.release:
            RunLog(lake.objects).require_success(run_id)
        change_pointer(
            lake.objects,
            lake.lease.token,
            lambda pointer: pointer.model_copy(
                update={"kept": tuple(sorted({*pointer.kept} - others | (set() if settings.release else others)))}
            ),
        )
    Terminal().line(f"{run_id} is {'kept no longer' if settings.release else 'kept'}")
