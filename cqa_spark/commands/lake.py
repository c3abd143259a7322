"""``cqa lake migrate``: a lake of the previous release → a lake of this one."""

from __future__ import annotations

from cqa_spark.config.settings import MigrateSettings
from cqa_spark.lake.migration import is_migrated, migrate_tables
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import migrate_lake


def migrate(settings: MigrateSettings) -> None:
    """Move the small Delta tables of the previous release to the journal."""
    terminal = Terminal()
    with migrate_lake(settings, "lake migrate") as lake:
        if is_migrated(lake):
            terminal.line(f"{settings.lake} is a lake of this release; nothing to migrate")
            return
        migrate_tables(lake, terminal.line)
    terminal.line(f"migrated {settings.lake}; its models are retrained when they are next needed")
